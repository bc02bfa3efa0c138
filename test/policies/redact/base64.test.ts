// Keys of known shape in base64: at each place of a group where they may begin, usual and url-safe, in the midst of anything.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor, createStreamRedactor } from '../../../policies/redact/create-redactor.ts';
import { SECRET_KINDS } from '../../../policies/redact/secret-kinds.ts';

const test = suite('base64');
const { redact } = createRedactor({ env: {}, patterns: [] });

const usual = (text: string) => Buffer.from(text, 'latin1').toString('base64');
const FORMS: [form: string, of: (text: string) => string][] = [
  ['usual', usual],
  ['url-safe', (text) => Buffer.from(text, 'latin1').toString('base64url')],
];
/** What is secret in an example: all of it, but for names and schemes in front. */
const secretIn = (example: string): string => {
  const redacted = redact(example);
  const at = redacted.indexOf('[REDACTED:');
  const behind = redacted.slice(redacted.indexOf(']', at) + 1);
  return example.slice(at, example.length - behind.length);
};
/** Everything that can be read in a text by taking its runs for base64, from each place of a group. */
const readable = (text: string): string =>
  [...text.matchAll(/[A-Za-z0-9+/_-]+/g)]
    .flatMap(([run]) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')))
    .join('\n');

for (const { kind, examples, harmless, inBase64 } of SECRET_KINDS.filter(({ inBase64 }) => inBase64))
  for (const before of ['', 'a ', 'id "', '\n\n\n', '{"one": "two", "x": "'])
    for (const [form, of] of FORMS)
      test(`${kind} behind ${JSON.stringify(before)}, ${form}`, () => {
        assert.ok(inBase64);
        for (const example of examples) {
          const secret = secretIn(example);
          for (const after of ['', '", and more', ' ']) {
            const line = `data: ${of(before + example + after)}, done`;
            assert.match(readable(line), secret);
            const redacted = redact(line);
            assert.match(redacted, `[REDACTED:${kind}]`);
            assert.not.match(readable(redacted), secret.slice(1, -1));
            assert.is(redacted.slice(0, 6), 'data: ');
            assert.ok(redacted.endsWith(', done'));
          }
        }
        for (const text of harmless) {
          const line = `data: ${of(before + text)}, done`;
          assert.is(redact(line), line);
        }
      });

test('a private key that was encoded as a whole, in lines whose ends are escaped, and in a stream', () => {
  const body = 'aBcD1234eFgH5678iJkL9012mNoP3456qRsT'.repeat(20);
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${(body.match(/.{1,64}/g) ?? []).join('\n')}\n-----END RSA PRIVATE KEY-----\n`;
  const line = `{"tls":"${usual(pem)}"}\n`;
  assert.is(redact(line), '{"tls":"[REDACTED:private_key]o="}\n');
  const stream = createStreamRedactor(createRedactor({ env: {}, patterns: [] }));
  const pieces = line.match(/.{1,7}/gs) ?? [];
  assert.is(pieces.map((piece) => stream.write(piece)).join('') + stream.end(), redact(line));
});

test('what only looks like one stays, and takes no longer than it is', () => {
  const noise = Array.from({ length: 3000 }, (_, i) => usual(`part ${i} of sk-, ghp_, AKIA and -----BEGIN `)).join('');
  for (const text of [noise, 'c2st'.repeat(30_000), 'Z2hwX2docF9'.repeat(10_000), 'LS0tLS1CRUdJTi'.repeat(8_000)])
    assert.is(redact(text).includes('[REDACTED:private_key]'), false);
});

test.run();
