// Caps of one call: it is ended before its next request once it has used its tokens or dollars, and what is counted is recorded.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { limitsFiles } from '../../state/limits/limits-folder.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { beginningOf, sessionFile } from '../rig/session-files.ts';
import { answerWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, killWithGuardian, makeTask, untilStarted } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('caps');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const MODEL = 'priced-model';

/** One counted request in a session's file: 11 tokens in, 7 out. */
const COUNTED: Record<Exclude<BuiltIn, 'claude'>, (n: number, timestamp: string) => object> = {
  codex: (n, timestamp) => ({
    timestamp,
    type: 'token_usage_record',
    payload: { response_id: `resp_${n}`, usage: { input_tokens: 11, cached_input_tokens: 0, output_tokens: 7 } },
  }),
  gemini: (n, timestamp) => ({
    id: `message-${n}`,
    timestamp,
    type: 'gemini',
    content: '',
    tokens: { input: 11, output: 7, cached: 0, thoughts: 0, tool: 0, total: 18 },
    model: MODEL,
  }),
  copilot: (n, timestamp) => ({
    type: 'session.usage_record',
    id: `event-${n}`,
    timestamp,
    data: { usage: { model: MODEL, inputTokens: 11, outputTokens: 7, cacheReadTokens: 0 } },
  }),
};

/** The same in the stream of claude, whose first event has the tokens of the prompt. */
const streamed = (n: number): string[] => [
  JSON.stringify({ type: 'system', subtype: 'status', status: 'requesting' }),
  ...[
    { type: 'message_start', message: { model: MODEL, usage: { input_tokens: 11, output_tokens: 1 } } },
    { type: 'message_delta', usage: { output_tokens: 7 } },
  ].map((event) => JSON.stringify({ type: 'stream_event', event, api_message_id: `msg_${n}` })),
];

/** The CLI makes this many requests, each of which calls a tool. */
async function makeRequests(rig: TestRig, fake: FakeCall, tool: BuiltIn, requests: number) {
  const { opens, runsTool } = STREAMS[tool];
  const numbers = Array.from({ length: requests }, (_, i) => i + 1);
  if (tool !== 'claude') {
    const chosen = fake.report.argv.map((word) => /[\da-f]{8}-[\da-f-]{27}$/.exec(word)?.[0]).find(Boolean);
    const id = tool === 'copilot' ? chosen! : SESSION;
    const file = sessionFile(tool, rig.env.HOME!, id);
    mkdirSync(path.dirname(file), { recursive: true });
    const old = COUNTED[tool](0, '2026-01-01T00:00:00.000Z');
    const now = new Date().toISOString();
    const counted = [old, ...numbers.map((n) => COUNTED[tool](n, now))].map((row) => JSON.stringify(row));
    writeFileSync(file, [...beginningOf(tool, id, rig.project), ...counted].map((line) => `${line}\n`).join(''));
    if (tool === 'gemini') {
      writeFileSync(path.join(rig.env.HOME!, '.gemini/tmp/project/.project_root'), rig.project);
      const projects = { projects: { [rig.project]: 'project' } };
      writeFileSync(path.join(rig.env.HOME!, '.gemini/projects.json'), JSON.stringify(projects));
    }
  }
  const lines = numbers.flatMap((n) => [...(tool === 'claude' ? streamed(n) : []), ...runsTool('ok')]);
  await fake.tell(write([...opens(SESSION), ...lines]));
}

for (const tool of TOOLS) {
  test(`${tool}: a call over its tokens is ended, and what its requests used is recorded`, async ({ rig }) => {
    const running = runWrapper(rig, tool, ['--max-tokens=40', '--access=full']);
    const fake = await rig.call();
    await makeRequests(rig, fake, tool, 3);
    void fake.tell({ do: 'hang' });
    const { code, said, record } = await running.ended();
    const { verdict, ending, usage } = record;
    assert.equal(
      [code, ending, verdict.class, verdict.reason],
      [WRAPPER_EXIT[tool].failure, 'over_cap', 'quota', 'budget'],
    );
    assert.match(verdict.evidence!.text, /^the call used 54 tokens; it may use 40 tokens \(--max-tokens\)$/);
    assert.match(said, /make the task smaller/);
    assert.equal([usage.total_tokens, usage.input_tokens, usage.output_tokens], [54, 33, 21]);
    assert.equal(rig.survivors(), []);
  });

  test(`${tool}: below its cap, a call ends by itself`, async ({ rig }) => {
    const running = runWrapper(rig, tool, ['--max-tokens=55', '--access=full']);
    const fake = await rig.call();
    await makeRequests(rig, fake, tool, 3);
    const { says, succeeds } = STREAMS[tool];
    await fake.tell(write([...says('The answer.'), ...succeeds(SESSION)]), { do: 'exit', code: 0 });
    const { code, record, out } = await running.ended();
    assert.equal([code, record.ending, out], [0, 'exited', 'The answer.']);
    assert.not.match(record.warnings.join(), 'tokens');
  });
}

