import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { publishRedacted } from '../../../loops/attempt/redacted-copy.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const folder = temporaryFolder('redacted-copy-');
const redactor = createRedactor({ env: { A_TOKEN: 'open-sesame' }, patterns: [] });

function copied(text: string | Buffer, by = redactor): Buffer {
  const [source, target] = [path.join(folder, 'source'), path.join(folder, 'target')];
  writeFileSync(source, text);
  const fd = openSync(source, 'r');
  publishRedacted(fd, target, by, 'renamed', null);
  closeSync(fd);
  assert.is(statSync(target).mode & 0o777, 0o600);
  return readFileSync(target);
}

/** More than is read at once. */
const PLAIN = 'compiled module 17 of 300, and über all that it says nothing\n'.repeat(2000);

test('finds a secret between plain lines, wherever the pieces that are read at once end', () => {
  for (let shift = 0; shift < 24; shift += 1) {
    const before = `${PLAIN.slice(0, 65_520 - shift)} `;
    for (const after of ['\n', ` ${PLAIN}`, ''])
      assert.is(`${copied(`${before}open-sesame${after}`)}`, `${before}[REDACTED:A_TOKEN]${after}`, `${shift}`);
  }
});

test('copies what holds no secret byte by byte, with or without a last line end', () => {
  for (const text of [PLAIN, `${PLAIN}no line end`, '', 'x', 'ü'.repeat(100_000), `${'é'.repeat(40_000)}\n${PLAIN}`])
    assert.is(`${copied(text)}`, text);
});

test('finds a private key whose lines come in two pieces, and what a line holds that is longer than one', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${`${'aBcD1234'.repeat(8)}\n`.repeat(20)}-----END PRIVATE KEY-----\n`;
  const before = PLAIN.slice(0, 65_000);
  assert.is(`${copied(`${before}\n${key}${PLAIN}`)}`, `${before}\n[REDACTED:private_key]\n${PLAIN}`);
  const long = 'word '.repeat(30_000);
  assert.is(`${copied(`${long}open-sesame ${long}\n`)}`, `${long}[REDACTED:A_TOKEN] ${long}\n`);
});

test('puts the sign for what is not UTF-8 in the place of each such byte', () => {
  assert.is(`${copied(Buffer.concat([Buffer.from('a'), Buffer.from([0xff]), Buffer.from('b\n')]))}`, 'a\ufffdb\n');
});

test('finds every secret of a message that is repeated, and what follows or interrupts it', () => {
  // A line of 64 bytes fills each piece with the same bytes.
  const line = (text: string) => `${text.padEnd(63, '.')}\n`;
  const [told, redacted] = ['the key is open-sesame, as ever', 'the key is [REDACTED:A_TOKEN], as ever'].map((text) =>
    line(text),
  ) as [string, string];
  const hidden = redacted.replace(/\.+\n$/, () => told.slice(told.indexOf('..')));
  const key = `-----BEGIN PRIVATE KEY-----\n${`${'aBcD1234'.repeat(8)}\n`.repeat(20)}-----END PRIVATE KEY-----\n`;
  const [many, clean] = [5 * 1024, line('nothing in particular')];
  assert.is(`${copied(told.repeat(many))}`, hidden.repeat(many));
  assert.is(
    `${copied(`${clean.repeat(many)}${told}${clean.repeat(many)}`)}`,
    `${clean.repeat(many)}${hidden}${clean.repeat(many)}`,
  );
  // A key that never ends holds back the first of the plain lines behind it.
  const begin = '-----BEGIN PRIVATE KEY-----';
  const [open, closed] = [begin, '[REDACTED:private_key]'].map(
    (text) => `${clean.repeat(1023)}${line(begin).replace(begin, text)}${clean.repeat(many)}`,
  ) as [string, string];
  assert.is(`${copied(open)}`, closed);
  // The key begins in one piece and ends in the next, which is plain lines before and after it.
  const before = clean.repeat(3 * 1024 - 1);
  assert.is(
    `${copied(`${before}${key}${clean.repeat(many)}`)}`,
    `${before}[REDACTED:private_key]\n${clean.repeat(many)}`,
  );
});

test('ends though a process still writes to the file, and copies what was there', () => {
  const appending = {
    ...redactor,
    redact(text: string) {
      appendFileSync(path.join(folder, 'source'), PLAIN);
      if (statSync(path.join(folder, 'source')).size > 100 * PLAIN.length) throw new Error('the copy does not end');
      return redactor.redact(text);
    },
  };
  assert.is(`${copied(PLAIN.repeat(3), appending)}`, PLAIN.repeat(3));
});

test.run();
