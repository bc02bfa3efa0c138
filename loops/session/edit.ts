// Changes a CLI's session file; the only module that does, and always with a backup and a ledger entry.

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { oldBackups } from '../../policies/session/reverted-turns.ts';
import type { EditEntry, EditKind, KeptEdit, KnownEdit, Version } from '../../policies/session/session-edits.ts';
import {
  ChangedError,
  copyWhole,
  type ExactChange,
  endsWithinLine,
  hashesOf,
  hashWith,
  type Sighting,
  sight,
  swapIfUnchanged,
} from '../../state/compare-and-swap-file.ts';
import {
  backupName,
  dropBackup,
  type EditsLedger,
  editsLedger,
  makeLedger,
  planEdit,
  readEdits,
  settleEdit,
} from '../../state/sessions/edits-ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Conversation, Edit, SessionFile } from '../../wrappers/sessions/store.ts';
import { dropAged } from './backups.ts';

/** The task and feature that the edit is made for, as far as they are known. */
export interface Holder {
  task?: string;
  feature?: string;
}

type Editing = {
  conversation: Conversation;
  edit: Edit;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  holder: Holder;
} & ({ what: 'mended' } | { what: 'rolled_back' | 'cleared' | 'undone'; keeps: KeptEdit });

/** `why` is a full sentence; the file is unchanged then. */
export type Edited = { how: 'edited'; entry: EditEntry } | { how: 'unchanged' } | { how: 'refused'; why: string };

/** The caller must make sure that the session is free. */
export async function editSession(editing: Editing): Promise<Edited> {
  const { conversation, edit, what } = editing;
  if (edit.how === 'none') return { how: 'unchanged' };
  if (edit.how === 'impossible') return { how: 'refused', why: edit.why };
  const { turns } = conversation;
  const keeps = editing.what === 'mended' ? { turns, items: null } : editing.keeps;
  return changeSession({
    ...editing,
    session: conversation.session,
    change: edit,
    entry: { what, turns, ...keptFields(keeps), reverted_turns: turns - keeps.turns },
  });
}

interface SessionChange {
  session: SessionFile;
  change: ExactChange;
  /** The version that `restore` writes; for other changes it is computed. */
  after?: Version;
  entry: Pick<EditEntry, 'what' | 'turns' | 'kept_turns' | 'kept_items' | 'reverted_turns' | 'of'>;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  holder: Holder;
}

export const keptFields = ({ turns, items }: KeptEdit) => ({ kept_turns: turns, kept_items: items });

/** Makes the backup, plans, changes and settles, in this order, so that any crash is reported and harmless. */
export function changeSession(request: SessionChange): Edited {
  const { session, environment, clock } = request;
  try {
    const seen = sight(session.file);
    if (seen === null) return refused(`${session.file} is not a regular file (any more)`);
    if (seen.bytes !== session.bytes || Math.trunc(seen.changedAtMs) !== Math.trunc(session.changedAtMs))
      return refused(`${session.file} was changed since it was read`);
    const ledger = editsLedger(session.tool, session.id, environment);
    if (ledger === null) return refused(HOMELESS);
    const stray = makeLedger(ledger);
    if (stray !== null) return refused(stray);
    const read = readEdits(ledger);
    if (read.how === 'invalid') return refused(read.why);
    const known = settleInterruptedEdits(ledger, read.edits, session, clock).edits;
    return make(request, seen, ledger, known);
  } catch (error) {
    if (!(error instanceof ChangedError) && !isSystemError(error)) throw error;
    const { message } = error;
    return refused(message.includes(session.file) ? message : `${session.file} could not be changed (${message})`);
  }
}

const HOMELESS =
  "a conversation is changed only where a backup can be kept, which is in the user's own state; set HOME or XDG_STATE_HOME to a folder that can be written";