test('an answer that is complete when the cap is reached counts, with a warning', async ({ rig }) => {
  const running = runWrapper(rig, 'claude', ['--max-tokens=10']);
  const fake = await rig.call();
  const { opens, says, succeeds } = STREAMS.claude;
  const lines = [...opens(SESSION), ...streamed(1), ...says('The answer.'), ...succeeds(SESSION)];
  await fake.tell(write(lines), { do: 'exit', code: 0 });
  const { code, record, out } = await running.ended();
  assert.equal([code, out], [0, 'The answer.']);
  assert.equal(record.warnings, [
    'the answer was complete, but the call used 18 tokens; it may use 10 tokens (--max-tokens)',
  ]);
});

test('a cap in dollars counts by the prices of the project', async ({ rig }) => {
  rig.write('tollgate.yaml', `prices: {${MODEL}: {input: 1, output: 1}}\n`);
  const running = runWrapper(rig, 'gemini', ['--max-usd=0.00002', `--model=${MODEL}`, '--access=full']);
  const fake = await rig.call();
  await makeRequests(rig, fake, 'gemini', 2);
  void fake.tell({ do: 'hang' });
  const { record } = await running.ended();
  assert.match(record.verdict.evidence!.text, 'the call used $0.000036; it may use $0.000020 (--max-usd)');
});

test('without a price a cap in dollars is refused, and nothing is called', async ({ rig }) => {
  for (const [flags, message] of [
    [['--max-usd=1'], /needs the price of the model that codex uses/],
    [['--max-usd=1', '--model=unknown'], /needs the price of the model unknown/],
    [['--max-usd=nothing'], /takes dollars above 0, such as 2\.50, not "nothing"/],
    [['--max-usd=0'], /takes dollars above 0/],
    [['--max-usd=-1'], /takes dollars above 0/],
    [['--max-tokens=0'], /max-tokens/],
  ] as const) {
    const { code, said } = await runWrapper(rig, 'codex', [...flags]).ended();
    assert.is(code, WRAPPER_EXIT.codex.badInput, flags.join(' '));
    assert.match(said, message);
  }
  assert.is(rig.calls.length, 0);
});

test('claude keeps a cap in dollars by its own prices, and an answer that was complete counts', async ({ rig }) => {
  const running = runWrapper(rig, 'claude', ['--max-usd=0.5']);
  const fake = await rig.call();
  assert.ok(fake.report.argv.includes('--max-budget-usd=0.500000'));
  const { opens, says } = STREAMS.claude;
  const result = { type: 'result', subtype: 'error_max_budget_usd', is_error: true, session_id: SESSION };
  const ended = { ...result, errors: ['Reached maximum budget ($0.5)'], stop_reason: 'end_turn' };
  await fake.tell(write([...opens(SESSION), ...says('All.'), JSON.stringify(ended)]), { do: 'exit', code: 1 });
  const { code, out, record } = await running.ended();
  assert.equal([code, out], [0, 'All.']);
  assert.ok(record.warnings.some((warning) => warning.includes('Reached maximum budget')));
});

test('a call of a stage may use what remains of its task', async ({ rig }) => {
  const stages = [{ tool: 'claude', role: 'brief', ...ANY_ANSWER }];
  const task = makeTask(rig, { stages, budgets: { max_tokens: 40 } });
  const running = task.run();
  const fake = await rig.call();
  await makeRequests(rig, fake, 'claude', 3);
  void fake.tell({ do: 'hang' });
  const { code, summary } = await running;
  const failure = task.failure()!;
  assert.equal([code, failure.class, failure.reason], [1, 'quota', 'budget']);
  assert.match(summary, "the call used 54 tokens; it may use 40 tokens (what remained of its task's budget)");
  assert.ok(failure.next_actions.some(({ text }) => text.includes('budgets.max_tokens')));
  assert.not.ok(failure.next_actions.some(({ text }) => text.includes('more calls')));
  // The next run does not pay while nothing remains.
  assert.is((await task.run()).code, 1);
  assert.is(rig.calls.length, 1);
});

