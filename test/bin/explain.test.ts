// tollgate explain over real runs: the whole page of each kind of failure, and what is said where there is none.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { superviseTask } from '../rig/supervise-run.ts';
import { killWithGuardian, makeTask, untilStarted } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate explain');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'review' }] };
const ANSWER = '# Findings\n\nNone.\n\n# Verdict\n\nGood.\n';
const NO_KEY = failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401);
const BOOM = failWith('codex', 'unexpected status 500 Internal Server Error: boom 0x7f3a12', 500);

/** What differs from run to run. */
const settled = (text: string, rig: TestRig) =>
  text
    .replaceAll(rig.project, 'PROJECT')
    .replaceAll(rig.home, 'HOME')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\d{14}-[0-9a-f]{8}/g, 'CALL')
    .replace(/\bpid \d+/g, 'pid N');

async function explained(rig: TestRig, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['explain', 'fix', ...argv]);
  assert.equal([code, stderr], [0, '']);
  return settled(stdout, rig);
}

/** With GOLDEN=write in the environment what is shown becomes the page. */
function page(name: string, shown: string): string {
  const file = path.join(import.meta.dirname, 'explain', `${name}.txt`);
  if (process.env.GOLDEN === 'write') writeFileSync(file, shown);
  return readFileSync(file, 'utf8');
}
const lineOf = (text: string, label: string) => text.split('\n').find((line) => line.startsWith(`${label}  `));

const PAGES: [name: string, answer: readonly FakeCommand[], manifest: object][] = [
  ['a-rejected-key', NO_KEY, ONE],
  ['one-that-came-again', BOOM, ONE],
  [
    'words-that-no-rule-knows',
    failWith('codex', 'the flux capacitor of sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD is misaligned', 0),
    ONE,
  ],
  ['a-silent-end', [{ do: 'exit', code: 3 }], ONE],
  ['a-deadline', [{ do: 'hang' }], { stages: [{ ...ONE.stages[0], timeout_ms: 4000 }] }],
  ['a-gate', answerWith('codex', 'I looked.\nAll\nis\nwell.\n'), { stages: [{ tool: 'codex', role: 'review' }] }],
  ['a-used-up-budget', [], { ...ONE, budgets: { paid_call_budget: 0 } }],
];
for (const [name, answer, manifest] of PAGES)
  test(`${name}: the whole page`, async ({ rig }) => {
    rig.answer(() => answer);
    await makeTask(rig, manifest).run();
    const shown = `${await explained(rig)}\n--verbose\n\n${await explained(rig, '--verbose')}`;
    assert.is(shown, page(name, shown));
  });

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
const can = hasTerminal ? test : test.skip;
if (!hasTerminal) console.log('SKIPPED: there is no script(1) of util-linux to give a command a terminal');

can('on a terminal it has colours, and fits the width with whole words and ids', async ({ rig }) => {
  rig.answer(() => NO_KEY);
  await makeTask(rig, ONE).run();
  const command = `stty cols 60; '${process.execPath}' '${path.resolve('dist/tollgate.cjs')}' explain fix --verbose`;
  const { stdout } = spawnSync('script', ['-qefc', command, '/dev/null'], {
    cwd: rig.project,
    env: { ...rig.env, TERM: 'xterm', NO_COLOR: '', SHELL: '/bin/sh' },
    encoding: 'utf8',
    input: '',
  });
  assert.match(stdout, '\u001b[31m');
  const lines = stdout.replace(/\u001b\[[\d;]*m/g, '').split('\r\n');
  assert.is(lines[0], 'The service rejected the API key as invalid.');
  // A longer line has one word, maybe behind its label.
  const tooLong = lines.filter((line) => line.length > 60 && line.trim().split(/\s+/).length > 2);
  assert.equal(tooLong, []);
  assert.ok(
    lines.some((line) => /v1:[0-9a-f]{64}$/.test(line)),
    stdout,
  );
  const printed = lines
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d \((?:just now|\d+ min ago)\)/g, 'TIME')
    // Only a terminal shows it.
    .replace(' cost 1 paid call, tokens and cost unknown for the whole task', '');
  assert.match(lines.join(' ').replace(/\s+/g, ' '), ' cost 1 paid call, tokens and cost unknown for the whole task');
  const piped = (await rig.run('tollgate', ['explain', 'fix', '--verbose'])).stdout;
  const fromHere = piped.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replaceAll(`${rig.home}/`, '~/');
  assert.is(printed.trim(), fromHere.replace(/\s+/g, ' ').trim());
});

