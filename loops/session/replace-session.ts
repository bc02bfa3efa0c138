// Replaces a session whose only turn was reverted with a new one, for a CLI that cannot resume an empty session.

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { takenBack } from '../../policies/session/reverted-turns.ts';
import type { EditEntry, KnownEdit } from '../../policies/session/session-edits.ts';
import { readRegularBytes } from '../../state/disk/regular-file.ts';
import {
  backupName,
  type EditsLedger,
  editsLedger,
  makeLedger,
  planEdit,
  readEdits,
  settleEdit,
} from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectState } from '../../state/task-folder.ts';
import type { Conversation, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { changeSessions } from './change-sessions.ts';
import { type Holder, lookAtInterruptedEdits } from './edit.ts';
import { nowOf } from './undo.ts';

interface Replacing {
  store: SessionStore;
  /** The session whose only turn is reverted. Its file is not changed. */
  conversation: Conversation;
  id: string;
  environment: NodeJS.ProcessEnv;
  cwd: string;
  clock: () => Date;
  holder: Holder;
}

interface ReplacedSession {
  /** null if its CLI has no file of it. */
  session: SessionFile | null;
  /** The tags that continue in it now. */
  tags: string[];
  /** What could not be done, as sentences. */
  notes: string[];
}

/** Everything that was reverted in the old session, and its only turn, can be brought back in the new one. */
export async function replaceSession(request: Replacing): Promise<ReplacedSession> {
  const { store, conversation, id, environment, cwd } = request;
  const notes: string[] = [];
  const session = await store.find(id, { environment, cwd: conversation.session.cwd ?? cwd });
  const attempt = async <T>(what: string, act: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await act();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      notes.push(`${what} (${error.message})`);
      return null;
    }
  };
  if (session !== null)
    await attempt(`what was taken back can be brought back in ${conversation.session.id} alone`, () =>
      carryOver(request, session),
    );
  const tags =
    (await attempt('its tags continue in the old one: sessions.json could not be written', () => moveTags(request))) ??
    [];
  return { session, tags, notes };
}

function carryOver({ store, conversation, environment, clock, holder }: Replacing, into: SessionFile): void {
  const { session } = conversation;
  const from = editsLedger(session.tool, session.id, environment);
  const to = editsLedger(into.tool, into.id, environment);
  if (from === null || to === null || store.renamed === null || makeLedger(to) !== null) return;
  let n = 0;
  for (const { file, bytes, turns, at } of statesOf(conversation, from)) {
    n += 1;
    const text = store.renamed(
      readRegularBytes(file, MAX_BYTES).subarray(0, bytes).toString('utf8'),
      session.id,
      into.id,
    );
    const backup = backupName(n, into.file);
    writeSynced(path.join(to.folder, backup), text);
    const entry: EditEntry = {
      n,
      // A copy keeps the time of its source.
      at: at ?? clock().toISOString(),
      tool: into.tool,
      session_id: into.id,
      file: into.file,
      what: 'rolled_back',
      before: { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') },
      after: { bytes: 0, sha256: createHash('sha256').digest('hex') },
      backup,
      turns,
      kept_turns: 0,
      kept_items: null,
      reverted_turns: turns,
      ...holder,
    };
    planEdit(to, entry);
    settleEdit(to, n, 'made', clock());
  }
}

const MAX_BYTES = 256 * 1024 * 1024;

/** Returns the states that can be brought back, the oldest first, and the current state last. */
function statesOf(conversation: Conversation, ledger: EditsLedger) {
  const { session, turns } = conversation;
  const read = readEdits(ledger);
  const edits: readonly KnownEdit[] = read.how === 'read' ? lookAtInterruptedEdits(read.edits, session).edits : [];
  const kept = takenBack(edits, nowOf(edits, conversation)).filter(({ edit }) => edit.backup !== null && edit.isKept);
  return [
    ...kept.map(({ edit, turns }) => ({
      file: path.join(ledger.folder, edit.backup!),
      bytes: edit.before.bytes,
      turns,
      at: edit.at,
    })),
    { file: session.file, bytes: session.bytes, turns, at: null },
  ];
}

function writeSynced(file: string, text: string): void {
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

async function moveTags({ conversation, id, environment, cwd, clock }: Replacing): Promise<string[]> {
  const { session } = conversation;
  const tags: string[] = [];
  await changeSessions({ stateFolder: projectState(cwd, environment), taskId: 'undo', clock }, (before) => {
    tags.length = 0;
    let all = before;
    for (const { tag, tool, entry } of before.entries()) {
      if (tool !== session.tool || entry.session_id !== session.id) continue;
      tags.push(tag);
      const { poisoned: _, ...sound } = entry;
      const last_used = clock().toISOString();
      all = all.with(tag, tool, { ...sound, session_id: id, last_used, error_count: 0, context_tokens: null });
    }
    // Otherwise the old session would be found again by its first line.
    return tags.length === 0 ? before : all.givingUp(session.tool, session.id);
  });
  return tags;
}
