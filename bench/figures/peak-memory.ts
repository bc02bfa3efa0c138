// The most memory that processes of Node held in their whole lives, each told by itself as it ends.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchWorld } from './world.ts';

/**
 * For a script that Node preloads, evaluated as the process ends: in KiB.
 * Linux counts the memory that a parent held as it forked into `maxRSS`, which would be ours; `VmHWM` is its own.
 */
export const PEAK_KIB = `(() => {
  try {
    return Number(/^VmHWM:\\s+(\\d+)/m.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
})()`;

export interface PeakMemory {
  /** Before the script, among the arguments of node. */
  flags: string[];
  /** In MiB, of the process that ended last. */
  last(): number;
}

export function weighIn(world: BenchWorld): PeakMemory {
  const told = path.join(world.root, 'peak-memory');
  const tell = `require('node:fs').writeFileSync(${JSON.stringify(told)}, String(${PEAK_KIB}))`;
  const hook = world.write('peak-memory.cjs', `process.on('exit', () => ${tell});\n`);
  return { flags: ['--require', hook], last: () => Number(readFileSync(told, 'utf8')) / 1024 };
}
