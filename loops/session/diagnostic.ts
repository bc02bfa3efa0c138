// Writes all known facts of a conversation to a file, for the analysis of what broke it; omits secrets.

import path from 'node:path';
import { logFiles, readLog } from '../../state/api-errors/read.ts';
import { writeJson } from '../../state/atomic-file.ts';
import { editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { findEscapingLink, projectState } from '../../state/task-folder.ts';
import type { SessionFile } from '../../wrappers/sessions/store.ts';
import { redactorOf } from '../redactor.ts';
import { healthOf } from './health.ts';
import { readHistory } from './history.ts';
import type { RecoveredConversation, RecoveringConversation } from './recovering.ts';

/** Throws SessionFileError. */
export async function exportDiagnostic(recovering: RecoveringConversation): Promise<RecoveredConversation> {
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
