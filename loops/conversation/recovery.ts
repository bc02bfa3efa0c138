// The ways out of a conversation that the service no longer accepts.

import type { ContextTokens, Flaw } from '../../policies/conversation.ts';
import type { EditKind } from '../../policies/session-edits.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { versionOfPackage } from '../../wrappers/cli-version.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import type { Conversation, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { exportDiagnostic } from './diagnostic.ts';
import { editSession, type Holder } from './edit.ts';
import { planClear, planRollback } from './plans.ts';
import { refusedFor } from './way-on.ts';

export const CHOICES = {
  rollback: 'go back to before the last prompt, which goes as well',
  clear: 'mend what is wrong; where nothing is, take back the last step alone',
  export: 'write down all that is known of it, without secrets, and change nothing',
  ignore: 'leave it as it is',
} as const;

export type Choice = keyof typeof CHOICES;

/** As they are called at length. */
export const LONG_CHOICES = {
  'deep-rollback': 'rollback',
  'clear-turn': 'clear',
  'export-diagnostic': 'export',
} as const satisfies Record<string, Choice>;

export interface Recovering {
  store: SessionStore;
  session: SessionFile;
  environment: NodeJS.ProcessEnv;
  cwd: string;
  clock: () => Date;
  holder: Holder;
  /** Ours, for a diagnostic. */
  version: string;
}

export interface Health {
  turns: number;
  /** null: nobody can say for this version of its CLI. */
  flaws: Flaw[] | null;
  cliVersion: string | null;
  context: ContextTokens | null;
  lastPrompt: string | null;
}

export type Recovered =
  | { how: 'edited'; what: EditKind; says: string; edit: number; reverted: number }
  /** There was nothing to do. */
  | { how: 'left'; says: string }
  | { how: 'exported'; says: string; file: string }
  /** Nothing was changed. */
  | { how: 'refused'; why: string };

/** Throws SessionFileError. */
export function healthOf(conversation: Conversation, environment: NodeJS.ProcessEnv): Health {
  const { turns, session } = conversation;
  const cliVersion = installedVersion(session, environment);
  return {
    turns,
    flaws: conversation.flaws(cliVersion),
    cliVersion,
    context: conversation.contextTokens(),
    lastPrompt: turns === 0 ? null : conversation.read(turns, turns)[0]!.prompt,
  };
}

/** Whether the session is free is for the caller to know. Throws SessionFileError. */
export async function recover(choice: Choice, recovering: Recovering): Promise<Recovered> {
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

/** Of the CLI that would resume it; where none is found, of the one that began it. */
export function installedVersion({ tool, cliVersion }: SessionFile, environment: NodeJS.ProcessEnv): string | null {
  const { binary, packageName } = ADAPTERS[tool];
  const file = findBinary(binary, environment.PATH);
  return (file === null ? null : versionOfPackage(file, packageName)) ?? cliVersion;
}

async function takeBack(choice: 'rollback' | 'clear', recovering: Recovering): Promise<Recovered> {
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
  mended: () => 'what was wrong is mended; all that was said stands',
} as const;
