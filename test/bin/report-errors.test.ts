// tollgate report --errors and --health over real runs and over logs that are torn, put aside or large.

import { appendFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { layOut, layOutOutcome } from '../../policies/api-errors/log-format.ts';
import { appendToLog } from '../../state/api-errors/append.ts';
import { validatorOf } from '../rig/schemas/validator.ts';
import { failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';
import { entryOf } from '../state/api-errors/entries.ts';

const test = suite<{ rig: TestRig }>('tollgate report --errors');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const [ERRORS, HEALTH] = [validatorOf('ERRORS_SCHEMA'), validatorOf('HEALTH_SCHEMA')] as const;

const stateOf = (rig: TestRig) => path.join(rig.project, '.tmp/state');
const MISMATCH = 'number of function response parts is not equal to the number of function call parts';
const DAY_MS = 86_400_000;

async function report(rig: TestRig, ...flags: string[]) {
  const { code, stdout, stderr } = await rig.run('tollgate', ['report', ...flags]);
  assert.is(stderr, '');
  assert.is(code, 0);
  return stdout;
}

/** Entries so many days old, the oldest first. */
function plant(rig: TestRig, ...rows: { ageDays: number; id: string; more?: Parameters<typeof entryOf>[2] }[]): void {
  for (const { ageDays, id, more } of rows) {
    const [error, snapshot, data] = entryOf(id, `status 500 of ${id}`, more);
    const at = new Date(Date.now() - ageDays * DAY_MS).toISOString();
    appendToLog(stateOf(rig), 'api_errors.log', layOut({ ...error, at }, snapshot, data), () => new Date());
  }
}

test('a project without a log says since when it looks', async ({ rig }) => {
  assert.is(await report(rig, '--errors'), `No API failure in ${stateOf(rig)}\n`);
  assert.match(
    await report(rig, '--health'),
    /^No API failure at all is logged in .* \(looked at since 20\d\d-.*Z\)\n/,
  );
});

test('a run and a call on its own: what, where, with what, and what became of it', async ({ rig }) => {
  rig.answer(({ report: { tool } }) => failWith(tool, MISMATCH, 400));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  await task.run();
  await runWrapper(rig, 'gemini').ended();
  const text = await report(rig, '--errors');
  assert.is(
    text
      .replaceAll(rig.project, 'PROJECT')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/\d{14}-[0-9a-f]{8}/g, 'CALL')
      .replace(/(codex|gemini) \d[\d.]*/g, '$1 VERSION')
      .replace(/\d+ bytes/g, 'N bytes')
      .replace(/ \((?:only what was sent: )[^)]*\)/g, ' (LESS)'),
    `TIME  fix/codex_brief  codex VERSION  tooling (broken_history)  NOT RECOVERED
  ${MISMATCH}
  call CALL, session 00000000-0000-4000-8000-000000000001
  conversation of the prompt alone (N bytes) in PROJECT/.tmp/state/api_errors.log (LESS)

TIME  a call without a task  gemini VERSION  tooling (broken_history)  NOT RECOVERED
  400: ${MISMATCH}
  call CALL, session 00000000-0000-4000-8000-000000000001
  conversation of the prompt alone (N bytes) in PROJECT/.tmp/state/api_errors.log (LESS)

2 API failures in PROJECT/.tmp/state
`,
  );
  const printed = await report(rig, '--errors', '--json', '--last', '1', '--full');
  assert.ok(ERRORS(JSON.parse(printed)), JSON.stringify(ERRORS.errors));
  const last = JSON.parse(printed);
  assert.equal([last.schema, last.errors.length, last.left_out], [1, 1, 1]);
  assert.equal(
    [last.errors[0].tool, last.errors[0].stand, last.errors[0].conversation[0].prompt],
    ['gemini', 'unrecovered', 'Say hello.\n'],
  );
  const whole = await report(rig, '--errors', '--full');
  const log = readFileSync(path.join(stateOf(rig), 'api_errors.log'), 'utf8');
  for (const entry of log.trimEnd().split('\n\n'))
    if (!entry.includes('] OUTCOME: ')) assert.ok(whole.includes(entry), entry);
  for (const word of ['.tmp', '.tmp/task', '.tmp/task/fix', '.tmp/state', '.'])
    assert.is(await report(rig, '--errors', word), text, word);
  assert.match(await report(rig, '--health'), /^0 days without a failure that Tollgate could not recover/);
});

