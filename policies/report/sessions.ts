// Gives next actions for failures that the session itself causes.

import { toDo, toType } from '../facts/next-action.ts';
import { shellWord } from '../text/shell-word.ts';
import { isOwnCall, rerun, thenRerun, type WayOut } from './situation.ts';

export const SESSION_ACTIONS = {
  broken_history: (situation) => {
    const { called, ranTools, sessionId, tool } = situation;
    if (!sessionId) return [rerun(situation, `ask ${tool} again in a fresh session`)];
    const fresh = ranTools
      ? `or look at what its tools did, for a fresh session does not know it, then ask ${tool} again`
      : `or ask ${tool} again in a fresh session`;
    return [
      toType(
        'repair the session, or take its last step back, without a paid call',
        `${called.launcher} recover ${shellWord(sessionId)} --choose clear`,
      ),
      rerun(situation, fresh),
    ];
  },
  session_id: (situation) => {
    const { called, namesSession, tag } = situation;
    if (namesSession || tag === undefined)
      return [
        toType('see which sessions exist', `${called.launcher} sessions list`),
        toDo(
          isOwnCall(situation)
            ? 'name one of them in --resume-session, or leave it out'
            : 'name one of them in meta.session_id of the manifest, or take the line out',
        ),
        thenRerun(situation),
      ];
    return [
      toType(
        'forget this session, so that the next call begins a fresh one',
        `${called.launcher} sessions forget ${shellWord(tag)}`,
      ),
      thenRerun(situation),
    ];
  },
  session_busy: (situation) => {
    const which = situation.sessionId ? ` ${situation.sessionId}` : '';
    return [toDo(`close the ${situation.tool} that has the session${which} open`), thenRerun(situation)];
  },
} as const satisfies Record<string, WayOut>;
