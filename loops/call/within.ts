// Were we started from within a call, by its agent? Then neither its end can be waited for, nor may its tree be ended by us.

import type { Call } from '../../state/ledger.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { MARKERS } from '../../wrappers/processes/marker.ts';

/** @param environment our own: it bears the markers of all calls above, also where the processes between have ended. */
export async function isWithin({ reserved, started }: Call, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (MARKERS.some((marker) => environment[marker]?.split('/').includes(reserved.call_id))) return true;
  const above = await ancestorsOf(process.pid);
  return [reserved.guardian, started?.cli ?? null].some((one) => one !== null && isAmong(above, one));
}
