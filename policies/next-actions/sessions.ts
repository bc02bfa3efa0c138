// Failures that are the session's own.

import { rerun, type WayOut } from './situation.ts';

export const SESSION_ACTIONS = {
  broken_history: (situation) =>
    situation.sessionId
      ? [
          `tollgate recover ${situation.sessionId}`,
          situation.ranTools
            ? `or look at what its tools did, for a fresh session does not know it: ${rerun(situation)}`
            : `or begin a fresh session: ${rerun(situation)}`,
        ]
      : [rerun(situation, 'begins a fresh session')],
  session_id: (situation) => [
    situation.namesSession
      ? 'name a session that exists in meta.session_id of the manifest, or take the line out (tollgate sessions list shows which do)'
      : `tollgate sessions forget ${situation.tag ?? 'TAG'} (the next call begins a fresh one)`,
    rerun(situation),
  ],
  session_busy: (situation) => [
    `close the ${situation.tool} that has the session${situation.sessionId ? ` ${situation.sessionId}` : ''} open`,
    rerun(situation),
  ],
} as const satisfies Record<string, WayOut>;