test('a log that is no file is told, and not taken for no failure at all', async ({ rig }) => {
  mkdirSync(stateOf(rig), { recursive: true });
  writeFileSync(path.join(rig.root, 'elsewhere'), '');
  symlinkSync(path.join(rig.root, 'elsewhere'), path.join(stateOf(rig), 'api_errors.log'));
  assert.match(
    await report(rig, '--errors'),
    /1 entry is torn, unreadable or .*, and passed over: .*api_errors\.log, byte 0\n$/,
  );
  assert.match(await report(rig, '--health'), /1 entry could not be read and is not counted/);
});

test('torn entries are passed over with a word, logs that were put aside are read', async ({ rig }) => {
  plant(rig, { ageDays: 3, id: 'old' });
  const log = path.join(stateOf(rig), 'api_errors.log');
  appendFileSync(log, layOut(...entryOf('torn')).slice(0, 200));
  renameSync(log, path.join(stateOf(rig), 'api_errors.2026-11-20T10-00-00-000Z.log'));
  plant(rig, { ageDays: 0, id: 'new' });
  const text = await report(rig, '--errors');
  assert.match(text, /call old,[\s\S]*call new,[\s\S]*2 API failures/);
  assert.match(text, /1 entry is torn, unreadable or of a newer version, and passed over: .*00Z\.log, byte \d+\n$/);
  assert.not.match(await report(rig, '--errors', '--since', '24h'), /call old/);
});

test('health: days without, a table by day and one by tool and version', async ({ rig }) => {
  plant(
    rig,
    { ageDays: 40, id: 'a', more: { tool: 'gemini', cli_version: '0.61.0' } },
    { ageDays: 7.5, id: 'b', more: { run_id: null } },
    { ageDays: 2, id: 'c' },
    { ageDays: 2, id: 'd', more: { class: 'quota', reason: 'plan' } },
    { ageDays: 1, id: 'e' },
  );
  const noted = { at: new Date().toISOString(), call_id: 'c', how: 'recovered', why: 'a retry' } as const;
  appendToLog(stateOf(rig), 'api_errors.log', layOutOutcome(noted), () => new Date());
  const [said, ...tables] = (await report(rig, '--health')).split('\n\n');
  assert.match(said!, /^7 days without a failure that Tollgate could not recover \(the last: .*Z\)$/);
  const days = [7.5, 2, 1].map((age) => new Date(Date.now() - age * DAY_MS).toISOString().slice(0, 10));
  assert.is(
    tables.slice(0, 2).join('\n\n'),
    `DAY         UNRECOVERED  RECOVERED  USER'S  OPEN
${days[0]}  1            0          0       0
${days[1]}  0            1          1       0
${days[2]}  0            0          0       1

TOOL   VERSION  UNRECOVERED  RECOVERED  USER'S  OPEN
codex  0.101.0  1            1          1       1`,
  );
  const printed = await report(rig, '--health', '--json', '--since', '60d');
  assert.ok(HEALTH(JSON.parse(printed)), JSON.stringify(HEALTH.errors));
  const json = JSON.parse(printed);
  assert.equal(
    [json.schema, json.days_without, json.total],
    [1, 7, { unrecovered: 1, recovered: 1, users: 1, open: 2 }],
  );
});

test('flags that contradict each other cost nothing', async ({ rig }) => {
  for (const [flags, said] of [
    [['--errors', '--health'], '--errors and --health do not go together; leave one of them out'],
    [['--errors', '--format', 'md'], '--errors and --format do not go together; leave one of them out'],
    [['--health', '--failed'], '--health and --failed do not go together; leave one of them out'],
    [['--health', '--full'], '--health and --full do not go together; leave one of them out'],
    [['--last', '3'], '--last needs --errors'],
    [['--errors', '--since', 'soon'], '--since takes a duration such as 24h or 7d, not "soon"'],
    [['--errors', 'nowhere'], 'nowhere holds no state; name a project, or leave it out for the one you are in'],
  ] as const) {
    const { code, stdout, stderr } = await rig.run('tollgate', ['report', ...flags]);
    assert.equal([code, stdout, stderr], [2, '', `tollgate report: ${said}\n`]);
  }
});

test('100 MB of logs are read in little memory', async ({ rig }) => {
  mkdirSync(stateOf(rig), { recursive: true });
  const [error, snapshot] = entryOf('c');
  for (const [i, megabytes] of [9, 9, 9, 9, 64].entries()) {
    const context = { ...error.context, call_id: `c${i}` };
    const text = layOut({ ...error, context }, snapshot, JSON.stringify(['x'.repeat(megabytes * 1024 * 1024)]));
    appendToLog(stateOf(rig), 'api_errors.log', text, () => new Date());
  }
  // A heap in which not one of the conversations has room.
  rig.env.NODE_OPTIONS = '--max-old-space-size=24';
  assert.match(await report(rig, '--errors'), /5 API failures/);
  assert.match(await report(rig, '--health'), /OPEN/);
});

test.run();
