// What is JSON is read, what is none is told without a throw: as `JSON.parse` would have it.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readJson } from '../../../policies/signature/json-text.ts';
import { fuzz } from '../../rig/fuzz.ts';

const ROWS = [
  ...['{}', '[]', ' [1, -2.5e+3,\ttrue,\nnull, "x\\u00e9\\n\\""] ', '{"a":{"b":[{}]},"":false}', '"x"', '0', 'null'],
  ...['', ' ', '{', '}', '[}', '{]', '[1,]', '{"a":1,}', '{a:1}', '{"a"}', '{"a" 1}', '[1 2]', '1 2', '"\n"', '"\\x"'],
  ...['01', '1.', '.5', '+1', '-', '1e', 'tru', 'undefined', "{'a':1}", '[1]]', '"a', '{"a":1}{', ',', ':', '{"a":}'],
];
for (const text of ROWS) test(JSON.stringify(text), () => assert.equal(readJson(text), parsed(text)));

const signs = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n01-.e', 'true', '"a"', '{"a":'), maxLength: 12 });
const texts = fc.oneof(
  signs,
  fc.json(),
  fc
    .tuple(fc.json(), fc.nat(), signs)
    .map(([json, at, sign]) => json.slice(0, at % json.length) + sign + json.slice(at % json.length)),
);
fuzz('any text is read as JSON.parse reads it', texts, (text) => assert.equal(readJson(text), parsed(text)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

test.run();
