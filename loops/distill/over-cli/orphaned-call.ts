// Settles a distillation's call whose wrapper was killed: waits for its CLI or ends it, and publishes its answer like a sweep.

import { setTimeout as delay } from 'node:timers/promises';
import { type FoundCall, readEntries, registerFolder } from '../../../state/calls/call-register.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { ServiceFailure } from '../../../wrappers/gemini-api/document-service.ts';
import { sweepEntry } from '../../upkeep/sweep.ts';
import { isUnswept } from '../../upkeep/swept.ts';

interface Settling {
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  /** The folder in which the CLI runs. */
  folder: string;
}

/** The end of a process with another parent raises no event. */
export const LOOK_MS = 200;

/**
 * When this returns, no process of the call with this record lives. It uses the register and the start time of the wrapper, and
 * not only a command line. Throws ServiceFailure if the call cannot be settled from here.
 * @param isWaitedFor the call is ended when this returns false.
 */
export async function settleOrphan(
  record: string,
  isWaitedFor: () => boolean,
  { environment, clock, folder }: Settling,
): Promise<void> {
  for (;;) {
    const found = entryWith(record, environment);
    if (found === null) return;
    const working = isWaitedFor() ? 'wait' : 'end';
    const [swept] = await sweepEntry(found.file, found.entry, { cwd: folder, environment, clock, working });
    if (swept !== undefined && (isUnswept(swept) || swept.how === 'elsewhere'))
      throw new ServiceFailure({
        message: `${swept.told}${swept.fix === null ? '' : `; ${swept.fix}`}`,
        status: 400,
        retryAfterMs: null,
        body: '',
        offline: false,
      });
    if (swept !== undefined && swept.how !== 'working') return;
    await delay(LOOK_MS);
  }
}

type Entry = Extract<FoundCall, { how: 'read' }>;

/** @returns null if the register has no entry: the call was published, or never began. */
function entryWith(record: string, environment: NodeJS.ProcessEnv): Entry | null {
  const register = registerFolder(environment);
  if (register === null) return null;
  const isIt = (found: FoundCall): found is Entry =>
    found.how === 'read' && (found.entry.draft as { files?: { result?: unknown } } | null)?.files?.result === record;
  try {
    return readEntries(register).find(isIt) ?? null;
  } catch (error) {
    // An unreadable register counts as empty.
    if (isSystemError(error)) return null;
    throw error;
  }
}
