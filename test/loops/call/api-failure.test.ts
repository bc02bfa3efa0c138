// Every failure of the service is in api_errors.log before its record is anywhere, without secrets; and the log never costs a verdict.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiError, ApiOutcome } from '../../../policies/api-errors/entry.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { logFiles, readData, readLog } from '../../../state/api-errors/read.ts';
import { type Fault, faultEnv } from '../../rig/fault-shim.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { where } from '../../rig/where-possible.ts';
import { runWrapper } from '../../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('API failures');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const stateOf = (rig: TestRig) => path.join(rig.project, '.tmp/state');
const MISMATCH = 'number of function response parts is not equal to the number of function call parts';
const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

/** codex warns of its retries besides. */
const aboutTheLog = ({ warnings }: CallRecord) => warnings.filter((warning) => warning.includes('API failure'));

function logged(rig: TestRig) {
  const found = logFiles(stateOf(rig)).flatMap((file) => [...readLog(file)]);
  return {
    entries: found.flatMap((one): (ApiError & { data: unknown })[] =>
      one.how === 'entry' ? [{ ...one.entry, data: JSON.parse(readData(one.file, one.data)!) }] : [],
    ),
    outcomes: found.flatMap((one): ApiOutcome[] => (one.how === 'outcome' ? [one.outcome] : [])),
    corrupt: found.filter(({ how }) => how === 'invalid').length,
  };
}

for (const [tool, status, errorClass, reason] of [
  ['gemini', 400, 'tooling', 'broken_history'],
  ['copilot', 500, 'transient', 'server_error'],
  ['codex', 429, 'transient', 'rate_limit'],
  ['claude', 500, 'transient', 'server_error'],
] as const)
  test(`${tool}: a ${status} is there with all that is known of it`, async ({ rig }) => {
    const message = `${status} ${status === 400 ? MISMATCH : 'Too Many Requests'.slice(status === 429 ? 0 : 20)}`;
    rig.answer(() => failWith(tool, status === 500 ? '500 Internal Server Error' : message, status));
    mkdirSync(stateOf(rig), { recursive: true });
    const { record } = await runWrapper(rig, tool, [], 'Say PROMPTWORD.\n').ended();
    const { entries, corrupt } = logged(rig);
    assert.equal([entries.length, corrupt, aboutTheLog(record)], [1, 0, []]);
    const { context, response, message: said, data } = entries[0]!;
    assert.equal([context.class, context.reason], [errorClass, reason]);
    assert.equal(
      [context.call_id, context.tool, context.session_id, context.signature, context.cli_version],
      [record.call_id, tool, record.session_id, record.signature, record.cli_version],
    );
    assert.is(context.rule, record.verdict.evidence!.rule);
    assert.match(said, status === 500 ? 'Internal Server Error' : message.slice(4));
    assert.match(JSON.stringify(response.events.at(-1)), tool === 'copilot' ? '"exitCode":1' : said.slice(0, 20));
    assert.match(JSON.stringify(data), 'PROMPTWORD');
    const beside = readdirSync(path.join(stateOf(rig), 'api_errors'));
    assert.equal(beside, [`${entries[0]!.at.slice(0, 10)}.${tool}.${record.session_id}.log`]);
    const [whole, own] = ['api_errors.log', `api_errors/${beside[0]}`].map((name) =>
      readFileSync(path.join(stateOf(rig), name), 'utf8'),
    );
    assert.is(own, whole);
  });

test('secrets are nowhere in it', async ({ rig }) => {
  const secret = 'hunter2-correct-horse';
  rig.env.SERVICE_PASSWORD = secret;
  mkdirSync(stateOf(rig), { recursive: true });
  rig.answer((call) => [
    write(STREAMS.gemini.opens(SESSION)),
    {
      do: 'save',
      file: path.join(call.report.env.TMPDIR!, 'gemini-client-error-Turn-2026-11-22T10-00-00-000Z.json'),
      text: JSON.stringify({
        error: { message: 'x', stack: `Error: ${secret}\n    at y` },
        context: [{ role: 'user', parts: [{ text: `my key is ${secret}` }] }, { password: 12345678 }],
      }),
    },
    { do: 'write', to: 'stderr', text: `Error: 500 with ${secret}\n` },
    ...failWith('gemini', `500 Internal Server Error ${secret}`, 500).slice(0),
  ]);
  await runWrapper(rig, 'gemini', [], `ghp_${'a'.repeat(36)} ${secret}\n`).ended();
  const { entries } = logged(rig);
  const text = readFileSync(path.join(stateOf(rig), 'api_errors.log'), 'utf8');
  assert.not.match(text, secret);
  assert.not.match(text, '12345678');
  assert.not.match(text, 'ghp_');
  assert.match(entries[0]!.stack!, /^Error: \[REDACTED:SERVICE_PASSWORD\]\n {4}at y$/);
  assert.equal(entries[0]!.data, [
    { role: 'user', parts: [{ text: 'my key is [REDACTED:SERVICE_PASSWORD]' }] },
    { password: (entries[0]!.data as { password: string }[])[1]!.password },
  ]);
  assert.is(statSync(path.join(stateOf(rig), 'api_errors.log')).mode & 0o777, 0o600);
});

