// All parts of `npm run bench`, each by its name.

import { batchOf } from './batch.ts';
import { CONSOLE } from './console.ts';
import { HOURS } from './console-hours.ts';
import { FLOOD } from './flood.ts';
import { HELPS } from './helps.ts';
import { HOSTILE } from './hostile.ts';
import { JOURNAL } from './journal.ts';
import { KILL } from './kill.ts';
import { LIMITS } from './limits.ts';
import { MCP } from './mcp.ts';
import { MEMORY } from './memory.ts';
import { REPORTS } from './reports.ts';
import type { Figure } from './row.ts';
import { RUNS } from './runs.ts';
import { TEXTS } from './texts.ts';
import { WAITS } from './waits.ts';
import { WRAPPERS } from './wrappers.ts';

/** @param tasks of the batch. Texts first: code that has seen many others runs slower. */
export const figuresOf = (tasks: number): Record<string, Figure> => ({
  texts: TEXTS,
  hostile: HOSTILE,
  wrappers: WRAPPERS,
  runs: RUNS,
  limits: LIMITS,
  batch: batchOf(tasks),
  help: HELPS,
  memory: MEMORY,
  stderr: FLOOD,
  journal: JOURNAL,
  kill: KILL,
  mcp: MCP,
  console: CONSOLE,
  hours: HOURS,
  wait: WAITS,
  report: REPORTS,
});
