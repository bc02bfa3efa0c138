// A call of a distillation whose wrapper was killed: its CLI is waited for or ended, and its answer published, as a sweep would do it.

import { setTimeout as delay } from 'node:timers/promises';
import { type FoundCall, readEntries, registerFolder } from '../../../state/calls/call-register.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { ServiceFailure } from '../../../wrappers/gemini-api/document-service.ts';
import { sweepEntry } from '../../sweep/sweep.ts';
import { isUnswept } from '../../sweep/swept.ts';

interface Settling {
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  /** Where the CLI runs. */
  folder: string;
}

/** A process of another parent tells nobody of its end. */
export const LOOK_MS = 200;

/**
 * Nothing of the call with this record lives once this returns, by the register and the start time of its wrapper, and not by a
 * command line alone. @param isWaitedFor ends it once that is false. Throws ServiceFailure where it cannot be settled from here.
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

/** null where nobody knows of it: it was published, or never began. */
function entryWith(record: string, environment: NodeJS.ProcessEnv): Entry | null {
  const register = registerFolder(environment);
  if (register === null) return null;
  const isIt = (found: FoundCall): found is Entry =>
    found.how === 'read' && (found.entry.draft as { files?: { result?: unknown } } | null)?.files?.result === record;
  try {
    return readEntries(register).find(isIt) ?? null;
  } catch (error) {
    // A register that cannot be read knows of nothing.
    if (isSystemError(error)) return null;
    throw error;
  }
}
