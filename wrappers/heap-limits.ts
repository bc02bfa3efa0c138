// Limits the heap: the young one while a flood is read, of text or of tasks, since what is read is garbage at once and would grow it to 48 MB.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** For a process that stays for days and mostly waits: garbage is collected early, rather than the heap grown to twice what is kept. */
export function keepHeapSmall(): void {
  keepYoungHeapSmall();
  setFlagsFromString('--optimize-for-size');
}

/** Node collects old garbage when there is as much of it as of all else: what comes next would lie beside it. Some 10 ms. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
