// codex and copilot count over the whole session: of a call that continues in one, only what came to it is the call's own.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';
import { CODEX_ID, COPILOT_ID, linesOf } from '../sessions/session-home.ts';

const test = suite<{ rig: TestRig }>('resumed usage');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ROLLOUT = `../home/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${CODEX_ID}.jsonl`;

/** The session has counted 55 and 35 before. */
const ROWS: [what: string, session: string[] | null, input: number, own: (number | null)[]][] = [
  ['of a session that is known, what came to it', linesOf('codex/three-turns.jsonl'), 66, [11, 7, 18]],
  ['of a session that has no file, nothing is known', null, 66, [null, null, null]],
  ['of one that counts anew, nothing is known', linesOf('codex/three-turns.jsonl'), 11, [null, null, null]],
];

for (const [what, session, input, own] of ROWS)
  test(what, async ({ rig }) => {
    if (session !== null) rig.write(ROLLOUT, session.map((line) => `${line}\n`).join(''));
    const run = runWrapper(rig, 'codex', ['--resume-session', CODEX_ID]);
    const output = input === 66 ? 42 : 7;
    const events = [
      { type: 'thread.started', thread_id: CODEX_ID },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'hello' } },
      { type: 'turn.completed', usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output } },
    ];
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    await (await rig.call()).tell({ do: 'write', to: 'stdout', text }, { do: 'exit', code: 0 });
    const { usage } = (await run.ended()).record;
    assert.equal([usage.input_tokens, usage.output_tokens, usage.total_tokens], own);
  });

/** The session has counted 55 and 35 before, in five requests. @param own of this call: input, cached, output, in all. */
const COPILOT_ROWS: [what: string, session: boolean, input: number, own: (number | null)[]][] = [
  ['of a copilot session that is known, what came to it', true, 66, [11, 3, 7, 18]],
  ['of a copilot session that has no file, nothing is known', false, 66, [null, null, null, null]],
  ['of a copilot session that counts anew, nothing is known', true, 11, [null, 3, null, null]],
];

for (const [what, isKnown, input, own] of COPILOT_ROWS)
  test(what, async ({ rig }) => {
    const lines = linesOf('copilot/three-turns.jsonl').map((line) =>
      line.replace('"cwd":"/work"', `"cwd":"${rig.project}"`),
    );
    const events = `../home/.copilot/session-state/${COPILOT_ID}/events.jsonl`;
    if (isKnown) rig.write(events, lines.map((line) => `${line}\n`).join(''));
    const run = runWrapper(rig, 'copilot', ['--resume-session', COPILOT_ID]);
    const call = await rig.call();
    const usage = { inputTokens: input, outputTokens: input === 66 ? 42 : 7, cacheReadTokens: 3, cacheWriteTokens: 0 };
    const metrics = { modelMetrics: { m: { requests: { count: 6, cost: 0 }, usage } } };
    const said = [
      { type: 'model.call_start', data: { model: 'm' } },
      { type: 'assistant.message', data: { messageId: 'a', model: 'm', content: 'hello' } },
      { type: 'result', sessionId: COPILOT_ID, exitCode: 0 },
    ];
    const usageFile = call.report.argv.find((word) => word.startsWith('--usage-output-file='))!.split('=')[1]!;
    await call.tell(
      { do: 'save', file: usageFile, text: JSON.stringify(metrics) },
      { do: 'write', to: 'stdout', text: said.map((event) => `${JSON.stringify(event)}\n`).join('') },
      { do: 'exit', code: 0 },
    );
    const { usage: booked } = (await run.ended()).record;
    assert.equal(
      [booked.input_tokens, booked.cached_tokens, booked.output_tokens, booked.total_tokens, booked.api_requests],
      [...own, 1],
    );
  });

test.run();
