// The verdict of an answer: one word on a line of its own, in whatever dress; anything else is none.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stoppingVerdict, verdictSaid } from '../../../policies/gate/answer-verdict.ts';

for (const [text, verdict] of [
  ['## Verdict\n\nFAIL\n', 'FAIL'],
  ['## Verdict\n\n**PASS**\n\nAll is well.\n', 'PASS'],
  ['## Verdict\n\n`fail`.\n', 'FAIL'],
  ['## Verdict: FAIL\n', 'FAIL'],
  ['**Verdict:** PASS\n', 'PASS'],
  ['## Verdict\n\nFAIL to see why not\n', null],
  ['## Verdict\n\nIt passes.\n', null],
  ['## Verdict\n\n✅ PASS\n', 'PASS'],
  ['## Verdict\n\nPASS 3/5\n', null],
  ['## Verdict\n\n不 PASS\n', null],
  ['## Verdict\n\n~~PASS~~\n', null],
  ['## Verdict\n\nPASS?\n', null],
  ['## Verdict\n\nPASS / FAIL\n', null],
  ['## Verdict\n\nFAILED\n', null],
  ['## Verdict\n\nVerdict: FAIL\n', null],
  ['## Verdict\n\nNOT PASS\n', null],
  ['## Verdict\n\nThe verdict is FAIL\n', null],
  ['## Verdict\n\nPASS or FAIL\n', null],
  ['## By gemini\n\n### Verdict\n\nPASS\n\n## By codex\n\n### Verdict\n\nFAIL\n\n## Verdict\n\nFAIL\n', 'FAIL'],
  ['## Verdict\n\n## Verdict\n\nPASS\n', 'PASS'],
  ['## Findings\n\nFAIL\n', null],
  ['', null],
] as const)
  test(JSON.stringify(text), () => assert.is(verdictSaid(text), verdict));

for (const [answer, verdict] of [
  ['{"verdict": "fail"}', 'FAIL'],
  ['Here it is:\n\n```json\n{"verdict":"FAIL"}\n```\n', 'FAIL'],
  ['{"verdict":"PASS"}', 'PASS'],
  ['{"verdict":"maybe"}', null],
  ['{"review":{"verdict":"FAIL"}}', null],
  ['{"why":"## Verdict\\n\\nPASS\\n"}', null],
  ['no JSON', null],
] as const)
  test(`with a schema: ${JSON.stringify(answer)}`, () => assert.is(verdictSaid(answer, { schema: {} }), verdict));

test('FAIL, and no verdict where one is owed, stop a stage that is told to stop, and no other', () => {
  const judging = (onFail: 'stop' | 'note') => ({ role: { givesVerdict: true, onFail }, stage: {} });
  const found = (onFail: 'stop' | 'note') =>
    (['FAIL', null, 'PASS'] as const).map((said) => stoppingVerdict(said, judging(onFail))?.reason ?? null);
  assert.equal(found('stop'), ['verdict_fail', 'verdict_missing', null]);
  assert.equal(found('note'), [null, null, null]);
});

test.run();
