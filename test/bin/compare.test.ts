// tollgate compare: each variant in its own worktree and budget, one report, one result applied, nothing paid for bad input.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import type { ComparisonReport } from '../../policies/report/comparison.ts';
import type { FakeCall, FakeCommand } from '../rig/fake-call.ts';
import { validatorOf } from '../rig/schemas/validator.ts';
import { answerWith, failWith, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('compare');
test.before.each(async (world) => {
  world.rig = await TestRig.open();
  const { rig } = world;
  git(rig, 'init', '-q', '-b', 'main');
  writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tname = User\n\temail = user@localhost\n');
  rig.write('.gitignore', '.tmp/\n');
  rig.write('src/a.ts', 'one\n');
  git(rig, 'add', '-A');
  git(rig, 'commit', '-q', '-m', 'first');
});
test.after.each(({ rig }) => rig.dispose());

const git = ({ project, env }: TestRig, ...args: string[]) =>
  execFileSync('git', args, {
    cwd: project,
    env: { ...env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const status = (rig: TestRig) => git(rig, 'status', '--porcelain').trimEnd().split('\n').filter(Boolean);
const toolOf = (call: FakeCall) => call.report.tool as BuiltIn;
const folders = (rig: TestRig, name: string) => {
  const folder = path.join(rig.project, '.tmp', name);
  return existsSync(folder) ? readdirSync(folder).filter((entry) => entry.startsWith('compare-')) : [];
};

/** Each CLI answers with its name, and saves a file of its own. */
const each = (rig: TestRig) =>
  rig.answer((call) => [
    { do: 'save', file: `src/${toolOf(call)}.ts`, text: `// ${toolOf(call)}\n` },
    { do: 'save', file: 'src/a.ts', text: `${toolOf(call)}\n` },
    ...answerWith(toolOf(call), `I am ${toolOf(call)}.`),
  ]);

const WRITE = ['--access', 'write', '--trust-workspace'];
const withAll = (tools: readonly string[]) => tools.flatMap((tool) => ['--with', tool]);

async function compareIn(rig: TestRig, ...words: string[]) {
  const { code, stdout, stderr } = await rig.run('tollgate', ['compare', ...words, '--json']);
  const report = (stdout === '' ? null : JSON.parse(stdout)) as ComparisonReport;
  if (code !== 2) assert.ok(validatorOf('COMPARISON_SCHEMA')(report), 'the report fits its schema');
  return { code, stderr, report };
}

test('each of four CLIs gets the prompt once, in its own worktree; a second comparison touches no other tree, nor the user’s changes', async ({
  rig,
}) => {
  each(rig);
  const { code, report } = await compareIn(rig, 'add a file', ...withAll(TOOLS), ...WRITE);
  assert.is(code, 0);
  assert.is(report.state, 'done');
  assert.equal(
    report.variants.map(({ n, name, state, calls, answer, diff }) => ({ n, name, state, calls, answer, diff })),
    TOOLS.map((tool, i) => ({
      ...{ n: i + 1, name: tool, state: 'done', calls: 1, answer: `I am ${tool}.` },
      diff: { files: 2, added: 2, removed: 1 },
    })),
  );
  assert.is(rig.calls.length, 4);
  assert.is(new Set(rig.calls.map(({ report: { cwd } }) => cwd)).size, 4);
  for (const { n, name, files } of report.variants) {
    const diff = readFileSync(files.diff!, 'utf8');
    assert.match(diff, `+++ b/src/${name}.ts`);
    for (const other of TOOLS.filter((tool) => tool !== name)) assert.not.match(diff, other);
    assert.ok(readFileSync(report.files.page, 'utf8').includes(`## ${n}. ${name}`));
  }
  assert.equal(status(rig), []);
  assert.is(readFileSync(path.join(rig.project, 'src/a.ts'), 'utf8'), 'one\n');
  const kept = JSON.parse(readFileSync(report.files.report, 'utf8')) as ComparisonReport;
  assert.equal(kept.variants, report.variants);

  rig.write('src/a.ts', 'mine\n');
  const second = await compareIn(rig, 'go on', ...withAll(['codex', 'claude']), ...WRITE, '--allow-dirty');
  assert.is(second.code, 0);
  for (const { name, task_id, files } of second.report.variants) {
    assert.match(readFileSync(files.diff!, 'utf8'), `-one\n+${name}\n`);
    assert.is(path.basename(files.worktree!), task_id);
  }
  assert.equal(status(rig), [' M src/a.ts']);
  assert.is(folders(rig, 'worktrees').length, 6);
  const { report: shown } = await compareIn(rig, '--show', '--of', report.comparison_id);
  assert.equal(shown.variants, report.variants);
  assert.equal(rig.survivors(), []);
});

test('variants that fail are shown with their reasons and are not applied, and the others count', async ({ rig }) => {
  const save = { do: 'save', file: 'src/new.ts', text: 'new\n' } as const;
  const away = { do: 'run', argv: ['git', 'switch', '-q', '-c', 'mine'], to: '/dev/null' } as const;
  const does: Record<BuiltIn, readonly object[]> = {
    codex: failWith('codex', 'Incorrect API key provided', 401),
    gemini: [save, { ...save, file: 'src/ok.ts' }, ...answerWith('gemini', 'Done.')],
    claude: [save, ...answerWith('claude', 'Done.')],
    copilot: [save, { ...save, file: 'src/ok.ts' }, away, ...answerWith('copilot', 'Done.')],
  };
  rig.answer((call) => does[toolOf(call)] as FakeCommand[]);
  const accepting = ['--acceptance', 'test -f src/ok.ts', '--max-calls', '4'];
  const { code, report } = await compareIn(
    rig,
    'add a file',
    ...withAll(['codex', 'gemini', 'claude', 'copilot']),
    ...WRITE,
    ...accepting,
  );
  assert.is(code, 1);
  assert.equal(
    report.variants.map(({ state, class: why, gate, calls }) => [state, why, gate, calls]),
    [
      ['failed', 'auth', null, 1],
      ['done', null, 'passed', 1],
      ['failed', 'contract_violation', 'failed', 1],
      ['done', null, 'passed', 1],
    ],
  );
  const [codex, , , copilot] = report.variants;
  assert.is(codex!.commit, null);
  assert.ok(codex!.sentence);
  assert.ok(report.next_actions.some(({ command }) => command?.endsWith(`explain ${codex!.task_id}`)));
  const { stdout } = await rig.run('tollgate', ['compare', '--show']);
  assert.match(stdout, '| 1 | codex | failed: auth');
  for (const [name, says] of [
    ['codex', 'variant 1 (codex) did not pass (failed)'],
    ['claude', 'variant 3 (claude) did not pass (failed)'],
    ['copilot', /are not on its branch/],
    ['copilot', copilot!.files.worktree!],
  ] as const) {
    const refused = await rig.run('tollgate', ['compare', '--pick', name]);
    assert.is(refused.code, 2);
    assert.match(refused.stderr, says);
  }
  assert.equal(status(rig), []);
});

test('what the answer of a variant lacks is shown with it in each format', async ({ rig }) => {
  const said = write([
    JSON.stringify({ type: 'item.completed', item: { id: '1', type: 'error', message: 'rerouted & cut' } }),
  ]);
  rig.answer((call) => [...(toolOf(call) === 'codex' ? [said] : []), ...answerWith(toolOf(call), 'Done.')]);
  const { code, report } = await compareIn(rig, 'say it', ...withAll(['codex', 'claude']), '--trust-workspace');
  assert.is(code, 0);
  const [lack = '', ...others] = report.variants[0]!.lacks;
  assert.match(lack, /^\w+: codex reported: rerouted & cut$/);
  assert.equal([others, report.variants[1]!.lacks], [[], []]);
  assert.match(readFileSync(report.files.page, 'utf8'), `\nWarning: ${lack}\n`);
  for (const format of ['text', 'md', 'html']) {
    const { stdout } = await rig.run('tollgate', ['compare', '--show', '--format', format]);
    const shown = format === 'html' ? `<p>Warning: ${lack.replace('&', '&amp;')}</p>` : `Warning: ${lack}\n`;
    assert.is(stdout.split(shown).length, 2, `${format}: ${stdout}`);
  }
});

test('--prompt takes the name of a task as a prompt; one budget is shared equally, and no variant exceeds its part', async ({
  rig,
}) => {
  rig.answer((call) => failWith(toolOf(call), 'overloaded', 503));
  makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] });
  const { report } = await compareIn(
    rig,
    '--prompt',
    'fix',
    ...withAll(['codex', 'claude']),
    '--max-calls',
    '3',
    '--trust-workspace',
  );
  assert.equal(
    report.variants.map(({ calls }) => calls),
    [1, 1],
  );
  assert.equal([report.task_id, report.goal], [null, 'fix']);
  assert.equal(report.budget, { calls: 3, tokens: null, usd: null });
  assert.is(rig.calls.length, 2);
});

test('a task is compared with its own stages; the replaced CLI loses its own model and rules', async ({ rig }) => {
  each(rig);
  const stages = [
    { tool: 'gemini', role: 'brief', model: 'g', ...ANY_ANSWER },
    { tool: 'gemini', role: 'impl', model: 'g', fallback: [{ tool: 'codex' }], ...ANY_ANSWER },
  ];
  makeTask(rig, { stages, goal: 'Improve it.' });
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Count each item once.\n');
  rig.write('.tmp/task/fix/inputs/attachments/deep/log.txt', 'counted twice\n');
  const variants = ['--with', 'claude', '--with', 'codex:gpt-x'];
  const { code, report } = await compareIn(rig, 'fix', '--stage', 'gemini_impl', ...variants, '--trust-workspace');
  assert.is(code, 0);
  assert.equal(report.task_id, 'fix');
  assert.equal(
    report.variants.map(({ name }) => name),
    ['claude', 'codex-gpt-x'],
  );
  assert.equal(rig.calls.map(toolOf).sort(), ['claude', 'codex', 'gemini', 'gemini']);
  const manifest = (n: number) =>
    JSON.parse(readFileSync(path.join(rig.project, '.tmp/task', report.variants[n]!.task_id, 'manifest.json'), 'utf8'));
  assert.equal(
    manifest(1).stages.map(({ id, tool, model }: Record<string, string>) => [id, tool, model]),
    [
      ['brief', 'gemini', 'g'],
      ['impl', 'codex', 'gpt-x'],
    ],
  );
  assert.is(manifest(0).stages[1].model, undefined);
  assert.is(manifest(0).stages[1].fallback, undefined);
  const sent = rig.calls.filter((call) => toolOf(call) === 'gemini').map(({ report: { stdin } }) => stdin.text);
  assert.ok(sent.every((text) => text.includes('Count each item once.') && text.includes('counted twice')));
  assert.ok(rig.calls.find((call) => toolOf(call) === 'codex')!.report.argv.includes('gpt-x'));
});

test('what --pick cannot apply is named there and before it is removed, and empty submodules once', async ({ rig }) => {
  git(rig, 'init', '-q', 'sub');
  git(rig, '-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'in it');
  git(rig, 'add', 'sub');
  git(rig, 'commit', '-q', '-m', 'a submodule');
  const change = 'echo x > sub/i; git init -q nested; echo x > nested/x; rm -r src; ln -s /none src';
  rig.answer((call) => [
    { do: 'run', argv: ['sh', '-c', change], to: '/dev/null' },
    ...answerWith(toolOf(call), 'Done.'),
  ]);
  const { code, stderr, report } = await compareIn(rig, 'do it', ...withAll(['codex', 'claude']), ...WRITE);
  assert.equal([code, stderr.match(/submodules are empty in the worktree: sub\./g)?.length], [0, 1], stderr);
  assert.equal(report.variants[1]!.lacks, ['no commit can hold what it made here: nested, nested/x, sub/i']);
  const picked = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(picked.code, 0, picked.stderr);
  assert.match(
    picked.stderr,
    `does not have it: nested, nested/x, sub/i. It is in ${report.variants[0]!.files.worktree}`,
  );
  assert.equal(status(rig), [' D src/a.ts', '?? src']);
  const removed = await rig.run('tollgate', ['compare', '--remove', 'last']);
  assert.is(removed.code, 0);
  assert.match(removed.stderr, 'of variant 1 (codex) has is removed with its worktree: nested, nested/x, sub/i');
  assert.match(removed.stderr, 'of variant 2 (claude) has is removed with its worktree: nested, nested/x, sub/i');
});

test('a variant of which no commit can hold anything says so, and is named before it is removed', async ({ rig }) => {
  const argv = ['sh', '-c', 'git init -q nested; echo x > nested/x'];
  rig.answer((call) => [{ do: 'run', argv, to: '/dev/null' }, ...answerWith(toolOf(call), 'Done.')]);
  const { code, report } = await compareIn(rig, 'do it', ...withAll(['codex', 'claude']), ...WRITE);
  assert.is(code, 0);
  assert.equal(report.variants[0]!.lacks, ['no commit can hold what it made here: nested, nested/x']);
  const picked = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(picked.code, 2);
  assert.match(picked.stderr, 'changed only what no commit can hold, so there is nothing to apply: nested, nested/x');
  writeFileSync(path.join(report.variants[0]!.files.worktree!, '.git'), 'gitdir: /none\n');
  const unread = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(unread.code, 2);
  assert.match(unread.stderr, /changed cannot be read: fatal: not a git repository.* \(git in \/.*-1\)\n/);
  const removed = await rig.run('tollgate', ['compare', '--remove', 'last']);
  assert.match(
    removed.stderr,
    /known what no commit of variant 1 \(codex\) has, .* worktree: fatal: not a git repository/,
  );
  assert.match(removed.stderr, 'of variant 2 (claude) has is removed with its worktree: nested, nested/x');
});

test('after SIGKILL the running calls end, --resume continues without paying twice', async ({ rig }) => {
  const command = rig.start('tollgate', ['compare', 'add a file', ...withAll(['codex', 'claude']), ...WRITE, '--json']);
  const calls = [await rig.call(), await rig.call()];
  const [first, second] = calls[0]!.report.tool === 'codex' ? calls : calls.reverse();
  await first!.tell(...answerWith('codex', 'Done.'));
  const [id] = folders(rig, 'compare');
  const file = path.join(rig.project, '.tmp/task', `${id}-1`, 'outputs/_summary.md');
  await waitWhile(() => !existsSync(file));
  command.signal('SIGKILL');
  await command.result;
  await second!.tell(...answerWith('claude', 'Finished alone.'));
  await second!.gone;
  rig.answer((call) => answerWith(toolOf(call), 'Again.'));
  const { code, report } = await compareIn(rig, '--resume', 'last', '--trust-workspace');
  assert.is(code, 0);
  assert.equal(
    report.variants.map(({ state, calls: paid }) => [state, paid]),
    [
      ['done', 1],
      ['done', 1],
    ],
  );
  assert.is(rig.calls.length, 2);
  assert.equal(rig.survivors(), []);
});

test('INT ends both calls, and the report says how to continue', async ({ rig }) => {
  const command = rig.start('tollgate', [
    'compare',
    'hello there',
    ...withAll(['codex', 'claude']),
    ...['--access', 'write', '--trust-workspace', '--json'],
  ]);
  const calls = [await rig.call(), await rig.call()];
  command.signal('SIGINT');
  const { code, stdout } = await command.result;
  assert.is(code, 130);
  const report = JSON.parse(stdout) as ComparisonReport;
  assert.is(report.state, 'interrupted');
  assert.match(report.next_actions[0]!.command!, `compare --resume ${report.comparison_id}`);
  assert.equal(
    report.variants.map(({ diff_problem }) => diff_problem),
    [null, null],
  );
  await Promise.all(calls.map(({ gone }) => gone));
  assert.equal(rig.survivors(), []);
});

/** In this order: what `before` changes remains. */
const BAD: Record<string, { words: string[]; says: string; before?: (rig: TestRig) => void }> = {
  'one variant': { words: ['a prompt', '--with', 'codex'], says: 'a comparison has 2 to 16 variants, and 1 is given' },
  'no variant': { words: ['a prompt'], says: 'there is nothing to compare' },
  'an unknown CLI': { words: ['a prompt', '--with', 'codx', '--with', 'claude'], says: 'Did you mean codex?' },
  'a strange variant': {
    words: ['a prompt', '--with', 'codex:', '--with', 'claude'],
    says: 'the model must be one line',
  },
  'an account that does not exist': {
    words: ['a prompt', '--with', 'codex@team', '--with', 'claude'],
    says: 'variant 1 (codex-team) cannot be called: there is no account "team"',
  },
  'a task that does not exist': {
    words: ['nothing', ...withAll(['codex', 'claude'])],
    says: 'there is no task nothing',
  },
  'an empty prompt': { words: ['  ', ...withAll(['codex', 'claude'])], says: 'the prompt is empty' },
  'a budget that is too small': {
    words: ['a prompt', ...withAll(TOOLS), '--max-calls', '3'],
    says: 'less than one call for each of 4 variants',
  },
  'two things to do': { words: ['--pick', '1', '--show'], says: 'do not go together' },
  'a branch that is taken': {
    words: ['fix', ...withAll(['codex', 'claude'])],
    says: 'is supervised',
    before: (rig) =>
      void makeTask(rig, { supervise: { worker: { tool: 'codex' }, reasoner: { tool: 'claude' } }, goal: 'x' }),
  },
  'a task of another project': {
    words: ['../other/.tmp/task/away', ...withAll(['codex', 'claude'])],
    says: 'is a task of the project',
    before: (rig) => {
      const task = path.join(rig.root, 'other/.tmp/task/away');
      mkdirSync(task, { recursive: true });
      execFileSync('git', ['init', '-q'], { cwd: path.join(rig.root, 'other'), env: rig.env });
      const manifest = { task_id: 'away', goal: 'Other.', stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] };
      writeFileSync(path.join(task, 'manifest.json'), JSON.stringify(manifest));
    },
  },
  'a CLI that is not installed': {
    words: ['a prompt', ...withAll(['codex', 'claude'])],
    says: 'variant 2 (claude) cannot be called',
    before: (rig) => rig.uninstall('claude'),
  },
  'a dirty tree': {
    words: ['a prompt', ...withAll(['codex', 'gemini'])],
    says: 'has uncommitted changes',
    before: (rig) => rig.write('src/a.ts', 'mine\n'),
  },
};

test('bad input is refused: nothing is paid, and nothing remains', async ({ rig }) => {
  each(rig);
  for (const [what, { words, says, before }] of Object.entries(BAD)) {
    before?.(rig);
    const flags = words.includes('--pick') ? [] : ['--trust-workspace'];
    const { code, stderr } = await compareIn(rig, ...words, ...flags);
    assert.is(code, 2, what);
    assert.match(stderr, says, what);
    assert.is(rig.calls.length, 0, what);
    assert.equal([folders(rig, 'compare'), folders(rig, 'task'), folders(rig, 'worktrees')], [[], [], []], what);
    assert.is(git(rig, 'branch', '--list', 'tollgate/*'), '', what);
  }
});

test('outside of git, and without a commit, it is refused', async ({ rig }) => {
  const folder = path.join(rig.root, 'plain');
  mkdirSync(folder);
  const run = () => rig.run('tollgate', ['compare', 'a prompt', ...withAll(['codex', 'claude'])], { cwd: folder });
  assert.match((await run()).stderr, 'run git init and commit there');
  execFileSync('git', ['init', '-q'], { cwd: folder, env: rig.env });
  const { code, stderr } = await run();
  assert.is(code, 2);
  assert.match(stderr, 'has no commit yet');
  assert.not.ok(existsSync(path.join(folder, '.tmp')));
});

const FORGED: Record<string, (kept: Record<string, unknown>) => unknown> = {
  'a base that is an option': (kept) => ({ ...kept, base: '--output=/tmp/planted' }),
  'the task of another comparison': (kept) => ({ ...kept, variants: [{ n: 1, name: 'codex', task_id: 'fix' }] }),
  'no variants': (kept) => ({ ...kept, variants: [] }),
  'a variant that is null': (kept) => ({ ...kept, variants: [null] }),
  'no budget': ({ budget: _, ...kept }) => kept,
  'a list': () => [],
};

/** Each command that reads a comparison. */
const READING = [['--show'], ['--pick=1'], ['--remove=last'], ['--resume=last', '--trust-workspace']];

const HOSTILE = '<script>alert(1)</script> ``` | \u001b[31m';
const SECRET = 'Zq9Xv7Lm3Rt5Yw1Kp8NdTb4H';
const LATIN = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);