test('a failure that a success has resolved is told as what was', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  rig.answer(() => NO_KEY);
  await task.run();
  rig.answer(() => answerWith('codex', ANSWER));
  await task.run();
  const text = await explained(rig, '--verbose');
  assert.is(text.split('\n')[0], 'fix has succeeded since, TIME. Before, it had failed at codex_review (codex), TIME.');
  assert.match(lineOf(text, 'made from')!, 'incorrect api key provided');
  assert.not.match(text, 'Next:');
  const { stdout } = await rig.run('tollgate', ['explain', 'fix', '--json']);
  assert.equal(JSON.parse(stdout).next_actions, []);
  assert.is(await explained(rig, '--stage', 'codex_review'), 'the last call of codex_review succeeded (TIME)\n');
});

test('a run that was refused, and one that was interrupted, have not failed', async ({ rig }) => {
  const running = makeTask(rig, ONE).start();
  await rig.call();
  running.signal('SIGINT');
  await running.result;
  assert.is((await explained(rig)).split('\n')[1], 'fix was interrupted at codex_review, TIME.');
  rig.answer(() => answerWith('codex', ANSWER));
  await makeTask(rig, ONE).run();
  assert.match(
    await explained(rig),
    /^fix has succeeded since, TIME\. Before, it had been interrupted at codex_review, /,
  );
  await makeTask(rig, { ...ONE, goal: 'Another.' }).run();
  assert.is((await explained(rig)).split('\n')[1], 'fix was refused at codex_review (codex), TIME.');
});

test('a stage that is not the last one to fail', async ({ rig }) => {
  const stages = [
    { tool: 'codex', role: 'review', id: 'one' },
    { tool: 'codex', role: 'review', id: 'two' },
  ];
  const task = makeTask(rig, { stages });
  const answers = [BOOM, answerWith('codex', ANSWER), NO_KEY];
  rig.answer(() => answers[rig.calls.length - 1]!);
  await task.run();
  assert.is((await explained(rig)).split('\n')[1], 'fix failed at two (codex), TIME.');
  assert.is(await explained(rig, '--stage', 'one'), 'the last call of one succeeded (TIME)\n');
  const { code, stdout, stderr } = await rig.run('tollgate', ['explain', 'fix', '--stage', 'tow']);
  assert.equal(
    [code, stdout, stderr],
    [2, '', 'tollgate explain: no call of a stage "tow" was made; the stages with calls are one, two\n'],
  );
});

test('a call of a wrapper on its own, which leaves no failure of the task', async ({ rig }) => {
  makeTask(rig, ONE);
  rig.write('ask.md', 'Look.');
  rig.answer(() => BOOM);
  await rig.start('run_codex', ['--prompt-file=ask.md', '--out=o', '--err=e', '--task=.tmp/task/fix']).result;
  const shown = await explained(rig);
  assert.is(shown, page('a-wrapper-on-its-own', shown));
});

test('without the record of the failure, the next command trusts the folder as the call did', async ({ rig }) => {
  rig.answer(() => BOOM);
  const task = makeTask(rig, { ...ONE, budgets: { retry_budget: 0 } });
  const command = async (flags: string[]) => {
    await task.run(...flags);
    rmSync(path.join(task.folder, 'state/last_failure.json'));
    const { stdout } = await rig.run('tollgate', ['explain', 'fix', '--json']);
    return JSON.parse(stdout).next_actions.find(({ command }: { command?: string }) => command !== undefined).command;
  };
  assert.is(await command([]), 'tollgate run fix');
  assert.is(await command(['--trust-workspace']), 'tollgate run fix --trust-workspace');
  await rig.run('tollgate', ['trust']);
  assert.is(await command([]), 'tollgate run fix', 'who is trusted for good needs no flag');
});

test('files of the call that are gone leave the rest', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  rig.answer(() => NO_KEY);
  await task.run();
  rmSync(path.join(task.folder, 'state/attempts'), { recursive: true });
  const text = await explained(rig, '--verbose');
  assert.is(
    lineOf(text, 'made from'),
    'made from  unknown: the files of the call are gone, or another version of tollgate made the signature',
  );
  assert.match(text, /^Evidence: .*Incorrect API key provided/m);
});

