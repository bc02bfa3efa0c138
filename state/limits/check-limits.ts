// Runs preflight's check of the limits over all tasks: whether they can be read, and what is on hold.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';
import { holdWords } from '../../policies/limits/holds.ts';
import { StrangeStateError } from '../disk/strange-state-error.ts';
import { readHolds } from './holds-file.ts';
import { readLimitsLedger } from './ledger-file.ts';
import { limitsFiles } from './limits-folder.ts';
import { readUserLimits } from './user-limits.ts';

/** Reports nothing if there is no limit and no hold. */
export function checkLimits(environment: NodeJS.ProcessEnv, now: Date): CheckAnswer {
  const files = limitsFiles(environment);
  if (files === null) return null;
  try {
    readUserLimits(files);
    readLimitsLedger(files);
  } catch (error) {
    if (error instanceof StrangeStateError) return say('fail', error.message, `fix what is in ${files.folder}`);
    throw error;
  }
  const holds = readHolds(files, now.getTime()).map(holdWords);
  return holds.length === 0 ? null : say('note', holds.join('; '), 'ask all the same: --ignore-hold');
}
