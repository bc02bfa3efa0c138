// Recovers a conversation that the service no longer accepts, in the way that the user chooses.

import { readSessions } from '../../state/sessions/sessions-file.ts';
import { projectState } from '../../state/task-folder.ts';
import { exportDiagnostic } from './diagnostic.ts';
import { editSession } from './edit.ts';
import { installedVersion } from './health.ts';
import { planClear, planRollback } from './plans.ts';
import type { RecoveredConversation, RecoveringConversation } from './recovering.ts';

/** The effect of each choice, in the words of the menu. */
export const CHOICES = {
  rollback: 'go back to before the last prompt, which goes as well',
  clear: 'repair what is wrong; if nothing is wrong, take back only the last step',
  export: 'write down all that is known of it, without secrets, and change nothing',
  ignore: 'leave it as it is',
} as const;

export type Choice = keyof typeof CHOICES;

/** The long names of the choices. */
export const LONG_CHOICES = {
  'deep-rollback': 'rollback',
  'clear-turn': 'clear',
  'export-diagnostic': 'export',
} as const satisfies Record<string, Choice>;

/** The caller must make sure that the session is free. Throws SessionFileError. */
export async function recover(choice: Choice, recovering: RecoveringConversation): Promise<RecoveredConversation> {
  switch (choice) {
    case 'ignore':
      return { how: 'left', says: 'nothing was changed' };
    case 'export':
      return exportDiagnostic(recovering);
    case 'rollback':
    case 'clear':
      return takeBack(choice, recovering);
  }
}

async function takeBack(
  choice: 'rollback' | 'clear',
  recovering: RecoveringConversation,
): Promise<RecoveredConversation> {
  const { store, session, environment } = recovering;
  const conversation = store.open(session);
  const plan =
    choice === 'rollback'
      ? planRollback(conversation)
      : planClear(conversation, installedVersion(session, environment));
  if (plan.how === 'nothing') return { how: 'left', says: plan.why };
  if (plan.edit.how === 'impossible') return refusedFor(recovering, plan.edit.why);
  const edited = await editSession({ ...plan, ...recovering, conversation });
  if (edited.how === 'refused') return edited;
  if (edited.how === 'unchanged') return { how: 'left', says: 'there is nothing to change' };
  const { n, reverted_turns } = edited.entry;
  return {
    how: 'edited',
    what: plan.what,
    says: SAYS[plan.what](conversation.turns, edited.entry.kept_items),
    edit: n,
    reverted: reverted_turns,
  };
}

const SAYS = {
  rolled_back: (turns: number) =>
    `turn ${turns} is taken back, with its prompt; ${turns === 2 ? '1 stands' : `${turns - 1} stand`}`,
  cleared: (turns: number, kept: number | null) =>
    kept === null
      ? `turn ${turns}, a prompt without an answer, is taken back`
      : `the last step of turn ${turns} is taken back`,
  undone: (turns: number) => `the answer to turn ${turns} is taken back`,
  mended: () => 'what was wrong is repaired; all turns are kept',
} as const;

/** @param why a full sentence. */
async function refusedFor(
  { session, environment, cwd, clock }: Pick<RecoveringConversation, 'session' | 'environment' | 'cwd' | 'clock'>,
  why: string,
): Promise<RecoveredConversation & { how: 'refused' }> {
  const { entries } = await readSessions(projectState(cwd, environment), clock, 'in_place');
  const tags = entries()
    .filter(({ tool, entry }) => tool === session.tool && entry.session_id === session.id)
    .map(({ tag }) => tag);
  const fresh = tags.map((tag) => `tollgate sessions forget ${tag}`).join(', ');
  const wayOn = fresh === '' ? '' : ` With ${fresh} the next task begins a fresh one.`;
  return { how: 'refused', why: `${why}${wayOn} (Nothing was changed.)` };
}
