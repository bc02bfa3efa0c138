// Hidden signs of a text are shown, and all others stay as they are.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { piecesOf } from '../../../../console/page/text/signs.ts';

const shown = (text: string) => piecesOf(text).map((piece) => ('text' in piece ? piece.text : `[${piece.sign}]`));

for (const [what, text, pieces] of [
  ['lines and tabs', 'a\n\tb', ['a\n\tb']],
  ['a line end of Windows', 'a\r\nb', ['a', '\nb']],
  ['an escape code of a terminal', 'a\u001b[31mb', ['a', '[␛]', '[31mb']],
  ['a bell and a delete', '\u0007\u007f', ['[␇]', '[␡]']],
  ['a text turned about', 'exe\u202Etxt', ['exe', '[U+202E]', 'txt']],
  ['signs without width', 'pay\u200bpal\ufeff', ['pay', '[U+200B]', 'pal', '[U+FEFF]']],
  ['tags beyond the plane', 'a\u{e0041}b', ['a', '[U+E0041]', 'b']],
  ['a control of C1', '\u009b2J', ['[U+009B]', '2J']],
  ['emoji and letters that are joined', '👩‍🚀 می‌خواهم', ['👩‍🚀 می‌خواهم']],
  ['half of a pair', 'a\ud800b', ['a\ud800b']],
  ['nothing', '', ['']],
] as const)
  test(what, () => {
    assert.equal(shown(text), pieces);
  });

test('a megabyte of them takes no more than its length', () => {
  assert.is(piecesOf('\u202e'.repeat(100_000)).length, 100_000);
});

test.run();
