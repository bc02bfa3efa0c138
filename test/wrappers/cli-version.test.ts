// The version of a CLI whose file is no longer what it was when it was found.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { versionOfPackage } from '../../wrappers/cli-version.ts';

test('a binary that was removed, under whatever name it was known, has no version', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'home-'));
  try {
    const [binary, link] = [path.join(home, 'lib/run.js'), path.join(home, 'link')];
    mkdirSync(path.dirname(binary));
    writeFileSync(binary, '');
    writeFileSync(path.join(home, 'lib/package.json'), '{"name": "the-cli", "version": "1.2.3"}');
    symlinkSync(binary, link);
    assert.is(versionOfPackage(link, 'the-cli'), '1.2.3');
    rmSync(binary);
    for (const file of [binary, link, path.join(binary, 'below-a-file')])
      assert.is(versionOfPackage(file, 'the-cli'), null);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test.run();
