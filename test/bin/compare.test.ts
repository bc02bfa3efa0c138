// tollgate compare: each variant in its own worktree and budget, one report, one result applied, nothing paid for bad input.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import type { ComparisonReport } from '../../policies/report/comparison.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { validatorOf } from '../rig/schemas/validator.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

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

test('each of four CLIs gets the prompt once, in its own worktree, and one report shows them all', async ({ rig }) => {
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
});

test('--pick applies the changes of one variant, uncommitted, and --remove removes the worktrees', async ({ rig }) => {
  each(rig);
  const { report } = await compareIn(rig, 'add a file', ...withAll(['codex', 'claude']), ...WRITE);
  const { command } = report.next_actions.find(({ text }) => text.includes('claude'))!;
  const picked = await rig.run('tollgate', command!.split(' ').slice(1));
  assert.is(picked.code, 0, picked.stderr);
  assert.match(picked.stdout, 'Applied the changes of variant 2 (claude) to the tree, uncommitted:\n  src/a.ts\n');
  assert.equal(status(rig), [' M src/a.ts', '?? src/claude.ts']);
  assert.is(readFileSync(path.join(rig.project, 'src/a.ts'), 'utf8'), 'claude\n');
  const again = await rig.run('tollgate', ['compare', '--pick', 'claude']);
  assert.is(again.code, 2);
  assert.match(again.stderr, 'already; to take them again: git merge tollgate/compare-');
  const other = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(other.code, 2);
  assert.match(other.stderr, 'src/a.ts would be changed, and has uncommitted changes');
  assert.is(readFileSync(path.join(rig.project, 'src/a.ts'), 'utf8'), 'claude\n');
  assert.not.ok(existsSync(path.join(rig.project, 'src/codex.ts')));
  const removed = await rig.run('tollgate', ['compare', '--remove', 'last']);
  assert.is(removed.code, 0, removed.stderr);
  assert.equal(folders(rig, 'worktrees'), []);
  assert.is(git(rig, 'branch', '--list', 'tollgate/*'), '');
  assert.is(git(rig, 'worktree', 'list').trim().split('\n').length, 1);
  const { report: after } = await compareIn(rig, '--show');
  assert.equal(after.picked?.n, 2);
  assert.ok(after.removed);
  assert.equal(
    after.variants.map(({ answer }) => answer),
    ['I am codex.', 'I am claude.'],
  );
  assert.is((await rig.run('tollgate', ['compare', '--pick', '1'])).code, 2);
});

test('a variant that fails is shown with its reason, is not applied, and the others count', async ({ rig }) => {
  rig.answer((call) =>
    toolOf(call) === 'codex'
      ? failWith('codex', 'Incorrect API key provided', 401)
      : [{ do: 'save', file: 'src/b.ts', text: 'b\n' }, ...answerWith(toolOf(call), 'Done.')],
  );
  const { code, report } = await compareIn(rig, 'add a file', ...withAll(['codex', 'gemini']), ...WRITE);
  assert.is(code, 1);
  const [codex, gemini] = report.variants;
  assert.equal([codex!.state, codex!.class, codex!.commit], ['failed', 'auth', null]);
  assert.ok(codex!.sentence);
  assert.equal([gemini!.state, gemini!.class], ['done', null]);
  assert.ok(report.next_actions.some(({ command }) => command?.endsWith(`explain ${codex!.task_id}`)));
  const refused = await rig.run('tollgate', ['compare', '--pick', 'codex']);
  assert.is(refused.code, 2);
  assert.match(refused.stderr, 'variant 1 (codex) did not pass (failed)');
  const { stdout } = await rig.run('tollgate', ['compare', '--show']);
  assert.match(stdout, '| 1 | codex | failed: auth');
});

test('the acceptance commands decide in each worktree', async ({ rig }) => {
  each(rig);
  const accepting = ['--acceptance', 'grep -q codex src/a.ts'];
  const { code, report } = await compareIn(
    rig,
    'edit it',
    ...withAll(['codex', 'claude']),
    ...WRITE,
    ...accepting,
    '--max-calls',
    '2',
  );
  assert.is(code, 1);
  assert.equal(
    report.variants.map(({ state, gate, calls }) => ({ state, gate, calls })),
    [
      { state: 'done', gate: 'passed', calls: 1 },
      { state: 'failed', gate: 'failed', calls: 1 },
    ],
  );
});

