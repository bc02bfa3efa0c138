// Keeps a task's journal as it is before a call, and takes away afterwards what none but a run may write there.

import { readFileSync } from 'node:fs';
import { type Fact, JOURNAL_VERSION, type Line } from '../../../state/facts.ts';
import type { Journal } from '../../../state/journal.ts';
import { writeWhole } from '../../../state/whole-file.ts';

export interface KeptJournal {
  bytes: Buffer;
}

/** While a call runs its guardian writes these, and those of calls that are made from within it. */
const OF_CALLS: ReadonlySet<string> = new Set(['reserved', 'started', 'ended', 'verdict']);

export function keepJournal({ file }: Journal): KeptJournal {
  return { bytes: readFileSync(file) };
}

/**
 * Makes the journal what it was before, with the facts of calls since. A budget is not changed while a call runs: the agent could
 * write the same line as a person's command, and `tollgate budget` refuses for as long.
 * @param call the reservation that was made for this call: without it money would be forgotten.
 * @returns what was taken away or was missing, in a few words; empty when all is well.
 */
export async function mendJournal(
  { file }: Journal,
  { bytes }: KeptJournal,
  call: Extract<Fact, { fact: 'reserved' }> | null,
  at: Date,
): Promise<string[]> {
  const now = readOrEmpty(file);
  const isWhole = now.subarray(0, bytes.length).equals(bytes);
  const lines = now.toString('utf8', isWhole ? bytes.length : 0).split('\n');
  const before = isWhole ? new Set<string>() : new Set(bytes.toString('utf8').split('\n'));
  const since = lines.filter((line) => line.trim() !== '' && !before.has(line));
  const ours = since.filter((line) => isAllowed(line));
  const strange = since.length - ours.length;
  const lost = call !== null && !ours.some((line) => line.includes(`"reserved"`) && line.includes(call.call_id));
  if (isWhole && strange === 0 && !lost) return [];
  if (lost) ours.unshift(JSON.stringify({ v: JOURNAL_VERSION, at: at.toISOString(), ...call }));
  const start = bytes.toString('utf8');
  await writeWhole(
    file,
    `${start}${start === '' || start.endsWith('\n') ? '' : '\n'}${ours.map((line) => `${line}\n`).join('')}`,
  );
  return [
    ...(isWhole ? [] : ['what stood there before was changed']),
    ...(strange === 0 ? [] : [`${strange} lines were added that only a run may write`]),
    ...(lost ? ['a paid call was taken out'] : []),
  ];
}

function isAllowed(line: string): boolean {
  try {
    return OF_CALLS.has((JSON.parse(line) as Line).fact);
  } catch {
    // A half line that a crash left counts for nothing, and is no edit.
    return true;
  }
}

function readOrEmpty(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
