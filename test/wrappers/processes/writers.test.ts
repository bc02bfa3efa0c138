// Who may still write to a file is asked of the kernel: it knows descriptors that nobody can see in any list.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mayBeWritten } from '../../../wrappers/processes/writers.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const file = path.join(temporaryFolder('writers-'), 'stderr');
/** Elsewhere nobody can tell. */
const CAN_TELL = process.platform === 'linux' && existsSync('/usr/bin/perl');

function opened(): number {
  writeFileSync(file, 'said\n');
  return openSync(file, 'r');
}

/** Holds the file open until its stdin is closed. */
function holding(flags: 'r' | 'a'): ChildProcess {
  const fd = openSync(file, flags);
  const child = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore', fd] });
  closeSync(fd);
  return child;
}

async function release(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.stdin!.end();
  await gone;
}

test('a file that nobody has open, or to read alone, is written by nobody any more', async () => {
  const fd = opened();
  assert.is(mayBeWritten(fd), !CAN_TELL);
  const reader = holding('r');
  assert.is(mayBeWritten(fd), !CAN_TELL);
  await release(reader);
  closeSync(fd);
});

test('one whose descriptor some process still has is, whatever has become of its name', async () => {
  const fd = opened();
  const writer = holding('a');
  unlinkSync(file);
  assert.ok(mayBeWritten(fd));
  await release(writer);
  assert.is(mayBeWritten(fd), !CAN_TELL);
  closeSync(fd);
});

test('whoever opens it for writing later need not wait for a lease that was asked for', () => {
  const fd = opened();
  mayBeWritten(fd);
  // Where there is a lease this fails at once.
  closeSync(openSync(file, constants.O_WRONLY | constants.O_NONBLOCK));
  closeSync(fd);
});

test.run();
