// Before a resume: a session whose history its CLI would send wrongly is mended, the record says so, and what it has counted is noted.

import type { Usage } from '../../policies/engine-event.ts';
import { type Mended, mendBeforeResume } from '../conversation/mend.ts';
import { findSession, lookInto } from '../session/own-files.ts';
import type { Draft } from './draft.ts';

/** What cannot be mended is resumed as it is: the service has the last word, and may not mind. */
export async function mendSession(draft: Draft, sessionId: string): Promise<void> {
  const mended = await mend(draft, sessionId);
  if (mended.how === 'mended') draft.warnings.push(`session ${sessionId}: ${mended.what} before it was resumed`);
  if (mended.how === 'cannot') draft.warnings.push(`session ${sessionId} was resumed as it is: ${mended.why}`);
  draft.countedBefore = await countedBefore(draft, sessionId);
}

async function countedBefore({ request }: Draft, sessionId: string): Promise<Partial<Usage> | null> {
  const { adapter, call } = request;
  if (adapter.usageCounts === 'call') return null;
  const session = await findSession(adapter.tool, sessionId, call);
  return session && lookInto(adapter.tool, session, (conversation) => conversation.countedSoFar());
}

function mend({ request, cliVersion, clock }: Draft, sessionId: string): Promise<Mended> {
  const { adapter, call } = request;
  const { tool } = adapter;
  const { environment, cwd } = call;
  return mendBeforeResume({ tool, sessionId, cliVersion, environment, cwd, clock });
}