test('one budget is shared equally, and no variant exceeds its part', async ({ rig }) => {
  rig.answer((call) => failWith(toolOf(call), 'overloaded', 503));
  const { report } = await compareIn(
    rig,
    'say hello',
    ...withAll(['codex', 'claude']),
    '--max-calls',
    '5',
    '--trust-workspace',
  );
  assert.equal(
    report.variants.map(({ calls }) => calls),
    [2, 2],
  );
  assert.equal(report.budget, { calls: 5, tokens: null, usd: null });
  assert.is(rig.calls.length, 4);
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

test('five tasks with four variants each: no tree touches another', async ({ rig }) => {
  rig.answer((call) => {
    const name = path.basename(call.report.cwd);
    return [{ do: 'save', file: `${name}.txt`, text: `${name}\n` }, ...answerWith(toolOf(call), 'Done.')];
  });
  for (let n = 0; n < 5; n++) makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] }, `task-${n}`);
  for (let n = 0; n < 5; n++) {
    const { report } = await compareIn(rig, `task-${n}`, ...withAll(TOOLS), '--trust-workspace');
    for (const { task_id, state, diff, files } of report.variants) {
      assert.equal([state, diff], ['done', { files: 1, added: 1, removed: 0 }]);
      assert.match(readFileSync(files.diff!, 'utf8'), `b/${task_id}.txt`);
    }
  }
  assert.is(rig.calls.length, 20);
  assert.equal(status(rig), []);
  assert.equal(rig.survivors(), []);
});

test('after SIGKILL the running calls end, --resume continues without paying twice', async ({ rig }) => {
  const command = rig.start('tollgate', ['compare', 'add a file', ...withAll(['codex', 'claude']), ...WRITE, '--json']);
  const calls = [await rig.call(), await rig.call()];
  const [first, second] = calls[0]!.report.tool === 'codex' ? calls : calls.reverse();
  await first!.tell(...answerWith('codex', 'Done.'));
  const [id] = folders(rig, 'compare');
  const file = path.join(rig.project, '.tmp/task', `${id}-1`, 'outputs/_summary.md');
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
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
    '--trust-workspace',
    '--json',
  ]);
  const calls = [await rig.call(), await rig.call()];
  command.signal('SIGINT');
  const { code, stdout } = await command.result;
  assert.is(code, 130);
  const report = JSON.parse(stdout) as ComparisonReport;
  assert.is(report.state, 'interrupted');
  assert.match(report.next_actions[0]!.command!, `compare --resume ${report.comparison_id}`);
  await Promise.all(calls.map(({ gone }) => gone));
  assert.equal(rig.survivors(), []);
});

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
  'a dirty tree': {
    words: ['a prompt', ...withAll(['codex', 'claude'])],
    says: 'has uncommitted changes',
    before: (rig) => rig.write('src/a.ts', 'mine\n'),
  },
  'a CLI that is not installed': {
    words: ['a prompt', ...withAll(['codex', 'claude'])],
    says: 'variant 2 (claude) cannot be called',
    before: (rig) => rig.uninstall('claude'),
  },
  'a branch that is taken': {
    words: ['fix', ...withAll(['codex', 'claude'])],
    says: 'is supervised',
    before: (rig) =>
      void makeTask(rig, { supervise: { worker: { tool: 'codex' }, reasoner: { tool: 'claude' } }, goal: 'x' }),
  },
};

