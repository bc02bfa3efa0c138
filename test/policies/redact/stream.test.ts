import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor, createStreamRedactor } from '../../../policies/redact/create-redactor.ts';

const redactor = createRedactor({ env: { A_TOKEN: 'open-sesame' }, patterns: [] });
const KEY = `-----BEGIN PRIVATE KEY-----\n${'aBcD1234'.repeat(8)}\n${'aBcD1234'.repeat(8)}\nabc=\n-----END PRIVATE KEY-----`;

function stream(chunks: readonly string[]): { pieces: string[]; text: string } {
  const redacting = createStreamRedactor(redactor);
  const pieces = chunks.map((chunk) => redacting.write(chunk));
  pieces.push(redacting.end());
  return { pieces, text: pieces.join('') };
}

test('finds a secret that was cut in two at any place', () => {
  const line = 'a key=abcd1234 open-sesame ghp_aBcD1234eFgH5678iJkL9012 end\n';
  const expected = redactor.redact(line);
  for (let at = 0; at <= line.length; at += 1) assert.is(stream([line.slice(0, at), line.slice(at)]).text, expected);
});

test('writes whole lines at once and holds back the unfinished one', () => {
  assert.equal(stream(['one\ntwo open-', 'sesame\nth', 'ree']).pieces, [
    'one\n',
    'two [REDACTED:A_TOKEN]\n',
    '',
    'three',
  ]);
});

test('holds a private key back until its end has come', () => {
  const lines = `before\n${KEY}\nafter\n`.split(/(?<=\n)/);
  assert.is(stream(lines).text, 'before\n[REDACTED:private_key]\nafter\n');
});

test('does not wait for ever for the end of a private key', () => {
  const { pieces } = stream(['-----BEGIN PRIVATE KEY-----\n', 'no key at all\n'.repeat(6000), 'x\n']);
  assert.ok((pieces[1] as string).length > 64 * 1024);
});

test('lets a line that never ends through in pieces, with no secret cut', () => {
  const chunk = `${'x'.repeat(997)} open-sesame `;
  const { pieces, text } = stream(Array.from({ length: 400 }, () => chunk));
  assert.is(text, redactor.redact(chunk.repeat(400)));
  assert.ok(pieces.slice(0, -1).some((piece) => piece.length > 50_000));
  assert.ok((pieces.at(-1) as string).length < 70_000);
});

test('gives what the redactor gives for the whole text, however it is cut', () => {
  const part = fc.constantFrom('open-sesame', 'key=abcd1234', KEY, '\n', ' ', '{"a":"', '"}', 'word', '-----BEGIN ');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(30), { maxLength: 40 }), (parts, sizes) => {
      const text = parts.join('');
      const chunks: string[] = [];
      let from = 0;
      for (const size of sizes) {
        chunks.push(text.slice(from, from + size));
        from += size;
      }
      assert.is(stream([...chunks, text.slice(from)]).text, redactor.redact(text));
    }),
    { numRuns: 500 },
  );
});

test('cuts no secret that is itself cut where so much of a line has come that it goes out', () => {
  const secret = 'open-sesame';
  for (let half = 1; half < secret.length; half += 1) {
    const line = 'x'.repeat(64 * 1024 + 8 - half) + secret.slice(0, half);
    const { text } = stream([line, `${secret.slice(half)} end\n`]);
    assert.is(text.slice(-40).includes('[REDACTED:A_TOKEN] end'), true, `after ${half} letters: ${text.slice(-40)}`);
  }
});

test.run();
