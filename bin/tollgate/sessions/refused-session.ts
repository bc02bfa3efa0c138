// Finds the session that a run's failure leaves broken: the service refused its conversation, and still does.

import type { RunReport } from '../../../loops/run/report.ts';
import type { ErrorClass } from '../../../policies/facts/classes.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { adapterOf } from '../../../wrappers/adapters.ts';

const BAD_REQUEST = 400;

/** These failures concern an account, and no change of the conversation fixes them. */
const OF_ACCOUNTS: ReadonlySet<ErrorClass> = new Set(['auth', 'quota']);

/** @returns null also if the CLI has no file of the session: then the user has nothing to choose from. */
export async function refusedSession({ failure, stages }: RunReport) {
  if (failure === null || failure.tool === null || OF_ACCOUNTS.has(failure.class)) return null;
  if (failure.reason !== 'broken_history' && failure.http_status !== BAD_REQUEST) return null;
  const { stage, tool } = failure;
  const id = stages.find((each) => each.stage === stage)?.session_id ?? null;
  if (id === null) return null;
  const store = await adapterOf(tool).sessions();
  try {
    const session = await store.find(id, { environment: process.env, cwd: process.cwd() });
    return session && { id, tool };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return null;
  }
}
