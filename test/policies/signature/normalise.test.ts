import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { normalise } from '../../../policies/signature/normalise.ts';
import { fuzz } from '../../rig/fuzz.ts';
import { errorLikeText } from '../../rig/texts.ts';

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

const KNOWN =
  /oauth[12]|sha(?:1|256|512)|md5|utf-?8|utf16|base64|ipv[46]|http[23]|x509|s3|ec2|k8s|x64|x86_64|arm64|win32|log4j|auth0|h2|i18n|tls1/g;

fuzz('a normal form holds no figure outside a placeholder', errorLikeText, (given) =>
  assert.not.match(
    normalise(given)
      .replace(/<[^<>]*>/g, '')
      .replace(KNOWN, ''),
    /\d/,
  ),
);

test.run();
