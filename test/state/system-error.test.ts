// What the operating system says is told from what a bug throws.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isSystemError, refusalOf } from '../../state/system-error.ts';

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

const refused = (code: string, file: string) =>
  refusalOf(Object.assign(new Error(`${code}: refused, open '${file}'`), { code, path: file, syscall: 'open' }));

const WAYS_OUT: [code: string, file: string, wayOut: string][] = [
  [
    'EACCES',
    '/home/me/.local/state/tollgate/trusted.json',
    'writable for this user, or set XDG_STATE_HOME to a folder',
  ],
  ['EACCES', '/home/me/.local', 'or set XDG_STATE_HOME to a folder that is'],
  ['EROFS', '/project/.tmp', 'or set TOLLGATE_STATE to a folder that is'],
  ['EROFS', '/project/.tmp/distill', 'mount its file system writable, or set TOLLGATE_STATE to a folder that is'],
  // The state of a task is in its own folder, which no variable moves.
  ['EACCES', '/project/.tmp/task/fix/state', 'make its folder readable and writable for this user, and run it again'],
  ['ENOSPC', '/project/.tmp/distill', 'free some space on its disk, and run it again'],
];
for (const [code, file, wayOut] of WAYS_OUT)
  test(`${code} of ${file} names a way out`, () => {
    assert.match(refused(code, file)!, wayOut);
  });

test.run();