/** A comparison of codex and claude whose prompt, answers and changes have markup and a secret; `run` has the secret in its environment. */
async function hostileComparison(rig: TestRig) {
  writeFileSync(
    path.join(rig.home, '.gitconfig'),
    '[user]\n\tname = U\n\temail = u@localhost\n[diff]\n\tnoprefix = true\n\tcontext = 0\n',
  );
  rig.answer(async (call) => {
    const tool = toolOf(call);
    writeFileSync(path.join(call.report.cwd, 'src/latin.txt'), LATIN);
    await call.tell(
      { do: 'save', file: 'src/<b>.ts', text: `<img src=x onerror=alert(1)> ${SECRET}\n` },
      { do: 'save', file: 'src/a.ts', text: `${tool}\n` },
      ...answerWith(tool, `${HOSTILE} I am ${tool}: ${SECRET}.`),
    );
  });
  const env = { OPENAI_API_KEY: SECRET };
  const run = (...words: string[]) => rig.run('tollgate', ['compare', ...words], { env });
  const ran = await run(`do <b>this</b> with ${SECRET}`, ...withAll(['codex', 'claude']), ...WRITE, '--json');
  assert.is(ran.code, 0, ran.stderr);
  return { run, ran, report: JSON.parse(ran.stdout) as ComparisonReport };
}

