// Bytes become the same text wherever they are cut.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDecoder } from '../../../../bin/tollgate/triage/input.ts';

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const ROWS: [what: string, bytes: Buffer, text: string][] = [
  ['nothing', Buffer.alloc(0), ''],
  ['UTF-8', Buffer.from('é💥\n'), 'é💥\n'],
  ['UTF-8 with its mark', Buffer.from('\ufeffError\n'), 'Error\n'],
  ['one byte', Buffer.from('a'), 'a'],
  ['UTF-16, little end first', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('é💥\n')]), 'é💥\n'],
  ['UTF-16, big end first', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16('é💥\n').swap16()]), 'é💥\n'],
  ['the mark alone', Buffer.from([0xff, 0xfe]), ''],
  ['what is not UTF-8', Buffer.from([0x45, 0xff, 0x00, 0xc3]), 'E\ufffd\0\ufffd'],
  ['half a character at the end', Buffer.from('é').subarray(0, 1), '\ufffd'],
];
for (const [what, bytes, text] of ROWS)
  test(what, () => {
    for (const size of [1, 2, 3, 5, 100]) {
      const decoder = createDecoder();
      let read = '';
      for (let at = 0; at < bytes.length; at += size) read += decoder.write(bytes.subarray(at, at + size));
      assert.is(read + decoder.end(), text, `${size} bytes at a time`);
    }
  });

test.run();
