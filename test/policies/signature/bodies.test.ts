import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tellBodies, tellDetails } from '../../../policies/signature/bodies.ts';

const ROWS: [line: string, told: string][] = [
  ['no { body', 'no { body'],
  ['x {"message":"boom","code":429} y', 'x  code: 429 message: boom  y'],
  ['x {"code":429,"message":"boom"} y', 'x  code: 429 message: boom  y'],
  ['{"error":{"message":"m","status":"S","code":4},"request_id":"r"}', ' code: 4 status: S message: m '],
  // Links tell nothing, and nothing is told twice.
  ['{"url":"u","message":"m","detail":"m"}', ' message: m '],
  // Escaped into a string, and a string that ends in a backslash.
  [String.raw`{\"message\":\"m\",\"code\":5}`, ' code: 5 message: m '],
  [String.raw`{"path":"C:\\dir\\","message":"m"}`, String.raw` message: m path: C:\dir\ `],
  // JSON within the text of JSON.
  [String.raw`{"message":"{\"error\":{\"message\":\"in\",\"code\":3}}"}`, ' code: 3 message: in '],
  ['{"a":1', '{"a":1'],
];
for (const [line, told] of ROWS) test(line, () => assert.is(tellBodies(line), told));

test('of details only reasons and limits', () => {
  const details = '{"details":[{"reason":"R","domain":"d"},{"quotaId":"PerDay"}],"message":"m"}';
  assert.is(tellDetails(details), 'reason: R quotaId: PerDay');
  assert.is(tellDetails('no JSON'), '');
});

test.run();
