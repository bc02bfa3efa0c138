// Takes the unreported warnings of limits over all tasks, so that the end of one run reports them.

import path from 'node:path';
import { asOf, dueWarnings } from '../../policies/limits/ledger.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import { readLimitsLedger, writeLimitsLedger } from '../../state/limits/ledger-file.ts';
import { limitsFiles } from '../../state/limits/limits-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { HOLDS_LOCK_MS, locked } from './locked.ts';

interface Taking {
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  /** The folder of the run. */
  root: string;
}

/** @returns sentences, each to one taker only. What cannot be read or taken now remains for a later one. */
export async function takeNearLimits({ environment, clock, root }: Taking): Promise<string[]> {
  const files = limitsFiles(environment);
  if (files === null) return [];
  const project = path.resolve(projectRoot(root));
  try {
    if (dueWarnings(readLimitsLedger(files), project).words.length === 0) return [];
    const self = (await identify(process.pid))!;
    const taken = await locked({ files, self, clock, stop: AbortSignal.timeout(HOLDS_LOCK_MS) }, () => {
      const { words, remaining } = dueWarnings(asOf(readLimitsLedger(files), clock().getTime()), project);
      if (words.length > 0) writeLimitsLedger(files, remaining);
      return words;
    });
    return taken ?? [];
  } catch (error) {
    if (error instanceof StrangeStateError || isSystemError(error)) return [];
    throw error;
  }
}