test('what stays of a CLI’s own report in the attempt is private and holds no secret', async ({ rig }) => {
  const secret = 'hunter2-correct-horse';
  rig.env.SERVICE_PASSWORD = secret;
  const name = 'gemini-client-error-Turn-2026-11-22T10-00-00-000Z.json';
  rig.answer((call) => [
    write(STREAMS.gemini.opens(SESSION)),
    {
      do: 'save',
      file: path.join(call.report.env.TMPDIR!, name),
      text: JSON.stringify({ context: [{ text: `my key is ${secret}` }], padding: 'x'.repeat(100_000) }),
    },
    ...failWith('gemini', '500 Internal Server Error', 500),
  ]);
  makeTask(rig, { stages: [{ tool: 'gemini', role: 'brief' }] });
  const { record } = await runWrapper(rig, 'gemini', ['--task=fix', '--stage=gemini_brief']).ended();
  const kept = path.join(rig.project, '.tmp/task/fix/state/attempts', record.call_id, name);
  assert.is(statSync(kept).mode & 0o777, 0o600);
  assert.equal(JSON.parse(readFileSync(kept, 'utf8')).context, [{ text: 'my key is [REDACTED:SERVICE_PASSWORD]' }]);
});

test('a call without a task makes no state of its own', async ({ rig }) => {
  rig.answer(() => failWith('codex', MISMATCH, 400));
  await runWrapper(rig, 'codex').ended();
  assert.not(existsSync(path.join(rig.project, '.tmp')));
});

test('a success, a missing binary and a stop leave no entry', async ({ rig }) => {
  mkdirSync(stateOf(rig), { recursive: true });
  rig.answer(() => answerWith('codex', 'ok'));
  await runWrapper(rig, 'codex').ended();
  rig.uninstall('gemini');
  await runWrapper(rig, 'gemini').ended();
  assert.equal(readdirSync(stateOf(rig)), []);
});

test('with a task it stands in the state that the task lies in, wherever its CLI works', async ({ rig }) => {
  rig.answer(() => failWith('codex', MISMATCH, 400));
  mkdirSync(path.join(rig.root, 'elsewhere'));
  makeTask(rig, ONE);
  await runWrapper(rig, 'codex', ['--task', '.tmp/task/fix', '--cwd', path.join(rig.root, 'elsewhere')]).ended();
  const { context } = logged(rig).entries[0]!;
  assert.equal([context.task, context.stage, context.run_id], ['fix', 'codex_adhoc', null]);
});

test('a retry that is answered heals it; one that fails ended the stage', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  rig.answer(() =>
    rig.calls.length === 1 ? failWith('codex', '500 Internal Server Error', 500) : answerWith('codex', 'ok'),
  );
  assert.is((await task.run()).code, 0);
  const [healed] = logged(rig).entries;
  assert.equal(
    logged(rig).outcomes.map(({ call_id, how }) => [call_id, how]),
    [[healed!.context.call_id, 'recovered']],
  );
  rig.answer(() => failWith('codex', '500 Internal Server Error', 500));
  assert.is((await task.run('--redo', 'codex_brief')).code, 1);
  const { entries, outcomes } = logged(rig);
  assert.equal(
    outcomes.map(({ call_id, how }) => [call_id, how]),
    [
      [healed!.context.call_id, 'recovered'],
      [entries[1]!.context.call_id, 'retried'],
      [entries[2]!.context.call_id, 'unrecovered'],
    ],
  );
});

test('an answer that the gate refuses heals it all the same, and a stop says nothing yet', async ({ rig }) => {
  const strict = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', requires: [], min_lines: 50 }] }, 'strict');
  const failing = failWith('codex', '500 Internal Server Error', 500);
  rig.answer(() => (rig.calls.length === 1 ? failing : answerWith('codex', 'ok')));
  assert.is((await strict.run()).code, 1);
  assert.equal(
    logged(rig).outcomes.map(({ how }) => how),
    ['recovered'],
  );
  const task = makeTask(rig, ONE);
  const hanging = new Promise<void>((resolve) =>
    rig.answer((call) => {
      if (rig.calls.length === 3) return failing;
      resolve();
      return call.tell({ do: 'hang' });
    }),
  );
  const running = task.start();
  await hanging;
  running.signal('SIGTERM');
  await running.result;
  assert.equal([logged(rig).entries.length, logged(rig).outcomes.length], [2, 1]);
  rig.answer(() => answerWith('codex', 'ok'));
  assert.is((await task.run()).code, 0);
  assert.equal(
    logged(rig).outcomes.map(({ how }) => how),
    ['recovered', 'recovered'],
  );
});

