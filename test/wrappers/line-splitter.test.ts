// Lines of text that comes in pieces: the same ones however it is cut, and no more of each than is wanted.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tidy } from '../../policies/signature/bare.ts';
import { createLineSplitter } from '../../wrappers/line-splitter.ts';
import { fuzz } from '../rig/fuzz.ts';

const MAX = 8;

function split(keeps: 'all' | 'shown', ...pieces: string[]): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(MAX, keeps, (line, dropped) =>
    lines.push(dropped > 0 ? `${line}+${dropped}` : line),
  );
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

const ROWS: [what: string, text: string, all: string[], shown: string[]][] = [
  ['nothing', '', [], []],
  ['line ends of both kinds', 'a\r\nb\n\nc', ['a', 'b', '', 'c'], ['a', 'b', '', 'c']],
  [
    'a line at the limit, and one beyond',
    '12345678\n1234567890\n',
    ['12345678', '12345678+2'],
    ['12345678', '12345678+2'],
  ],
  ['what was written over', '10%\r20%\rdone\n', ['10%\r20%\r+4'], ['done']],
  ['two carriage returns', 'a\r\r\nb\r\n', ['a\r', 'b'], ['a', 'b']],
  ['progress without end', '1%\r2%\r3%\r', ['1%\r2%\r3%+1'], ['3%']],
  ['carriage returns alone', '\r\r\r', ['\r\r'], []],
];
for (const [what, text, all, shown] of ROWS)
  test(what, () => {
    assert.equal(split('all', text), all);
    assert.equal(split('shown', text), shown);
  });

const pieces = fc.array(fc.string({ unit: fc.constantFrom('\n', '\r', 'a', 'b', 'é'), maxLength: 12 }), {
  maxLength: 8,
});

fuzz('the lines do not depend on how the text was cut', pieces, (cut) => {
  for (const keeps of ['all', 'shown'] as const) {
    assert.equal(split(keeps, ...cut), split(keeps, cut.join('')));
    assert.equal(split(keeps, ...cut.join('')), split(keeps, cut.join('')));
  }
});

fuzz('what is shown of a line is what tidying makes of the whole line', pieces, (cut) => {
  const text = cut.join('').replaceAll('\n', '');
  assert.is((split('shown', text)[0] ?? '').slice(0, MAX).replace(/\+\d+$/, ''), tidy(text, MAX).slice(0, MAX));
});

test.run();
