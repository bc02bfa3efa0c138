// Limits the young heap while a flood is read, of text or of tasks: what is read is garbage at once, and would grow it to 48 MB.

import { setFlagsFromString } from 'node:v8';

export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
