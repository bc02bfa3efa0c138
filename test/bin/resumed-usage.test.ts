// codex counts over the whole session: of a call that goes on in one, only what came to it is the call's own.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';
import { CODEX_ID, linesOf } from '../sessions/session-home.ts';

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

test.run();
