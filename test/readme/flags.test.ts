// docs/flags.md is made from the tables that print the help, and is up to date.

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

test('docs/flags.md has the flags of the commands: `npm run flags` writes it', () => {
  const wanted = execFileSync(process.execPath, ['build/flags.mjs'], { encoding: 'utf8' });
  assert.is(PAGES.get('docs/flags.md'), wanted);
});

test.run();
