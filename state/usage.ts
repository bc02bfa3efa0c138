// Sums what a task's calls used, by stage, from their records.

import path from 'node:path';
import type { ProjectFile } from '../policies/manifest/project-file.ts';
import type { CallRecord } from '../policies/report/call-record.ts';
import { priceOf } from '../policies/report/spending.ts';
import { readJsonIfFit } from './disk/regular-file.ts';
import type { Journal } from './journal/journal.ts';
import type { Call, Ledger } from './journal/ledger.ts';
import type { TaskFolder } from './task-folder.ts';

/** Sums over the calls that reported it; null if none did. */
export interface UsedSoFar {
  calls: number;
  /** Calls whose number of tokens is not known; they are not included in the sums. */
  unknown_calls: number;
  input_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  usd: number | null;
  /** Calls whose price is not known; they are not included in the sum. */
  unpriced_calls: number;
}

export interface TaskUsage {
  all: UsedSoFar;
  stages: Record<string, UsedSoFar>;
}

/** Over every paid call in the task's life, even if its count was reset since. */
export function usageOf(task: TaskFolder, ledger: Ledger, prices: ProjectFile['prices']): TaskUsage {
  const usage: TaskUsage = { all: nothing(), stages: {} };
  for (const call of ledger.calls.values()) {
    if (!call.granted) continue;
    const record = findRecord(task, call);
    const { stage } = call.reserved;
    usage.stages[stage] ??= nothing();
    for (const used of [usage.all, usage.stages[stage]]) add(used, record, prices);
  }
  return usage;
}

/** Sums over all paid calls of a task, in any run. */
export interface Spent {
  tokens: number;
  usd: number;
  /** Paid calls that did not report a value; they are in neither sum. */
  calls_without_tokens: number;
  calls_without_price: number;
}

export interface ChargedTask {
  task: TaskFolder;
  journal: Journal;
  project: Pick<ProjectFile, 'prices'>;
}

/** Uses the journal and the calls' records, with the project's prices. Throws JournalError. */
export function spentOf({ task, journal, project }: ChargedTask): Spent {
  const { all } = usageOf(task, journal.read().ledger, project.prices);
  return {
    tokens: all.total_tokens ?? 0,
    usd: all.usd ?? 0,
    calls_without_tokens: all.unknown_calls,
    calls_without_price: all.unpriced_calls,
  };
}

/** A call's record: in its attempt's folder; older versions kept one without a run only in the outputs, until the stage's next call. */
export function findRecord(task: TaskFolder, { reserved: { call_id, stage, tool } }: Call): CallRecord | null {
  const places = [
    path.join(task.attempts, call_id, 'record.json'),
    path.join(task.outputs, `${stage}.${tool}.call.json`),
  ];
  for (const file of places) {
    const record = readJsonIfFit<CallRecord>(file);
    if (record?.call_id === call_id) return record;
  }
  return null;
}

const FIGURES = ['input_tokens', 'cached_tokens', 'output_tokens', 'total_tokens'] as const;

function nothing(): UsedSoFar {
  return {
    calls: 0,
    unknown_calls: 0,
    input_tokens: null,
    cached_tokens: null,
    output_tokens: null,
    total_tokens: null,
    usd: null,
    unpriced_calls: 0,
  };
}

function add(used: UsedSoFar, record: CallRecord | null, prices: ProjectFile['prices']): void {
  used.calls += 1;
  if (typeof record?.usage?.total_tokens !== 'number') used.unknown_calls += 1;
  for (const figure of FIGURES) {
    const more = record?.usage?.[figure];
    if (typeof more === 'number') used[figure] = (used[figure] ?? 0) + more;
  }
  const usd = record?.usage === undefined ? null : priceOf(record, prices);
  if (usd === null) used.unpriced_calls += 1;
  else used.usd = (used.usd ?? 0) + usd;
}
