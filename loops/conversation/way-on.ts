// What is left to do about a session of which nothing can be taken back any more: nothing of it is changed, nor its tag.

import { readSessions } from '../../state/sessions/sessions-file.ts';
import { projectState } from '../../state/task-folder.ts';
import type { RecoveredConversation, RecoveringConversation } from './recovering.ts';

/** @param why a whole sentence. */
export async function refusedFor(
  { session, environment, cwd, clock }: Pick<RecoveringConversation, 'session' | 'environment' | 'cwd' | 'clock'>,
  why: string,
): Promise<RecoveredConversation & { how: 'refused' }> {
  const { entries } = await readSessions(projectState(cwd, environment), clock, 'left');
  const tags = entries()
    .filter(({ tool, entry }) => tool === session.tool && entry.session_id === session.id)
    .map(({ tag }) => tag);
  const fresh = tags.map((tag) => `tollgate sessions forget ${tag}`).join(', ');
  const wayOn = fresh === '' ? '' : ` With ${fresh} the next task begins a fresh one.`;
  return { how: 'refused', why: `${why}${wayOn} (Nothing was changed.)` };
}
