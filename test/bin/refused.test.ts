// With --json every command answers bad input with one JSON object on stdout, and says the same on stderr.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('refused');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

type Row = [command: string, argv: string[], exit: number, message: string];

const ROWS: Row[] = [
  ['tollgate', ['run', 'a b'], 2, '"a b" is not a task id'],
  ['tollgate', ['run', '--no-such'], 2, 'unknown flag --no-such'],
  ['tollgate', ['batch'], 2, 'TASK (ids, or paths with a /) is missing'],
  ['tollgate', ['explain', 'nosuch'], 2, 'there is no task at '],
  ['tollgate', ['explain', '--stage'], 2, '--stage needs a value'],
  ['tollgate', ['budget', 'nosuch'], 2, 'there is no task at '],
  ['tollgate', ['budget', 'nosuch', '--set', 'x'], 2, '--set takes a whole number from 0, not "x"'],
  ['tollgate', ['report', '/nosuch'], 2, ''],
  ['tollgate', ['report', '--since', '3x'], 2, '--since takes a duration such as 24h or 7d, not "3x"'],
  ['tollgate', ['archive', '--older'], 2, 'unknown flag --older'],
  ['tollgate', ['archive', 'nosuch'], 2, ''],
  ['tollgate', ['scope', 'ask', 'a.ts'], 2, '--task is required where TOLLGATE_TASK does not name the task'],
  ['tollgate', ['scope', 'akk', 'a.ts'], 2, 'unknown word "akk"; did you mean ask?'],
  ['tollgate', ['triage', '/nosuch', '--tool', 'codex'], 2, '/nosuch cannot be read (ENOENT)'],
  ['tollgate', ['signature', '/nosuch'], 2, '/nosuch cannot be read (ENOENT)'],
  ['tollgate', ['init'], 2, 'the task (an id, or a path with a /) is missing'],
  [
    'tollgate',
    ['init', 'fix', '--pipeline', 'safe_imp'],
    2,
    'there is no pipeline "safe_imp"; did you mean safe_impl?',
  ],
  ['tollgate', ['wait'], 2, 'no task is named: give --task-1-done FILE, '],
  ['tollgate', ['preflight', '--no-such'], 2, 'unknown flag --no-such'],
  ['tollgate', ['preflight', '--tools', 'codx'], 2, '--tools: "codx" is not one of gemini, copilot, codex'],
  ['tollgate', ['nosuch'], 2, 'unknown command "nosuch"; tollgate --help lists the commands'],
  ['tollgate', ['expain'], 2, 'unknown command "expain"; did you mean explain?'],
  ['wait_parallel_tasks', [], 2, 'no task is named: give --task-1-done FILE, '],
  ['preflight', ['one'], 2, '"one" is one word too many'],
  ['gemini_headless', [], 11, 'there is no prompt: '],
  ['gemini_headless', ['--no-such'], 11, 'unknown flag --no-such'],
  ['copilot_tool', [], 31, 'there is no prompt: '],
  ['run_codex', [], 2, 'there is no prompt: '],
  ['run_codex', ['--prompt-file=a', '--out=b', '--err=c', '--stage=x'], 2, '--stage needs --task'],
];
for (const [command, argv, exit, message] of ROWS)
  test(`${[command, ...argv].join(' ')} --json`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run(command, [...argv, '--json']);
    assert.match(stdout, /^\{.*\}\n$/);
    const { task_id: _, next_actions, ...answer } = JSON.parse(stdout);
    assert.equal(answer, { schema: 1, state: 'refused', exit_code: exit, message: answer.message });
    assert.ok(next_actions.length > 0, 'what to do next is said');
    assert.is(code, exit);
    assert.ok(answer.message.startsWith(message), answer.message);
    assert.ok(stderr.includes(`: ${answer.message}`), stderr);
    assert.not.match(answer.message, /^tollgate|\n|Usage:/);
  });

const PLAIN: [what: string, argv: string[]][] = [
  ['without --json', ['explain', 'nosuch']],
  ['--json after -- is a word', ['scope', 'ask', '--', '--json']],
  ['--jsonl answers by the line', ['triage', '/nosuch', '--jsonl', '--json']],
];
for (const [what, argv] of PLAIN)
  test(`${what}: nothing on stdout`, async ({ rig }) => {
    const { code, stdout } = await rig.run('tollgate', argv);
    assert.equal([code, stdout], [2, '']);
  });

test.run();
