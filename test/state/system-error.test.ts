// What the operating system says is told from what a bug throws.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isSystemError } from '../../state/system-error.ts';

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.unreachable();
}

const ERRORS: [what: string, error: unknown, ofTheSystem: boolean][] = [
  ['a file that is not there', thrown(() => readFileSync('/none/such')), true],
  ['a folder read as a file', thrown(() => readFileSync('/')), true],
  ['a folder removed as a file', thrown(() => rmSync(import.meta.dirname)), true],
  ['a program that is not there', spawnSync('/none/such').error, true],
  ['a full disk, by its code alone', Object.assign(new Error('no space'), { code: 'ENOSPC' }), true],
  ['an argument of a wrong kind', thrown(() => readFileSync(null as never)), false],
  ['a name with a zero byte', thrown(() => readFileSync('a\0b')), false],
  ['a module that is not there', thrown(() => createRequire(import.meta.url)('./none.cjs')), false],
  ['a bug', new TypeError('x is not a function'), false],
  ['an error with a number for a code', Object.assign(new Error('x'), { code: 5 }), false],
  ['no error at all', { code: 'ENOENT' }, false],
];
for (const [what, error, ofTheSystem] of ERRORS)
  test(`${what} is ${ofTheSystem ? '' : 'not '}of the system`, () => {
    assert.is(isSystemError(error), ofTheSystem);
  });

test.run();
