// The messages of a huge line, found by bytes, wherever the chunks end.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { elementsIn, REPLACING } from '../../../../wrappers/gemini/sessions/lines.ts';

const MESSAGES = [{ a: '\\' }, 'text {', { b: ['"]}', { c: '\\"' }, []] }, [{ d: 1 }], {}, 7, { 'é{': '\u2028\n' }];
const LINE = Buffer.from(JSON.stringify({ $set: { messages: MESSAGES, more: [{ e: 1 }], last: '}' } }));
const AT = REPLACING.length;

const read = (line: Buffer, chunkBytes: number) => {
  const chunks: Buffer[] = [];
  for (let at = AT; at < line.length; at += chunkBytes) chunks.push(line.subarray(at, at + chunkBytes));
  return elementsIn(chunks, AT, 5);
};

test('the objects of the list, in chunks of any size', () => {
  for (let chunkBytes = 1; chunkBytes <= LINE.length; chunkBytes++)
    assert.equal(
      read(LINE, chunkBytes)?.map(({ from, to }) => JSON.parse(LINE.toString('utf8', from, to))),
      MESSAGES.filter((message) => typeof message === 'object' && !Array.isArray(message)),
      `chunks of ${chunkBytes}`,
    );
});

test('with the first bytes of each', () => {
  assert.equal(
    read(LINE, LINE.length)?.map(({ head }) => head),
    ['{"a":', '{"b":', '{}', '{"\u00c3\u00a9{'],
  );
});

test('none of a line that is cut off', () => {
  for (let end = AT; end < LINE.length; end++) assert.is(read(LINE.subarray(0, end), 9), null, `${end}`);
});

test.run();
