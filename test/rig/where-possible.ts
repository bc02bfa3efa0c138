// Skips tests that need what a machine may lack, and prints the reason.

import type { Callback, Test } from 'uvu';
import { faultShim } from './fault-shim.ts';

/** Why a machine cannot run such a test; null if it can. */
const LACKS = {
  faults: () => (faultShim() === null ? 'no C compiler here, so no call of the system can be made to fail' : null),
  linux: () => (process.platform === 'linux' ? null : 'only Linux shows what processes hold and where they work'),
  root: () => (process.getuid?.() === 0 ? null : 'only root can make devices, and files of another user'),
  user: () => (process.getuid?.() === 0 ? 'root reads and writes every file' : null),
} as const satisfies Record<string, () => string | null>;

/** Replaces `test` for those tests. */
export function where<T>(need: keyof typeof LACKS, test: Test<T>): (name: string, callback: Callback<T>) => void {
  return unless(LACKS[need](), test);
}

/** @param lack why they are skipped; null if they run. */
export function unless<T>(lack: string | null, test: Test<T>): (name: string, callback: Callback<T>) => void {
  if (lack === null) return test;
  console.log(`SKIPPED: ${lack}`);
  return (name) => test.skip(name);
}
