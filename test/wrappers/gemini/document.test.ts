import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readDocument } from '../../../wrappers/gemini/row.ts';

const said = (text: string) => [{ how: 'said', text, whole: true, message: null }, { how: 'completed' }];

const ROWS: [what: string, text: string, events: unknown][] = [
  ['an answer', '{"session_id":"s","response":"Done.","stats":{}}', said('Done.')],
  ['an empty one', '{"response":"","stats":{}}', said('')],
  [
    'a failure',
    '{"error":{"type":"Error","message":"boom","code":1}}',
    [{ how: 'failed', failure: { message: 'boom' } }],
  ],
  [
    'a failure with a status',
    '{"error":{"type":"ApiError","message":"boom","code":429}}',
    [{ how: 'failed', failure: { message: 'boom', status: 429, type: 'ApiError' } }],
  ],
  ['half of one', '{"session_id":"s","respon', [{ how: 'failed', failure: { message: 'the JSON ended prematurely' } }]],
  ['JSON that the model wrote', '{"error":null,"items":[1]}', null],
  ['prose', 'The answer is {}', null],
];
for (const [what, text, events] of ROWS) test(what, () => assert.equal(readDocument(text), events));

test.run();
