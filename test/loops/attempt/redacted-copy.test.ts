import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { publishRedacted } from '../../../loops/attempt/redacted-copy.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import { type Screen, screenOf } from '../../../policies/redact/screen.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const folder = temporaryFolder('redacted-copy-');
const redactor = createRedactor({ env: { A_TOKEN: 'open-sesame' }, patterns: [] });

function copied(text: string | Buffer): Buffer {
  const [plain, screened] = [null, screenOf(redactor)].map((screen) => copiedWith(screen, text));
  assert.ok(plain!.equals(screened!));
  return screened!;
}

function copiedWith(screen: Screen | null, text: string | Buffer): Buffer {
  const [source, target] = [path.join(folder, 'source'), path.join(folder, 'target')];
  writeFileSync(source, text);
  const fd = openSync(source, 'r');
  publishRedacted(fd, target, redactor, 'renamed', null, screen);
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

test('puts the sign for what is no UTF-8 in the place of each such byte', () => {
  assert.is(`${copied(Buffer.concat([Buffer.from('a'), Buffer.from([0xff]), Buffer.from('b\n')]))}`, 'a\ufffdb\n');
});

test.run();
