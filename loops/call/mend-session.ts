// Before a resume: a session whose history its CLI would send wrongly is mended, and the record says so.

import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { type Mended, mendBeforeResume } from '../conversation/mend.ts';
import type { Draft } from './draft.ts';

/** What cannot be mended is resumed as it is: the service has the last word, and may not mind. */
export async function mendSession(draft: Draft, sessionId: string): Promise<void> {
  const mended = await mend(draft, sessionId);
  if (mended.how === 'mended') draft.warnings.push(`session ${sessionId}: ${mended.what} before it was resumed`);
  if (mended.how === 'cannot') draft.warnings.push(`session ${sessionId} was resumed as it is: ${mended.why}`);
}

function mend({ request, binary, clock }: Draft, sessionId: string): Promise<Mended> {
  const { adapter, call } = request;
  const { tool, packageName } = adapter;
  const { environment, cwd } = call;
  const cliVersion = versionOfPackage(binary!, packageName);
  return mendBeforeResume({ tool, sessionId, cliVersion, environment, cwd, clock });
}
