// Reads and writes the user's own limits over all tasks, as `tollgate budget` sets them.

import { type Limits, limitsMistake, NO_LIMITS } from '../../policies/limits/limits.ts';
import type { LimitsFiles } from './limits-folder.ts';
import { readLimitsJson, writeLimitsJson } from './limits-json.ts';

/** Throws StrangeStateError for an invalid file: the caller must not pay as if there were no limit. */
export function readUserLimits({ limits: file }: LimitsFiles): Limits {
  const fix = `Fix it, or remove it to have no limits of your own: rm ${file}`;
  const { budgets = [], ...read } = readLimitsJson<Partial<Limits>>(file, NO_LIMITS, limitsMistake, fix);
  return { ...NO_LIMITS, ...read, budgets: budgets.map((row) => ({ ...row, tool: row.tool ?? 'any' })) };
}

export function writeUserLimits({ folder, limits: file }: LimitsFiles, limits: Limits): void {
  writeLimitsJson(folder, file, { v: 1, ...limits });
}
