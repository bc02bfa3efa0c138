// Keeps a task's journal before a call, and afterwards removes the lines that only a run may write there.

import { appendFileSync, closeSync, fstatSync, readSync } from 'node:fs';
import { tried } from '../../policies/text/tried.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { isRegular, kindOf, openRegular, readRegularBytes } from '../../state/disk/regular-file.ts';
import { setAside } from '../../state/disk/replace-file.ts';
import { isFact } from '../../state/journal/fact-shapes.ts';
import { type Fact, JOURNAL_VERSION, type JournalLine } from '../../state/journal/facts.ts';
import { type Journal, MAX_JOURNAL_BYTES } from '../../state/journal/journal.ts';

/** While a call runs, its guardian writes these facts, and also those of calls that are made from within it. */
const OF_CALLS: ReadonlySet<string> = new Set(['reserved', 'started', 'ended', 'verdict']);

/** Returns the content before a call. */
export const keepJournal = ({ file }: Journal): Buffer => readRegularBytes(file, MAX_JOURNAL_BYTES);

/** Returns whether the earlier content is unchanged. */
export const isIntact = (journal: Journal, kept: Buffer): boolean =>
  headOf(journal, kept.length)?.equals(kept) ?? false;

/** Whether the journal has a line that a guardian writes after its CLI started. The reservation may be missing. */
export const tellsOf = (journal: Journal, kept: Buffer, callId: string): boolean =>
  linesIn(headOf(journal, kept.length + MOST_ADDED)).some(
    ({ fact }) => fact !== null && OF_CALLS.has(fact.fact) && 'call_id' in fact && fact.call_id === callId,
  );

/** Returns null if the file is missing, or is no regular file. */
function headOf({ file }: Journal, maxBytes: number): Buffer | null {
  const opened = openOrNull(file);
  try {
    return opened === null ? null : contentOf(opened, maxBytes);
  } finally {
    if (opened !== null) closeSync(opened);
  }
}

interface RepairedJournal {
  /** Lists in short phrases what was removed or was missing; empty if nothing unusual happened. */
  strange: string[];
  /** The number of budget changes that were undone. The user may have made them, and so may the agent. */
  budgetChanges: number;
}

/**
 * Restores the journal's earlier content, followed by the facts of calls since then. The budget cannot change while a call runs:
 * the agent could write the same line as the user's command. `tollgate budget` refuses during that time.
 * @param call the reservation that was made for this call; without it, its cost would be lost. Null for a refused call.
 */
export async function repairJournal(
  { file }: Journal,
  kept: Buffer,
  callId: string,
  call: Reserved | null,
  at: Date,
): Promise<RepairedJournal> {
  const opened = openOrNull(file);
  const content = () => (opened === null ? Buffer.alloc(0) : contentOf(opened, kept.length + MOST_ADDED));
  try {
    const now = content();
    const isWhole = now.subarray(0, kept.length).equals(kept);
    const start = kept.toString('utf8');
    const earlier = new Set(start.split('\n'));
    const since = isWhole ? linesIn(now.subarray(kept.length)) : linesIn(now).filter(({ text }) => !earlier.has(text));
    const allowed = callsOf(start, since, callId, call);
    const ours = since.filter(({ text, fact }) => (fact === null ? text.length <= MOST_TORN : allowed(fact)));
    const budgetChanges = since.filter(({ fact }) => fact !== null && MONEY.has(fact.fact) && !allowed(fact)).length;
    const added = since.length - ours.length - budgetChanges;
    const lost = call !== null && !ours.some(({ fact }) => isSameReservation(fact, call));
    const kind = kindOf(file);
    const bytes = opened === null ? 0 : fstatSync(opened).size;
    const isHuge = bytes > MAX_JOURNAL_BYTES;
    const strange = [
      ...(isWhole ? [] : ['earlier lines were changed']),
      ...(opened === null && kind !== null ? [`${kind} was in its place`] : []),
      ...(isHuge ? [`a file of ${bytes} bytes was in its place`] : []),
      ...(added === 0 ? [] : [`${added} lines were added that only a run may write`]),
      ...(lost ? ['a paid call was taken out'] : []),
    ];
    if (strange.length === 0 && budgetChanges === 0) return { strange, budgetChanges };
    const lines = ours.map(({ text }) => text);
    if (lost) lines.unshift(JSON.stringify({ v: JOURNAL_VERSION, at: at.toISOString(), ...call }));
    const fresh = start === '' || start.endsWith('\n') ? '' : '\n';
    // A folder cannot be overwritten, and nothing is deleted that may be the user's. Of a file that is too large, only the
    // beginning was read.
    if (isHuge || (kind !== null && !isRegular(file))) setAside(file, () => at);
    await writeAtomic(file, `${start}${fresh}${lines.map((line) => `${line}\n`).join('')}`);
    // A process that opened the file before it was replaced has written to the old file. An example is a wrapper that the user
    // called.
    const late = linesIn(content()).filter(({ text }) => !earlier.has(text) && !lines.includes(text));
    const isOfCall = callsOf(start, [...since, ...late], callId, call);
    const missed = late.filter(({ fact }) => fact !== null && isOfCall(fact));
    if (missed.length > 0) appendFileSync(file, missed.map(({ text }) => `${text}\n`).join(''), { flush: true });
    return { strange, budgetChanges };
  } finally {
    if (opened !== null) closeSync(opened);
  }
}