for (const [what, { words, says, before }] of Object.entries(BAD))
  test(`${what} is refused: nothing is paid, and nothing remains`, async ({ rig }) => {
    before?.(rig);
    const flags = words.includes('--pick') ? [] : ['--trust-workspace'];
    const { code, stderr } = await compareIn(rig, ...words, ...flags);
    assert.is(code, 2);
    assert.match(stderr, says);
    assert.is(rig.calls.length, 0);
    assert.equal([folders(rig, 'compare'), folders(rig, 'task'), folders(rig, 'worktrees')], [[], [], []]);
    assert.is(git(rig, 'branch', '--list', 'tollgate/*'), '');
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

test('--allow-dirty compares on the last commit, and the user’s changes stay', async ({ rig }) => {
  each(rig);
  rig.write('src/a.ts', 'mine\n');
  const { code, report } = await compareIn(
    rig,
    'go on then',
    ...withAll(['codex', 'claude']),
    ...WRITE,
    '--allow-dirty',
  );
  assert.is(code, 0);
  assert.match(readFileSync(report.variants[0]!.files.diff!, 'utf8'), '-one\n+codex\n');
  assert.equal(status(rig), [' M src/a.ts']);
});

test('--pick writes the bytes of the variant, whatever the user’s settings of git are', async ({ rig }) => {
  writeFileSync(
    path.join(rig.home, '.gitconfig'),
    '[user]\n\tname = U\n\temail = u@localhost\n[diff]\n\tnoprefix = true\n\tcontext = 0\n',
  );
  const bytes = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  rig.answer(async (call) => {
    writeFileSync(path.join(call.report.cwd, 'src/latin.txt'), bytes);
    await call.tell({ do: 'save', file: 'src/a.ts', text: 'two\n' }, ...answerWith(toolOf(call), 'Done.'));
  });
  await compareIn(rig, 'add a file', ...withAll(['codex', 'claude']), ...WRITE);
  const { code, stderr } = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(code, 0, stderr);
  assert.equal(readFileSync(path.join(rig.project, 'src/latin.txt')), bytes);
  assert.equal(status(rig), [' M src/a.ts', '?? src/latin.txt']);
});

test('--pick refuses a branch that was moved after its gate', async ({ rig }) => {
  each(rig);
  const { report } = await compareIn(rig, 'add a file', ...withAll(['codex', 'claude']), ...WRITE);
  const { worktree } = report.variants[0]!.files;
  writeFileSync(path.join(worktree!, 'src/codex.ts'), '// not checked\n');
  git(rig, '-C', worktree!, 'commit', '-qam', 'later');
  const { code, stderr } = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(code, 2);
  assert.match(stderr, 'src/codex.ts on its branch is not what its gate checked');
  assert.equal(status(rig), []);
});

test('--pick says where the changes are if the agent switched the branch of its worktree', async ({ rig }) => {
  rig.answer((call) => [
    { do: 'save', file: 'src/new.ts', text: '// new\n' },
    { do: 'run', argv: ['git', 'switch', '-q', '-c', `mine-${toolOf(call)}`], to: '/dev/null' },
    ...answerWith(toolOf(call), 'Switched.'),
  ]);
  const { report } = await compareIn(rig, 'add a file', ...withAll(['codex', 'claude']), ...WRITE);
  const { code, stderr } = await rig.run('tollgate', ['compare', '--pick', '1']);
  assert.is(code, 2);
  assert.match(stderr, 'are not on its branch');
  assert.match(stderr, report.variants[0]!.files.worktree!);
  assert.equal(status(rig), []);
});

test('a prompt that is the name of a task is one with --prompt; a task of another project is refused', async ({
  rig,
}) => {
  each(rig);
  makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] });
  const { code, report } = await compareIn(
    rig,
    '--prompt',
    'fix',
    ...withAll(['codex', 'claude']),
    '--trust-workspace',
  );
  assert.equal([code, report.task_id, report.goal], [0, null, 'fix']);
  const other = path.join(rig.root, 'other');
  mkdirSync(path.join(other, '.tmp/task/away'), { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: other, env: rig.env });
  const manifest = { task_id: 'away', goal: 'Other.', stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }] };
  writeFileSync(path.join(other, '.tmp/task/away/manifest.json'), JSON.stringify(manifest));
  const away = await compareIn(rig, path.join(other, '.tmp/task/away'), ...withAll(['codex', 'claude']));
  assert.is(away.code, 2);
  assert.match(away.stderr, 'is a task of the project');
});