test("the task's own patterns are kept out of what is made again from private files", async ({ rig }) => {
  rig.answer(() => failWith('codex', 'customer ACME Corp is angry', 0));
  await makeTask(rig, { ...ONE, security: { redaction_patterns: ['ACME \\w+'] } }).run();
  const text = await explained(rig, '--verbose');
  assert.not(/acme|corp/i.test(text));
  assert.match(lineOf(text, 'made from')!, 'is angry');
});

test('--json has the same as fields', async ({ rig }) => {
  rig.answer(() => NO_KEY);
  await makeTask(rig, ONE).run();
  const { stdout } = await rig.run('tollgate', ['explain', 'fix', '--json']);
  const { of, sentence, rule, seen, retry, signed, findings } = JSON.parse(stdout);
  assert.equal(
    [of, sentence, rule.id, rule.row.looks_for.tool, seen.in_run, seen.in_life, retry, signed, findings],
    [
      'last_failure',
      'The service rejected the API key as invalid.',
      'access-key',
      'any',
      1,
      1,
      { first: 'stop', again: 'stop', report: 'stop at once' },
      { source: 'event', normalised: 'unexpected status <code:401> unauthorized incorrect api key provided' },
      [],
    ],
  );
  assert.match(rule.row.looks_for.match.text, /^\/.*\/i$/);
});

test('where nothing has failed it says so, and exits 0', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  assert.is(await explained(rig), 'fix was never run: there is nothing to explain\n');
  rig.answer(() => answerWith('codex', ANSWER));
  await task.run();
  assert.is(await explained(rig), 'nothing of fix has failed: there is nothing to explain\n');
  const { stdout } = await rig.run('tollgate', ['explain', 'fix', '--json']);
  const message = 'nothing of fix has failed: there is nothing to explain';
  assert.equal(JSON.parse(stdout), { schema: 1, task_id: 'fix', of: 'nothing', message });
});

test('a killed run has not failed: it says so, that its CLI still runs, and how to continue', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  rig.answer(() => [{ do: 'hang' }]);
  const run = task.start();
  await untilStarted(task);
  assert.is(await explained(rig), 'fix runs, and nothing of it has failed: there is nothing to explain\n');
  await killWithGuardian(task, run);
  const still = 'codex still runs (pid N) and may cost more.';
  const words = `fix was interrupted, and nothing of it has failed. ${still} Next: continue: \`tollgate run fix\`\n`;
  assert.is(await explained(rig), words);
  const { stdout } = await rig.run('tollgate', ['status']);
  assert.match(stdout, /^Running:\nTASK +STAGE +CLI .*\nfix +codex_review +codex /m);
});

test('a task that waits for an answer: its question, and how to answer', async ({ rig }) => {
  rig.answer(({ report: { tool } }) =>
    answerWith(tool, tool === 'gemini' ? JSON.stringify({ action: 'ask', question: 'Which branch?' }) : 'I looked.'),
  );
  await superviseTask(rig, { goal: 'Merge it.' }, 'fix').supervise();
  const words = 'ask the user, and give the answer in place of the dots: tollgate answer fix "…"';
  assert.is(await explained(rig), `fix waits for an answer: Which branch? Next: ${words}\n`);
});

const BROKEN: [what: string, file: string, text: string, said: RegExp][] = [
  [
    'a last_failure.json that is none',
    'state/last_failure.json',
    '[]',
    /^tollgate explain: the state of fix in .*state cannot be read: it is not a record of a failure\n$/,
  ],
  [
    'a journal of a newer version',
    'state/journal.jsonl',
    '{"v":9,"at":"x","fact":"y"}\n',
    /was written by a newer version/,
  ],
];
for (const [what, file, text, said] of BROKEN)
  test(`${what}: exit 2, and it is left as it is`, async ({ rig }) => {
    makeTask(rig, ONE);
    const written = rig.write(`.tmp/task/fix/${file}`, text);
    const { code, stdout, stderr } = await rig.run('tollgate', ['explain', 'fix']);
    assert.equal([code, stdout, readFileSync(written, 'utf8')], [2, '', text]);
    assert.match(stderr, said);
  });

test('a task that is not there: exit 2', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['explain', 'none']);
  assert.equal(
    [code, settled(stderr, rig)],
    [2, 'tollgate explain: there is no task at PROJECT/.tmp/task/none (tollgate status lists those that exist)\n'],
  );
});

test.run();
