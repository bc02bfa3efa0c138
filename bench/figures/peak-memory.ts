// The most memory that processes of Node held in their whole lives, each told by itself as it ends.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchWorld } from './world.ts';

/** Linux counts the memory that a parent held as it forked into `maxRSS`, which would be ours; `VmHWM` is its own. */
const HOOK = (told: string) => `const fs = require('node:fs');
process.on('exit', () => {
  let kib = process.resourceUsage().maxRSS;
  try { kib = /^VmHWM:\\s+(\\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]; } catch {}
  fs.writeFileSync(${JSON.stringify(told)}, String(kib));
});
`;

export interface PeakMemory {
  /** Before the script, among the arguments of node. */
  flags: string[];
  /** In MiB, of the process that ended last. */
  last(): number;
}

export function weighIn(world: BenchWorld): PeakMemory {
  const told = path.join(world.root, 'peak-memory');
  const hook = world.write('peak-memory.cjs', HOOK(told));
  return { flags: ['--require', hook], last: () => Number(readFileSync(told, 'utf8')) / 1024 };
}