test('--remove works although a worktree was deleted or locked; a planted link is not followed', async ({ rig }) => {
  each(rig);
  const { report } = await compareIn(rig, 'add a file', ...withAll(['codex', 'claude']), ...WRITE);
  const [first, second] = report.variants;
  const victim = path.join(rig.home, 'victim');
  writeFileSync(victim, 'mine');
  rmSync(first!.files.diff!);
  symlinkSync(victim, first!.files.diff!);
  assert.is((await compareIn(rig, '--resume', 'last', '--trust-workspace')).code, 0);
  assert.is(readFileSync(victim, 'utf8'), 'mine');
  rmSync(first!.files.worktree!, { recursive: true });
  git(rig, 'worktree', 'lock', second!.files.worktree!);
  mkdirSync(path.join(rig.project, '.tmp/compare/compare-zz'));
  const removed = await rig.run('tollgate', ['compare', '--remove', 'last']);
  assert.is(removed.code, 0, removed.stderr);
  assert.is(git(rig, 'branch', '--list', 'tollgate/*'), '');
  assert.is(git(rig, 'worktree', 'list').trim().split('\n').length, 1);
});

test('no report shows a secret of a prompt, an answer or a change', async ({ rig }) => {
  const secret = 'Zq9Xv7Lm3Rt5Yw1Kp8NdTb4H';
  rig.answer((call) => [
    { do: 'save', file: 'key.txt', text: `${secret}\n` },
    ...answerWith(toolOf(call), `It is ${secret}.`),
  ]);
  const env = { OPENAI_API_KEY: secret };
  const words = ['compare', `use ${secret}`, ...withAll(['codex', 'claude']), ...WRITE];
  const { code, stdout } = await rig.run('tollgate', [...words, '--json'], { env });
  assert.is(code, 0);
  assert.not.match(stdout, secret);
  const { files, variants } = JSON.parse(stdout) as ComparisonReport;
  assert.is(variants[0]!.answer, 'It is [REDACTED:OPENAI_API_KEY].');
  for (const name of readdirSync(files.folder))
    assert.not.match(readFileSync(path.join(files.folder, name), 'utf8'), secret);
  for (const format of ['text', 'md', 'html', 'json'])
    assert.not.match((await rig.run('tollgate', ['compare', '--show', '--format', format], { env })).stdout, secret);
});

const FORGED: Record<string, (kept: Record<string, unknown>) => unknown> = {
  'a base that is an option': (kept) => ({ ...kept, base: '--output=/tmp/planted' }),
  'the task of another comparison': (kept) => ({ ...kept, variants: [{ n: 1, name: 'codex', task_id: 'fix' }] }),
  'no variants': (kept) => ({ ...kept, variants: [] }),
  'a variant that is null': (kept) => ({ ...kept, variants: [null] }),
  'no budget': ({ budget: _, ...kept }) => kept,
  'a list': () => [],
};

test('a forged comparison is refused as such by each command', async ({ rig }) => {
  each(rig);
  const { report } = await compareIn(rig, 'add a file', ...withAll(['codex', 'claude']), ...WRITE);
  const file = path.join(report.files.folder, 'comparison.json');
  const kept = readFileSync(file, 'utf8');
  for (const [what, forge] of Object.entries(FORGED)) {
    writeFileSync(file, JSON.stringify(forge(JSON.parse(kept))));
    for (const words of [['--show'], ['--pick=1'], ['--remove=last'], ['--resume=last', '--trust-workspace']]) {
      const { code, stderr } = await rig.run('tollgate', ['compare', ...words]);
      assert.equal([code, stderr.includes('is not a comparison')], [2, true], `${what}: ${words[0]}: ${stderr}`);
    }
  }
  assert.is(rig.calls.length, 2);
  assert.equal(folders(rig, 'worktrees').length, 2);
});

test('the pages show hostile texts as text', async ({ rig }) => {
  const hostile = '<script>alert(1)</script> ``` | \u001b[31m';
  rig.answer((call) => [
    { do: 'save', file: 'src/<b>.ts', text: '<img src=x onerror=alert(1)>\n' },
    ...answerWith(toolOf(call), hostile),
  ]);
  const { report } = await compareIn(rig, `do <b>this</b>`, ...withAll(['codex', 'claude']), ...WRITE);
  const { stdout: html } = await rig.run('tollgate', ['compare', '--show', '--format', 'html']);
  assert.not.match(html, /<script>|<img|<b>this/);
  assert.match(html, '&lt;script&gt;alert(1)&lt;/script&gt;');
  assert.match(html, '&lt;img src=x');
  const page = readFileSync(report.files.page, 'utf8');
  assert.not.match(page, '\u001b');
  assert.match(page, '````\n<script>');
});

test.run();
