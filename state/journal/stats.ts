// Writes stats.json, the view of a task's calls and budget that users read, and edit to raise the budget.

import path from 'node:path';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import { readJson, writeJson } from '../atomic-file.ts';
import { lookAt, readRegular, UnfitFileError } from '../disk/regular-file.ts';
import { isSystemError } from '../system-error.ts';
import { type Journal, JournalError } from './journal.ts';
import { budgetOf, type Ledger } from './ledger.ts';

export interface Stats {
  paid_calls_used: number;
  paid_call_budget: number;
  stages_completed: string[];
  signatures: Record<string, { count: number; class: ErrorClass | null; first_seen: string; last_seen: string }>;
  /** Bytes of the journal that this view was made from. */
  journal_offset: number;
}

const fileOf = (journal: Journal) => path.join(path.dirname(journal.file), 'stats.json');

/** Adopts what a user changed in stats.json, as facts in the journal. @returns what is wrong with the file, or null. */
export async function adoptEdits(journal: Journal, clock: () => Date): Promise<string | null> {
  const adopted = await adopt(journal, clock, 'set_aside');
  if (adopted.how === 'invalid') return adopted.message;
  // A view at a new offset, so that the next edit is recognised as one.
  if (adopted.how === 'read') await refreshStats(journal, clock);
  return null;
}

/** The same in a dry-run journal: no file is touched. */
export async function imagineEdits(journal: Journal, clock: () => Date): Promise<string | null> {
  const adopted = await adopt(journal, clock, 'in_place');
  return adopted.how === 'invalid' ? adopted.message : null;
}

/**
 * Rebuilds the view until it is no older than the journal, even if another process appends meanwhile. Unknown fields are kept, an
 * edit is adopted first, and a file with a mistake is not changed.
 */
export async function refreshStats(journal: Journal, clock: () => Date): Promise<Stats> {
  const file = fileOf(journal);
  for (;;) {
    const adopted = await adopt(journal, clock, 'set_aside');
    const { ledger, offset } = journal.read();
    const stats = statsOf(ledger, offset);
    if (adopted.how === 'invalid') return stats;
    const view = { ...adopted.view, ...stats };
    // Our data can be rebuilt from the journal; what users keep beside it is nowhere else.
    const isOurs = Object.keys(view).every((key) => Object.hasOwn(stats, key));
    await writeJson(file, view, isOurs ? 'renamed' : 'synced');
    if ((lookAt(journal.file)?.size ?? offset) === offset) return stats;
  }
}

type Adopted = { how: 'read' | 'unchanged'; view: object } | { how: 'invalid'; message: string };

async function adopt(journal: Journal, clock: () => Date, broken: 'set_aside' | 'in_place'): Promise<Adopted> {
  const file = fileOf(journal);
  const read = await readJson<Partial<Stats>>(file, clock, broken);
  if (read.how === 'absent') return { how: 'unchanged', view: {} };
  if (read.how === 'set_aside') return invalid(`${read.message}. Run again to continue with the journal's own count.`);
  if (read.how === 'in_place') return invalid(`${read.message}. Fix it, or delete it: it is rebuilt from the journal.`);
  const { paid_calls_used: used, paid_call_budget: budget, journal_offset: offset } = read.value;
  const figures = { paid_calls_used: used, paid_call_budget: budget, journal_offset: offset };
  for (const [name, value] of Object.entries(figures))
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      return invalid(
        `${file}: ${name} must be a whole number from 0, not ${JSON.stringify(value) ?? 'missing'}. Fix it, or delete the file: it is rebuilt from the journal.`,
      );
  const at_offset = offset!;
  const { ledger } = journal.read(at_offset);
  const present = journal.read().ledger;
  const counted = used !== ledger.used && !present.resets.has(at_offset);
  const allowed = budget !== budgetOf(ledger) && !present.budgetEdits.has(at_offset);
  if (counted) journal.append({ fact: 'reset', used: used!, at_offset });
  if (allowed) journal.append({ fact: 'budget', calls: budget!, from: 'stats', at_offset });
  return { how: counted || allowed ? 'read' : 'unchanged', view: read.value };
}

const invalid = (message: string): Adopted => ({ how: 'invalid', message });

/** Does it contain an edit that a run would adopt? Nothing is adopted from an unreadable file. */
export function hasEdits(journal: Journal): boolean {
  const view = viewIn(fileOf(journal));
  if (view === null) return false;
  const { paid_calls_used: used, paid_call_budget: budget, journal_offset: offset } = view;
  if (![used, budget, offset].every((figure) => Number.isSafeInteger(figure) && (figure as number) >= 0)) return false;
  try {
    const { ledger } = journal.read(offset);
    const present = journal.read().ledger;
    return (
      (used !== ledger.used && !present.resets.has(offset!)) ||
      (budget !== budgetOf(ledger) && !present.budgetEdits.has(offset!))
    );
  } catch (error) {
    if (error instanceof JournalError || isSystemError(error)) return false;
    throw error;
  }
}

const MAX_BYTES = 16 * 1024 * 1024;

function viewIn(file: string): Partial<Stats> | null {
  try {
    const view = JSON.parse(readRegular(file, MAX_BYTES)) as Partial<Stats> | null;
    return typeof view === 'object' ? view : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnfitFileError || isSystemError(error)) return null;
    throw error;
  }
}

export function statsOf(ledger: Ledger, offset: number): Stats {
  const signatures: Stats['signatures'] = {};
  const verdicts = [...ledger.calls.values()].flatMap(({ verdict }) => (verdict === null ? [] : [verdict]));
  const refusals = ledger.decided.flatMap(({ at, refused }) => (refused === undefined ? [] : [{ ...refused, at }]));
  for (const failed of [...verdicts, ...ledger.gateFailures, ...refusals]) {
    if (!failed.signature) continue;
    const seen = signatures[failed.signature];
    signatures[failed.signature] = {
      count: (seen?.count ?? 0) + 1,
      class: failed.class,
      first_seen: seen?.first_seen ?? failed.at,
      last_seen: failed.at,
    };
  }
  return {
    paid_calls_used: ledger.used,
    paid_call_budget: budgetOf(ledger),
    stages_completed: [...ledger.done.keys()],
    signatures,
    journal_offset: offset,
  };
}