test('the pages show hostile texts as text and no secret; a forged comparison is refused; a planted link is not followed', async ({
  rig,
}) => {
  const { run, ran, report } = await hostileComparison(rig);
  assert.not.match(ran.stdout, SECRET);
  assert.match(report.variants[0]!.answer!, /I am codex: \[REDACTED:OPENAI_API_KEY\]\.$/);
  for (const name of readdirSync(report.files.folder))
    assert.not.match(readFileSync(path.join(report.files.folder, name), 'utf8'), SECRET);
  for (const format of ['text', 'md', 'html', 'json']) {
    const { stdout } = await run('--show', '--format', format);
    assert.not.match(stdout, SECRET);
    if (format !== 'html') continue;
    assert.not.match(stdout, /<script>|<img|<b>this/);
    assert.match(stdout, '&lt;script&gt;alert(1)&lt;/script&gt;');
    assert.match(stdout, '&lt;img src=x');
  }
  const page = readFileSync(report.files.page, 'utf8');
  assert.not.match(page, '\u001b');
  assert.match(page, '````\n<script>');

  const file = path.join(report.files.folder, 'comparison.json');
  const kept = readFileSync(file, 'utf8');
  for (const [at, [what, forge]] of Object.entries(FORGED).entries()) {
    writeFileSync(file, JSON.stringify(forge(JSON.parse(kept))));
    for (const words of at === 0 ? READING : READING.slice(0, 1)) {
      const { code, stderr } = await run(...words);
      assert.equal([code, stderr.includes('is not a comparison')], [2, true], `${what}: ${words[0]}: ${stderr}`);
    }
  }
  writeFileSync(file, kept);
  assert.equal([rig.calls.length, folders(rig, 'worktrees').length], [2, 2]);

  const victim = path.join(rig.home, 'victim');
  const { diff } = report.variants[0]!.files;
  writeFileSync(victim, 'mine');
  rmSync(diff!);
  symlinkSync(victim, diff!);
  assert.is((await run('--resume', 'last', '--trust-workspace')).code, 0);
  assert.is(readFileSync(victim, 'utf8'), 'mine');
});

