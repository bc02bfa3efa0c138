// Measures the peak memory of a command and of the processes it starts; each reports it at its own end.

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PEAK_KIB } from '../../figures/world.ts';

export interface Memory {
  folder: string;
  env: Record<string, string>;
}

/** @param root the folder of the round; the processes write to a separate folder in it. */
export function remembering(root: string): Memory {
  const folder = mkdtempSync(path.join(root, 'memory-'));
  const hook = path.join(folder, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => { try { require('node:fs').writeFileSync(${JSON.stringify(folder)} + '/' + process.pid, String(${PEAK_KIB})) } catch {} })`,
  );
  return { folder, env: { NODE_OPTIONS: `--require ${JSON.stringify(hook)}` } };
}

/** In MiB, of the process with the most memory; 0 if none could report. */
export const memoryIn = ({ folder }: Memory): number =>
  Math.max(
    0,
    ...readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map((name) => Number(readFileSync(path.join(folder, name), 'utf8')) / 1024),
  );
