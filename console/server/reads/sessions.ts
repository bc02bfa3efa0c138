// Reads the sessions under their tags, and one conversation with what was taken back of it.

import { redactorOf } from '../../../loops/redactor.ts';
import { healthLines, healthOf } from '../../../loops/session/health.ts';
import { readHistory } from '../../../loops/session/history.ts';
import { knownSessions } from '../../../loops/session/known-sessions.ts';
import { locateSession } from '../../../loops/session/locate.ts';
import { redactValue } from '../../../policies/redact/redactor.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { projectState } from '../../../state/task-folder.ts';
import { isSessionFileError } from '../../../wrappers/sessions/store.ts';
import type { ConversationShown, SessionsShown } from '../../contract/sessions.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';

export async function sessionsShown({ cwd, environment, clock }: ServedProject): Promise<Reply> {
  const stateFolder = projectState(cwd, environment);
  const { sessions } = await knownSessions({ stateFolder, environment, clock });
  const shown: SessionsShown = {
    sessions: sessions.map(({ tag, tool, entry, turns, health }) => {
      const { session_id, last_used, error_count, context_tokens } = entry;
      return { tag, tool, session_id, last_used, error_count, turns, context_tokens: context_tokens ?? null, health };
    }),
  };
  return answerWith(shown);
}

/** A long conversation is shown from its end. */
const MOST_TURNS = 500;

export async function conversationShown(id: string, { cwd, environment }: ServedProject): Promise<Reply> {
  try {
    const located = await locateSession(id, null, { environment, cwd });
    if (located.how === 'invalid') return refused(404, located.message);
    const { store, session } = located;
    const { turns, all, reverted, redo, notes } = readHistory(store, session, environment, MOST_TURNS);
    const health = healthOf(store.open(session), environment);
    const { redact } = redactorOf(environment, []);
    const shown: ConversationShown = {
      tool: session.tool,
      session_id: session.id,
      ...{ all, reverted, notes },
      turns: redactValue(turns, redact) as typeof turns,
      redo: redo.map(({ n, at, next }) => ({ n, at, next })),
      health: { lines: healthLines(health, environment), flawed: (health.flaws ?? []).length > 0 },
    };
    return answerWith(shown);
  } catch (error) {
    if (!isSessionFileError(error) && !isSystemError(error)) throw error;
    return refused(409, `the session cannot be read (${error.message}); it was not changed`);
  }
}
