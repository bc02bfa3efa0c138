// The verdict of an answer: one word on a line of its own, in whatever dress; anything else is none.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { verdictSaid } from '../../../policies/gate/verdict-said.ts';

for (const [text, verdict] of [
  ['## Verdict\n\nFAIL\n', 'FAIL'],
  ['## Verdict\n\n**PASS**\n\nAll is well.\n', 'PASS'],
  ['## Verdict\n\n`fail`.\n', 'FAIL'],
  ['## Verdict: FAIL\n', 'FAIL'],
  ['**Verdict:** PASS\n', 'PASS'],
  ['## Verdict\n\nFAIL to see why not\n', null],
  ['## Verdict\n\nIt passes.\n', null],
  ['## Findings\n\nFAIL\n', null],
  ['', null],
] as const)
  test(JSON.stringify(text), () => assert.is(verdictSaid(text), verdict));

test.run();
