// The place of the first byte that is not UTF-8, wherever the pieces are cut.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createUtf8Check } from '../../../policies/distill/book-kinds.ts';

function badByte(bytes: Buffer, size: number): number | null {
  const check = createUtf8Check();
  for (let at = 0; at < bytes.length; at += size) check.take(bytes.subarray(at, at + size));
  return check.said().bad;
}

for (const [what, bytes, bad] of [
  ['a text', Buffer.from('aé漢😀'), null],
  ['a byte that begins nothing', Buffer.concat([Buffer.from('aé'), Buffer.from([0xff]), Buffer.from('😀')]), 4],
  ['a byte that continues with nothing', Buffer.concat([Buffer.from('😀'), Buffer.from([0x80, 0x61])]), 5],
  ['a sign that is cut by a letter', Buffer.from([0x61, 0xf0, 0x9f, 0x98, 0x61]), 5],
  ['a sign that is cut by the end', Buffer.from([0x61, 0xf0, 0x9f, 0x98]), 2],
] as const)
  test(`UTF-8: ${what}`, () => {
    for (const size of [1, 2, 3, 4, 5, 100]) assert.is(badByte(bytes, size), bad, `in pieces of ${size}`);
  });

test.run();
