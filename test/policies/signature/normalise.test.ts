import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { normalise } from '../../../policies/signature/normalise.ts';
import { TOKEN_CLASSES } from '../../../policies/signature/token-classes.ts';

test('is words in lower case with one space between them', () => {
  assert.is(normalise('  Could NOT\tconnect:\r\n\n "now", (e.g.) — ✖ [so] '), 'could not connect now e.g so');
});

test('sees through JSON, escaped once or twice, compact or pretty', () => {
  const error = { error: { code: 429, message: 'Quota exceeded:\n"daily"', status: 'RESOURCE_EXHAUSTED' } };
  const normal = 'error code <code:429> message quota exceeded daily status resource_exhausted';
  const compact = JSON.stringify(error);
  for (const text of [
    compact,
    JSON.stringify(error, null, 2),
    JSON.stringify(compact),
    JSON.stringify(JSON.stringify(compact)),
  ]) {
    assert.is(normalise(text), normal);
  }
});

test('leaves out what is volatile, and all of a list', () => {
  assert.is(normalise('see /a/b, /c/d and 1, 2, 3'), 'see and');
});

test('keeps every code, also two in a row', () => {
  assert.is(normalise('HTTP 500 status 503'), 'http <code:500> status <code:503>');
});

test('stops soon after the limit', () => {
  const normal = normalise('word '.repeat(10_000), {}, 500);
  assert.ok(normal.length >= 500 && normal.length < 520);
  assert.ok('word '.repeat(10_000).startsWith(normal));
});

test('takes the prompt out where it is echoed whole', () => {
  const prompt = 'Fix the error 429 in the parser, please.';
  assert.is(normalise(`failed on: ${prompt} (sorry)`, { prompt }), 'failed on sorry');
});

const bits = fc.constantFrom(
  ...TOKEN_CLASSES.flatMap(({ examples }) => examples.flatMap(([text, normal]) => [text, normal, ...text.split(/\b/)])),
  ...'/\\\n"\'`:=<>[](){}-.@ %é',
  '\\n',
  '\x1b[31m',
  '\u200b',
);
const texts = fc
  .array(fc.oneof(bits, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 14 })
  .map((parts) => parts.join(''));

test('a normal form is its own normal form, for any text', () => {
  for (const context of [{}, { taskId: 'fix-login-7' }]) {
    const once = (text: string) => normalise(text, context);
    fc.assert(
      fc.property(texts, (text) => once(once(text)) === once(text)),
      { numRuns: 3000 },
    );
  }
});

test('a normal form holds no figure outside a placeholder', () => {
  const known =
    /oauth[12]|sha(?:1|256|512)|md5|utf-?8|utf16|base64|ipv[46]|http[23]|x509|s3|ec2|k8s|x64|x86_64|arm64|win32|log4j|auth0|h2|i18n|tls1/g;
  fc.assert(
    fc.property(
      texts,
      (text) =>
        !/\d/.test(
          normalise(text)
            .replace(/<[^<>]*>/g, '')
            .replace(known, ''),
        ),
    ),
    { numRuns: 3000 },
  );
});

test.run();