function make(request: SessionChange, seen: Sighting, ledger: EditsLedger, known: readonly KnownEdit[]): Edited {
  const { session, environment, clock, holder } = request;
  const n = Math.max(0, ...known.map((edit) => edit.n)) + 1;
  const change = onFreshLine(request.change, seen);
  const backup = needsCopy(request.entry.what, change, seen) ? backupName(n, session.file) : null;
  const source = backup === null ? session.file : path.join(ledger.folder, backup);
  if (backup !== null) copyWhole(session.file, source);
  const entry: EditEntry = {
    n,
    at: clock().toISOString(),
    tool: session.tool,
    session_id: session.id,
    file: session.file,
    ...versions(change, request.after, source, seen),
    backup,
    ...request.entry,
    ...holder,
  };
  try {
    planEdit(ledger, entry);
    swapIfUnchanged(seen, change);
  } catch (error) {
    if (stateIn(entry, session.file) === 'failed') {
      // The copy is kept if the disk did not let the appended text be removed again.
      if (backup !== null && sight(session.file)?.bytes === seen.bytes) rmSync(source, { force: true });
      // Recorded now if the disk allows it; otherwise the next reader finds the file unchanged.
      quietly(() => settleEdit(ledger, n, 'failed', clock()));
      throw error;
    }
  }
  quietly(() => settleEdit(ledger, n, 'made', clock()));
  quietly(() => dropOld(ledger, [...known, { ...entry, state: 'made', isKept: backup !== null }], clock));
  quietly(() => dropAged(environment, clock(), 'rested'));
  return { how: 'edited', entry };
}

/** After an incomplete line of an interrupted writer, our text would become a part of that line. */
function onFreshLine(change: ExactChange, seen: Sighting): ExactChange {
  return change.how === 'append' && endsWithinLine(seen) ? { ...change, text: `\n${change.text}` } : change;
}

const UNCOPIED_BYTES = 8 * 1024 * 1024;

/** A large file that is only appended to contains its earlier version: its first bytes, by number and hash. */
const needsCopy = (what: EditKind, change: ExactChange, { bytes }: Sighting): boolean =>
  what !== 'mended' || change.how !== 'append' || bytes <= UNCOPIED_BYTES;

function versions(
  change: ExactChange,
  after: Version | undefined,
  source: string,
  { bytes }: Sighting,
): { before: Version; after: Version } {
  const whole = () => ({ bytes, sha256: hashesOf(source, [bytes])[0]! });
  switch (change.how) {
    case 'cut': {
      const [before, cut] = hashesOf(source, [bytes, change.atByte]);
      return { before: { bytes, sha256: before! }, after: { bytes: change.atByte, sha256: cut! } };
    }
    case 'append': {
      const length = bytes + Buffer.byteLength(change.text);
      return { before: whole(), after: { bytes: length, sha256: hashWith(source, bytes, change.text) } };
    }
    case 'replace':
      return { before: whole(), after: versionOf(change.text) };
    case 'restore':
      return { before: whole(), after: after! };
  }
}

const versionOf = (text: string): Version => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

function dropOld(ledger: EditsLedger, edits: readonly KnownEdit[], clock: () => Date): void {
  for (const edit of oldBackups(edits, clock())) dropBackup(ledger, edit, clock());
}

/** The edit is done. If it could not be recorded, the next use detects it from the file. */
function quietly(note: () => void): void {
  try {
    note();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

const refused = (why: string): Edited => ({ how: 'refused', why: `${why}; nothing was changed` });

interface SettledEdits {
  edits: KnownEdit[];
  /** A sentence for each interrupted edit. */
  notes: string[];
}

/** Finds out from the file whether an interrupted edit was made, and records it; or the next call tries again. */
function settleInterruptedEdits(
  ledger: EditsLedger,
  edits: readonly KnownEdit[],
  session: { file: string },
  clock: () => Date,
): SettledEdits {
  const settled = lookAtInterruptedEdits(edits, session);
  for (const [i, { n, state }] of settled.edits.entries())
    if (edits[i]!.state === 'planned' && state !== 'planned')
      try {
        settleEdit(ledger, n, state, clock());
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
  return settled;
}

/** Does the same, and writes nothing. */
export function lookAtInterruptedEdits(edits: readonly KnownEdit[], { file }: { file: string }): SettledEdits {
  const notes: string[] = [];
  const settled = edits.map((edit) => {
    if (edit.state !== 'planned') return edit;
    const state = stateIn(edit, file);
    const is = state === 'made' ? 'was made before that' : 'was not made';
    notes.push(`an edit of ${edit.at} (${edit.what}) was cut off by a crash; it ${is}`);
    return { ...edit, state };
  });
  return { edits: settled, notes };
}

/** The CLI may have continued from either version. If both match, the longer one is the better evidence. */
function stateIn({ before, after }: { before: Version; after: Version }, file: string) {
  const bytes = sight(file)?.bytes ?? 0;
  const longerFirst = [
    { ...before, state: 'failed' as const },
    { ...after, state: 'made' as const },
  ].sort((a, b) => b.bytes - a.bytes);
  const found = longerFirst.find(
    (version) => version.bytes <= bytes && hashesOf(file, [version.bytes])[0] === version.sha256,
  );
  // The CLI has rewritten the file, so the planned edit no longer applies.
  return found?.state ?? 'failed';
}