const linesIn = (content: Buffer | string | null) =>
  (content ?? '')
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ text: line, fact: factIn(line) }));

type Reserved = Extract<Fact, { fact: 'reserved' }>;

const MONEY: ReadonlySet<string> = new Set(['budget', 'reset']);

/** Returns null for text that has no effect, such as half a line that a crash left. */
function factIn(text: string): JournalLine | null {
  try {
    const line = JSON.parse(text) as JournalLine;
    // A line of another version would stop every reader.
    if (typeof line === 'object' && line !== null && line.v !== JOURNAL_VERSION)
      return { ...line, fact: 'foreign' as never };
    return isFact(line) ? line : null;
  } catch {
    return null;
  }
}

/** Accepts facts of this call and of calls that a user makes directly, but not those of another stage of this run. */
function callsOf(
  start: string,
  since: readonly { fact: JournalLine | null }[],
  callId: string,
  call: Reserved | null,
): (fact: JournalLine) => boolean {
  const own = new Set([callId]);
  const known = [...start.split('\n').map(factIn), ...since.map(({ fact }) => fact)];
  for (const fact of known)
    if (fact?.fact === 'reserved' && fact.run_id === null && fact.for_prompt === null) own.add(fact.call_id);
  const isForged = (fact: JournalLine) =>
    fact.fact === 'reserved' && call !== null && fact.call_id === callId && !isSameReservation(fact, call);
  // Wrappers that the user calls directly each record the manifest's budget if they found none.
  const budget = linesIn(start).findLast(({ fact }) => fact?.fact === 'budget')?.fact;
  const changesNothing = (fact: JournalLine) =>
    fact.fact === 'budget' && budget?.fact === 'budget' && fact.from === 'manifest' && fact.calls === budget.calls;
  return (fact) =>
    changesNothing(fact) ||
    (OF_CALLS.has(fact.fact) && 'call_id' in fact && own.has(fact.call_id ?? '') && !isForged(fact));
}

const isSameReservation = (fact: JournalLine | null, call: Reserved): boolean =>
  fact?.fact === 'reserved' &&
  fact.call_id === call.call_id &&
  fact.stage === call.stage &&
  fact.run_id === call.run_id &&
  fact.for_prompt === call.for_prompt;

const openOrNull = (file: string): number | null => tried(() => openRegular(file));

/** Longer than any line of ours, and so longer than half of one. */
const MOST_TORN = 64 * 1024;

/** Far more than the facts of any call. The text beyond this limit is dropped. */
const MOST_ADDED = 16 * 1024 * 1024;

function contentOf(fd: number, maxBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, maxBytes));
  let at = 0;
  while (at < bytes.length) {
    const read = readSync(fd, bytes, at, bytes.length - at, at);
    if (read === 0) break;
    at += read;
  }
  return bytes.subarray(0, at);
}
