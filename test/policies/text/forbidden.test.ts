// Forbidden paths: a name alone is meant at any depth, a path is meant from the root, and a folder covers what lies in it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileForbidden } from '../../../policies/text/globs.ts';

for (const [glob, path, matches] of [
  ['.env', '.env', true],
  ['.env', 'deep/down/.env', true],
  ['.env', 'deep/.env.example', false],
  ['.env*', 'deep/.env.local', true],
  ['*.pem', 'keys/a.pem', true],
  ['secrets', 'app/secrets/a/b.txt', true],
  ['secrets/', 'app/secrets/a.txt', true],
  ['app/secrets', 'app/secrets/a.txt', true],
  ['app/secrets', 'other/app/secrets/a.txt', false],
] as const)
  test(`${glob} ${matches ? 'forbids' : 'lets'} ${path}`, () => {
    assert.is(compileForbidden([glob])(path), matches ? glob : null);
  });

test.run();
