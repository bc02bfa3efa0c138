// What holds of any text that a CLI may leave: one verdict, one signature, the same however it came and where it stood.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { triage } from '../../../loops/report/triage.ts';
import { CLASSES } from '../../../policies/facts/classes.ts';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { LINE_KINDS } from '../../../policies/signature/line-kinds.ts';
import { TOKEN_CLASSES } from '../../../policies/signature/normalise.ts';
import { signLines, signText } from '../../../policies/signature/sign.ts';
import { createLineSplitter, MAX_STDERR_LINE } from '../../../wrappers/line-splitter.ts';
import { fuzz } from '../../rig/fuzz.ts';
import { errorLikeText, text } from '../../rig/texts.ts';

const clock = { now: new Date('2026-11-21T21:00:00.000Z'), timeZone: 'UTC' };
const SIGNATURE = /^v1:[0-9a-f]{64}$/;
const signed = (...lines: string[]) => signText(null, lines.join('\n')).signature;

const left = fc.record({
  stderr: text,
  stdout: fc.oneof(text, fc.json()),
  exitCode: fc.constantFrom(null, 0, 1, 13, 124, 137),
});

fuzz('anything has one verdict and one signature for each tool', left, (call) => {
  for (const tool of TOOLS) {
    const { verdict, signature } = triage({ tool, ...call, signal: null, ending: null }, clock);
    if (verdict.class === null) assert.is(signature, null);
    else {
      assert.ok(Object.hasOwn(CLASSES, verdict.class), verdict.class);
      assert.match(signature?.signature ?? '', SIGNATURE);
    }
  }
});

fuzz('the signature does not depend on how the text was cut', fc.array(errorLikeText, { maxLength: 5 }), (pieces) => {
  const selected = createErrorLines();
  const lines = createLineSplitter(MAX_STDERR_LINE, 'shown', (line) => selected.push(line));
  for (const piece of pieces) lines.push(piece);
  lines.end();
  assert.is(signLines(null, selected).signature, signText(null, pieces.join('')).signature);
});

const token = fc.constantFrom(
  ...TOKEN_CLASSES.flatMap(({ masks, keeps = [] }) => [...masks, ...keeps].map(([told]) => told)),
);
const said = fc.constantFrom('connect failed', 'no such file', 'quota exceeded', 'unexpected status 401', 'boom');
const error = fc
  .tuple(said, fc.array(token, { maxLength: 3 }))
  .map(([words, tokens]) => `Error: ${[words, ...tokens].join(' ')}`);
const errors = fc.array(error, { minLength: 1, maxLength: 3 });

fuzz('an error that is said again changes nothing', fc.tuple(errors, fc.array(fc.nat(2))), ([lines, again]) => {
  assert.is(signed(...lines, ...again.map((i) => lines[i % lines.length]!)), signed(...lines));
});

const aside = fc.array(
  fc.constantFrom(...LINE_KINDS.flatMap(({ examples }) => examples), '', '────────', '45%\r50%\r'),
  {
    maxLength: 4,
  },
);

fuzz('nor does noise, a notice or a retry before, between or behind', fc.tuple(errors, aside), ([lines, others]) => {
  assert.is(signed(...others, ...lines, ...others), signed(...lines));
  assert.is(signed(...lines.flatMap((line) => [line, ...others])), signed(...lines));
});

const key = fc.oneof(
  fc.constantFrom('error', 'code', 'message', 'status', 'a"b', 'x\\', '{'),
  fc.string({ maxLength: 5 }),
);
const leaf = fc.oneof(
  // C1 controls begin what is no text at all, and JSON does not escape them.
  fc.string({ unit: 'binary', maxLength: 8 }).map((value) => value.replaceAll('\x9b', '')),
  fc.constantFrom('{"a', '401', '}', ',', '\\', '"', '{"b":1,"a":2}', 'boom failed', null, 401, -1.5, true),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
  ),
}));

/** As text, the members as they come or the other way round; behind a key of odd length stands JSON in a string. */
function written(value: unknown, way: 'as it is' | 'reversed'): string {
  const inner = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(inner);
    const members = Object.entries(part).map(([name, of]) => [
      name,
      name.length % 2 === 1 ? written(of, way) : inner(of),
    ]);
    return Object.fromEntries(way === 'reversed' ? members.reverse() : members);
  };
  return JSON.stringify(inner(value));
}

fuzz('nor does the order of the members of a JSON body', fc.dictionary(key, tree, { maxKeys: 5 }), (body) => {
  const [one, other] = [`Error: ${written(body, 'as it is')} at x`, `Error: ${written(body, 'reversed')} at x`];
  // A line that is longer is cut.
  if (one.length < 2000) assert.is(signed(one), signed(other));
});

test('also within a list in a string', () => {
  assert.is(
    signed('Error: {"a":"[{\\"b\\":1,\\"c\\":\\"no\\"}]"}'),
    signed('Error: {"a":"[{\\"c\\":\\"no\\",\\"b\\":1}]"}'),
  );
});

test.run();