const UNWRITABLE: readonly [what: string, plant: (state: string, rig: TestRig) => void, said: RegExp][] = [
  [
    'a link',
    (state, rig) => symlinkSync(rig.write('aim', 'whose'), path.join(state, 'api_errors.log')),
    /no regular file/,
  ],
  ['a file for its folder', (state) => rigWrite(path.join(state, 'api_errors')), /EEXIST|ENOTDIR/],
  ['no space', (state, rig) => fault(rig, { under: state, does: 'ENOSPC', at: 1, times: 0 }), /ENOSPC/],
  [
    'half of the space',
    (state, rig) => fault(rig, { under: state, does: 'SHORT', at: 1, times: 0 }),
    /could be written|ENOSPC/,
  ],
];
const rigWrite = (file: string) => void spawnSync('touch', [file]);
const fault = (rig: TestRig, told: Partial<Fault>) =>
  Object.assign(rig.env, faultEnv({ in: 'run_codex.cjs', ...told }));

for (const [what, plant, said] of UNWRITABLE)
  (what.includes('sp') ? withFaults : test)(
    `${what}: one warning in the record, and the verdict stands`,
    async ({ rig }) => {
      mkdirSync(stateOf(rig), { recursive: true });
      plant(stateOf(rig), rig);
      rig.answer(() => failWith('codex', MISMATCH, 400));
      const { code, record } = await runWrapper(rig, 'codex').ended();
      assert.equal([code, record.verdict.reason, aboutTheLog(record).length], [12, 'broken_history', 1]);
      assert.match(aboutTheLog(record)[0]!, /^the API failure could not be logged whole: /);
      assert.match(aboutTheLog(record)[0]!, said);
      if (what === 'a link') assert.is(readFileSync(path.join(rig.project, 'aim'), 'utf8'), 'whose');
    },
  );

withFaults(
  'it is logged before the record is published, and once although another settles the call',
  async ({ rig }) => {
    rig.answer(() => failWith('codex', MISMATCH, 400));
    const task = makeTask(rig, ONE);
    const outputs = path.join(task.folder, 'outputs');
    mkdirSync(outputs);
    const clean = { ...rig.env };
    // The first thing that is published there is the record.
    fault(rig, { under: outputs, does: 'KILL', at: 1 });
    const running = runWrapper(rig, 'codex', ['--task', 'fix', '--stage', 'codex_brief']).running;
    assert.is((await running.result).code, null);
    for (const name of Object.keys(rig.env)) if (!(name in clean)) delete rig.env[name];
    assert.equal([readdirSync(outputs), logged(rig).entries.length], [[], 1]);
    rig.answer(() => answerWith('codex', 'ok'));
    assert.is((await task.run()).code, 0);
    assert.match(task.read('outputs/codex_brief.codex.call.json'), '"ending": "exited"');
    assert.is(rig.calls.length, 2);
    assert.is(logged(rig).entries.length, 1);
  },
);

withFaults(
  'who settles a call that died while it was logged logs it, and says nothing that a secret may stand in',
  async ({ rig }) => {
    rig.answer(() => failWith('codex', `${MISMATCH} hunter2-correct-horse`, 400));
    const task = makeTask(rig, ONE);
    mkdirSync(stateOf(rig), { recursive: true });
    const clean = { ...rig.env };
    rig.env.SERVICE_PASSWORD = 'hunter2-correct-horse';
    fault(rig, { under: stateOf(rig), does: 'KILL', at: 1 });
    const running = runWrapper(rig, 'codex', ['--task', 'fix', '--stage', 'codex_brief']).running;
    assert.is((await running.result).code, null);
    for (const name of Object.keys(rig.env)) if (!(name in clean)) delete rig.env[name];
    assert.equal(readdirSync(stateOf(rig)), []);
    rig.answer(() => answerWith('codex', 'ok'));
    assert.is((await task.run()).code, 0);
    const { entries } = logged(rig);
    assert.equal([entries.length, entries[0]!.data, entries[0]!.context.reason], [1, null, 'broken_history']);
    assert.match(entries[0]!.message, /^\[withheld: SERVICE_PASSWORD of the call's environment is not set here/);
    const text = readFileSync(path.join(stateOf(rig), 'api_errors.log'), 'utf8');
    assert.not.match(text, 'hunter2');
  },
);

test.run();