test('a wrapper that charges a task may use what remains of its tokens, and then makes no call', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief' }], budgets: { max_tokens: 58 } });
  const flags = ['--task=fix', '--access=full'];
  const first = runWrapper(rig, 'codex', flags);
  await (await rig.call()).tell(...answerWith('codex', 'first'));
  assert.is((await first.ended()).record.usage?.total_tokens, 18);
  const running = runWrapper(rig, 'codex', flags);
  const fake = await rig.call();
  await makeRequests(rig, fake, 'codex', 3);
  void fake.tell({ do: 'hang' });
  const capped = await running.ended();
  assert.match(capped.record.verdict.evidence!.text, "it may use 40 tokens (what remained of its task's budget)");
  const offered = capped.record.next_actions!.map(({ text }) => text).join();
  assert.match(offered, 'raise `budgets.max_tokens` or `budgets.max_usd` in the manifest');
  assert.not.match(offered, '--max-tokens');
  const { code, said, record } = await runWrapper(rig, 'codex', flags).ended();
  assert.equal([code, record.ending, record.verdict.reason], [12, 'not_started', 'budget']);
  assert.match(said, /the budget of task fix is used up: 72 of 58 tokens are used up; nothing was started/);
  assert.not.match(said, '--set');
  assert.is(rig.calls.length, 2);
  // Nothing is reserved for a call that is refused.
  assert.is(task.read('state/journal.jsonl').split('"reserved"').length, 3);
});

test('a stage that works in a folder outside the project has the prices of its project', async ({ rig }) => {
  rig.write('tollgate.yaml', `prices: {${MODEL}: {input: 1, output: 1}}\n`);
  const elsewhere = path.join(rig.root, 'elsewhere');
  mkdirSync(elsewhere);
  const stages = [{ tool: 'codex', role: 'brief', model: MODEL, ...ANY_ANSWER }];
  const task = makeTask(rig, { stages, cwd: elsewhere, budgets: { max_usd: 0.00002 } });
  const running = task.run('--trust-workspace');
  const fake = await rig.call();
  await makeRequests(rig, fake, 'codex', 2);
  void fake.tell({ do: 'hang' });
  const { summary } = await running;
  assert.match(summary, 'the call used $0.000036; it may use $0.000020');
});

test('the cap of a call whose guardian was killed stays in force', async ({ rig }) => {
  const stages = [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }];
  const task = makeTask(rig, { stages, budgets: { max_tokens: 40 } });
  const first = task.start();
  const fake = await rig.call();
  await untilStarted(task);
  const { reserved } = await killWithGuardian(task, first);
  const next = task.start();
  await next.says(/lost its guardian and still works/);
  await makeRequests(rig, fake, 'codex', 3);
  void fake.tell({ do: 'hang' });
  assert.is((await next.result).code, 1);
  const record = JSON.parse(task.read(`state/attempts/${reserved.call_id}/record.json`)) as CallRecord;
  assert.equal([record.ending, record.verdict.class, record.verdict.reason], ['over_cap', 'quota', 'budget']);
  // Nothing remains for another call.
  assert.is(rig.calls.length, 1);
});

test('a described CLI is ended by what it counts itself', async ({ rig }) => {
  const step = [{ type: 'tool' }, { type: 'step', tokens: { input: 11, output: 7 } }];
  const lines = step.map((line) => `echo '${JSON.stringify(line)}'`).join('; ');
  const script = `#!/bin/sh\nfor _ in 1 2 3; do ${lines}; done\nexec sleep 100\n`;
  chmodSync(rig.write('mine.sh', script), 0o755);
  const event = '{ when: { type: step }, tokens: { input: tokens.input, output: tokens.output }, adds: true }';
  const row = `tools:\n  mine:\n    binary: ./mine.sh\n    output: lines\n    events: [${event}, { when: { type: tool }, tool: type }, { when: { type: end }, answer: text, completed: true }]\n`;
  rig.write('tollgate.yaml', row);
  const argv = ['call', 'mine', 'Hi', '--trust-workspace', '--max-tokens=40', '--json'];
  const { code, stdout } = await rig.start('tollgate', argv).result;
  const { ending, verdict } = JSON.parse(stdout) as CallRecord;
  assert.equal([code, ending], [12, 'over_cap']);
  assert.is(verdict.evidence!.text, 'the call used 54 tokens; it may use 40 tokens (--max-tokens)');
  assert.equal(rig.survivors(), []);
});

test('a call may use what remains of the limits over all tasks', async ({ rig }) => {
  const { folder, limits } = limitsFiles(rig.env)!;
  mkdirSync(folder, { recursive: true });
  writeFileSync(limits, JSON.stringify({ budgets: [{ per: 'day', tool: 'any', tokens: 40 }] }));
  const running = runWrapper(rig, 'codex', ['--max-tokens=1000', '--access=full']);
  const fake = await rig.call();
  await makeRequests(rig, fake, 'codex', 3);
  void fake.tell({ do: 'hang' });
  const { record } = await running.ended();
  assert.match(record.verdict.evidence!.text, 'it may use 40 tokens (what remained of a limit over all tasks)');
});

test.run();
