// Recovers a conversation that the service no longer accepts, in the way that the user chooses.

import path from 'node:path';
import type { EditKind } from '../../policies/session/session-edits.ts';
import { logFiles, readLog } from '../../state/api-errors/read.ts';
import { writeJson } from '../../state/atomic-file.ts';
import { editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import { readSessions } from '../../state/sessions/sessions-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { findEscapingLink, projectState } from '../../state/task-folder.ts';
import type { SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { redactorOf } from '../redactor.ts';
import { editSession, type Holder } from './edit.ts';
import { healthOf, installedVersion } from './health.ts';
import { readHistory } from './history.ts';
import { planClear, planRollback } from './undo.ts';

/** The effect of each choice, in the words of the menu. */
export const CHOICES = {
  rollback: 'remove the last prompt and all that follows it',
  clear: 'repair what is wrong; if nothing is, remove the last step',
  export: 'write a diagnostic file without secrets; change nothing',
  ignore: 'change nothing',
} as const;

export type Choice = keyof typeof CHOICES;

export const LONG_CHOICES = {
  'deep-rollback': 'rollback',
  'clear-turn': 'clear',
  'export-diagnostic': 'export',
} as const satisfies Record<string, Choice>;

interface RecoveringConversation {
  store: SessionStore;
  session: SessionFile;
  environment: NodeJS.ProcessEnv;
  cwd: string;
  clock: () => Date;
  holder: Holder;
  /** The version of Tollgate, for a diagnostic. */
  version: string;
}

type RecoveredConversation =
  | { how: 'edited'; what: EditKind; says: string; edit: number; reverted: number }
  /** There was nothing to do. */
  | { how: 'left'; says: string }
  | { how: 'exported'; says: string; file: string }
  /** Nothing was changed. */
  | { how: 'refused'; why: string };

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
    `turn ${turns} is taken back, with its prompt; ${turns === 2 ? '1 turn remains' : `${turns - 1} turns remain`}`,
  cleared: (turns: number, kept: number | null) =>
    kept === null
      ? `turn ${turns}, a prompt without an answer, is taken back`
      : `the last step of turn ${turns} is taken back`,
  undone: (turns: number) => `the answer to turn ${turns} is taken back`,
  mended: () => 'what was wrong is repaired; all turns are kept',
} as const;

/** @param why a full sentence. */
async function refusedFor(
  { session, environment, cwd, clock }: RecoveringConversation,
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

/** Writes all known facts of the conversation to a file, without secrets. Throws SessionFileError. */
async function exportDiagnostic(recovering: RecoveringConversation): Promise<RecoveredConversation> {
  const { session, environment, cwd, clock } = recovering;
  const state = projectState(cwd, environment);
  const folder = path.join(state, 'state', 'diagnostics');
  const stray =
    findEscapingLink(path.dirname(state), [path.basename(state)]) ??
    findEscapingLink(state, ['state', 'state/diagnostics']);
  if (stray !== null) return { how: 'refused', why: stray };
  const at = clock().toISOString();
  const file = path.join(folder, `${session.tool}.${session.id.slice(0, 8)}.${at.replace(/[:.]/g, '-')}.json`);
  const { redact } = redactorOf(environment, []);
  const known = diagnosticOf(recovering, at, path.join(state, 'state'));
  try {
    await writeJson(file, JSON.parse(redact(JSON.stringify(known))) as object, 'renamed');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'refused', why: `the diagnostic could not be written (${error.message})` };
  }
  return { how: 'exported', says: `written to ${file}`, file };
}

function diagnosticOf({ store, session, environment, version }: RecoveringConversation, at: string, logs: string) {
  const conversation = store.open(session);
  const { flaws, cliVersion, context, turns } = healthOf(conversation, environment);
  const history = readHistory(store, session, environment, null);
  const ledger = editsLedger(session.tool, session.id, environment);
  const edits = ledger === null ? null : readEdits(ledger);
  return {
    schema: 1,
    at,
    versions: {
      tollgate: version,
      node: process.version,
      cli: cliVersion,
      cli_of_session: session.cliVersion,
      platform: process.platform,
    },
    session: { ...session, changedAt: new Date(session.changedAtMs).toISOString(), turns, context },
    flaws,
    notes: history.notes,
    edits: edits?.how === 'read' ? edits.edits : (edits?.why ?? null),
    api_errors: lastErrors(session, logs),
    turns: history.turns,
  };
}

const LAST_ERRORS = 10;

/** Returns the last logged errors of the session; for an unreadable log, the reason instead. */
function lastErrors({ tool, id }: SessionFile, folder: string): unknown[] {
  const errors: unknown[] = [];
  try {
    for (const file of logFiles(folder))
      for (const found of readLog(file)) {
        if (found.how !== 'entry') continue;
        const { context } = found.entry;
        if (context.tool !== tool || context.session_id !== id) continue;
        errors.push(found.entry);
        if (errors.length > LAST_ERRORS) errors.shift();
      }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    errors.push(`the log could not be read (${error.message})`);
  }
  return errors;
}
