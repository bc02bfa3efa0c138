// A file that is replaced: whole or as it was, with nothing left beside it, and nothing written into what is there already.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replaceFile, replaceText, temporaryPrefix } from '../../../state/disk/replace-file.ts';

const test = suite<{ folder: string; file: string }>('replace a file');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'replace-'));
  context.file = path.join(context.folder, 'a.json');
  writeFileSync(context.file, 'old');
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

test('where it cannot be filled the old one stays, and no temporary', ({ folder, file }) => {
  const full = () => {
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
  };
  assert.throws(() => replaceFile(file, 'synced', full), /ENOSPC '.*a\.json'/);
  assert.equal([readFileSync(file, 'utf8'), readdirSync(folder)], ['old', ['a.json']]);
});

test('a temporary that is there already is not written to, and the file is for the user alone', ({ folder, file }) => {
  const taken = Array.from({ length: 20 }, (_, n) => `${temporaryPrefix(file, process.pid)}${n + 1}`);
  for (const name of taken) writeFileSync(path.join(folder, name), 'of another');
  replaceText(file, 'new');
  assert.equal(
    taken.map((name) => readFileSync(path.join(folder, name), 'utf8')),
    taken.map(() => 'of another'),
  );
  assert.equal([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['new', 0o600]);
});

test.run();