test('--pick applies the bytes of one variant, uncommitted, and nothing that its gate did not check; --remove removes the worktrees', async ({
  rig,
}) => {
  const { run, report } = await hostileComparison(rig);
  const [codex, claude] = report.variants;
  const { worktree } = codex!.files;
  writeFileSync(path.join(worktree!, 'src/latin.txt'), 'not checked\n');
  git(rig, '-C', worktree!, 'commit', '-qam', 'later');
  const moved = await run('--pick', '1');
  assert.is(moved.code, 2);
  assert.match(moved.stderr, 'src/latin.txt on its branch is not what its gate checked');
  assert.equal(status(rig), []);
  git(rig, '-C', worktree!, 'reset', '-q', '--hard', 'HEAD~');

  const inTheWay = path.join(rig.project, 'src/latin.txt');
  mkdirSync(inTheWay);
  writeFileSync(path.join(inTheWay, 'mine'), '');
  const blocked = await run('--pick', 'claude');
  assert.is(blocked.code, 2);
  assert.match(blocked.stderr, 'src/latin.txt/mine is where they need a folder or a file, and git does not have it');
  assert.equal(status(rig), ['?? src/latin.txt/']);
  rmSync(inTheWay, { recursive: true });
  renameSync(path.join(rig.project, 'src'), path.join(rig.project, 'kept'));
  writeFileSync(path.join(rig.project, 'src'), '');
  const without = await run('--pick', 'claude');
  assert.is(without.code, 2);
  assert.match(without.stderr, 'were not applied: ');
  rmSync(path.join(rig.project, 'src'));
  renameSync(path.join(rig.project, 'kept'), path.join(rig.project, 'src'));

  const { command } = report.next_actions.find(({ text }) => text.includes('claude'))!;
  const picked = await run(...command!.split(' ').slice(2));
  assert.is(picked.code, 0, picked.stderr);
  assert.match(picked.stdout, 'Applied the changes of variant 2 (claude) to the tree, uncommitted:\n  src/<b>.ts\n');
  const applied = [' M src/a.ts', '?? src/<b>.ts', '?? src/latin.txt'];
  const unchanged = () => {
    assert.equal(status(rig), applied);
    assert.is(readFileSync(path.join(rig.project, 'src/a.ts'), 'utf8'), 'claude\n');
    assert.equal(readFileSync(path.join(rig.project, 'src/latin.txt')), LATIN);
  };
  unchanged();
  const again = await run('--pick', 'claude');
  assert.is(again.code, 2);
  assert.match(again.stderr, 'already; to take them again: git merge tollgate/compare-');
  const other = await run('--pick', '1');
  assert.is(other.code, 2);
  assert.match(other.stderr, 'would be changed, and has uncommitted changes');
  unchanged();

  // One worktree was deleted, the other is locked, and the folder of another comparison is empty.
  rmSync(worktree!, { recursive: true });
  git(rig, 'worktree', 'lock', claude!.files.worktree!);
  mkdirSync(path.join(rig.project, '.tmp/compare/compare-zz'));
  const removed = await run('--remove', 'last');
  assert.is(removed.code, 0, removed.stderr);
  assert.equal(folders(rig, 'worktrees'), []);
  assert.is(git(rig, 'branch', '--list', 'tollgate/*'), '');
  assert.is(git(rig, 'worktree', 'list').trim().split('\n').length, 1);
  const after = JSON.parse((await run('--show', '--json')).stdout) as ComparisonReport;
  assert.equal(after.picked?.n, 2);
  assert.ok(after.removed);
  assert.equal(
    after.variants.map(({ answer }) => answer),
    report.variants.map(({ answer }) => answer),
  );
  assert.is((await run('--pick', '1')).code, 2);
});

test.run();
