import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { screenOf } from '../../../policies/redact/screen.ts';
import { SECRET_KINDS } from '../../../policies/redact/secret-kinds.ts';
import { fuzz } from '../../rig/fuzz.ts';

const ENV = { A_TOKEN: 'open-sesame', B_SECRET: 'a"b\\c d', C_KEY: 'schlüssel-öä', D_TOKEN: 'épée-geheim9' };
const redactor = createRedactor({ env: ENV, patterns: [] });
const screen = screenOf(redactor)!;
const mayHold = (text: string) => screen(Buffer.from(text));
const PLAIN = 'compiled module 17 of 300, and über all that it says nothing\n';

test('lets nothing pass that a secret begins with, wherever it stands and in base64 too', () => {
  const secrets = [...Object.values(ENV), ...SECRET_KINDS.flatMap(({ examples }) => examples)];
  for (const secret of secrets)
    for (const text of [secret, `${PLAIN}x ${secret}\n`, `${PLAIN}${btoa(`x ${encodeURI(secret)}`)}\n`])
      assert.ok(mayHold(text) || redactor.redact(text) === text, text);
  for (const secret of secrets) assert.ok(mayHold(`${PLAIN}${secret}\n${PLAIN}`), secret);
});

test('lets plain lines pass, which is what it is for', () => {
  for (const text of [PLAIN.repeat(1000), '', '\n', 'ab', '    at async Turn.run (chunk-JDPZ4CE3.js:333001:24)\n'])
    assert.not.ok(mayHold(text), text.slice(0, 80));
});

test('lets nothing pass that hides a secret, or that a pattern of the user may match', () => {
  for (const text of ['open\x1b[31m-sesame\n', '"\\u006fpen-sesame"\n', `${PLAIN}{"type":"delta","delta":"open-"}\n`])
    assert.ok(mayHold(text), text);
  assert.is(screenOf(createRedactor({ env: {}, patterns: ['boom'] })), null);
});

test('lets nothing pass of what repeats itself, wherever in its bytes and in memory a secret stands', () => {
  const block = `${PLAIN}${PLAIN.slice(0, -1)}, as ever\n`;
  assert.not.ok(mayHold(block.repeat(300)));
  for (let at = 0; at < block.length; at += 7) {
    const told = `${block.slice(0, at)} open-sesame ${block.slice(at)}`;
    for (const text of [told.repeat(300), `${block.repeat(300)}${told}`, `${told}${block.repeat(300)}`])
      for (const shift of [0, 1]) assert.ok(screen(Buffer.from(`-${text}`).subarray(shift)), `${at}`);
  }
});

test('a secret that is longer than what repeats itself is found', () => {
  const may = screenOf(createRedactor({ env: { A_KEY: 'a1 b2 '.repeat(800) }, patterns: [] }))!;
  assert.ok(may(Buffer.from(`${'a1 b2 '.repeat(5000)}\n`)));
  assert.ok(may(Buffer.from('a1 b2 '.repeat(800))));
  assert.not.ok(may(Buffer.from('a1 b2 '.repeat(700))));
});

const part = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('key', '=', ': ', 'sk-', 'eyJ', 'aBcD1234eFgH5678iJkL', '://', 'a:b@c', '\n', ' ', 'open-', 'sesame'),
);
fuzz('what it lets pass is what the redactor leaves as it is', fc.array(part), (parts) => {
  const bytes = Buffer.from(`${parts.join('')}\n`);
  if (!screen(bytes)) assert.is(redactor.redact(bytes.toString()), bytes.toString());
});

test.run();
