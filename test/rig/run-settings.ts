// Provides the options and context of a run in the test's process: as without flags, without a listener or a stop.

import path from 'node:path';
import type { RunContext } from '../../loops/task/run-context.ts';
import type { RunOptions } from '../../loops/task/run-options.ts';
import type { TestRig } from './test-rig.ts';

export const OPTIONS: RunOptions = {
  whenTaken: 'wait',
  redo: [],
  keep: [],
  finished: 'trusted',
  changed: 'refuse',
  dirtyRetries: 'never',
  otherChanges: 'refused',
  trustWorkspace: false,
  keepRaw: false,
  recordRequests: false,
  ignoreHold: false,
  outOfScope: 'reported',
  briefCommands: 'proposed',
  badVerdicts: 'reported',
  waitForResetMs: 0,
  repair: 'allowed',
  whenOpen: 'wait',
  commit: 'none',
};

export const contextIn = (rig: TestRig, more: Partial<RunContext> = {}): RunContext => ({
  cwd: rig.project,
  environment: rig.env,
  commandFolder: path.resolve(import.meta.dirname, '../../dist'),
  stop: new AbortController().signal,
  clock: () => new Date(),
  random: () => 0,
  pause: async () => {},
  say: () => {},
  watch: () => {},
  ...more,
});
