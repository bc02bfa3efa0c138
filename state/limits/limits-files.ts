// Reads and writes the files of the limits over all tasks: the user's limits, what was used of them, and the holds.

import { rmSync } from 'node:fs';
import { isProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type Hold, standsAt } from '../../policies/limits/holds.ts';
import { EMPTY_LEDGER, type LimitsLedger } from '../../policies/limits/ledger.ts';
import { type Limits, limitsMistake, NO_LIMITS } from '../../policies/limits/limits.ts';
import { type Json, partOf } from '../../policies/text/json.ts';
import { makeFolder } from '../disk/folder.ts';
import { isAbsent, readJsonIfFit, readRegularOrNull } from '../disk/regular-file.ts';
import { publishText, replaceText } from '../disk/replace-file.ts';
import { StrangeStateError } from '../disk/strange-state-error.ts';
import { isSystemError } from '../system-error.ts';
import type { LimitsFiles } from './limits-folder.ts';

/** Only the process that has the lock reads and writes it. Throws StrangeStateError for an invalid file. */
export const readLimitsLedger = ({ ledger: file }: LimitsFiles): LimitsLedger =>
  readLimitsJson(file, EMPTY_LEDGER, mistake, `Fix it, or remove it to count from 0: rm ${file}`);

export const writeLimitsLedger = ({ folder, ledger: file }: LimitsFiles, ledger: LimitsLedger): void =>
  writeLimitsJson(folder, file, ledger);

function mistake(value: unknown): string | null {
  const { open, spent, begun, near = [], since = {}, since_dated = {} } = partOf(value) ?? {};
  const isSound =
    isListOf(open, isOpen) &&
    isListOf(
      spent,
      (row) => hasTexts(row, ['tool', 'project']) && hasNumbers(row, ['at', 'calls', 'tokens', 'usd', ...dateOf(row)]),
    ) &&
    isListOf(begun, (row) => hasTexts(row, ['call_id', 'tool', 'account', 'project']) && hasNumbers(row, ['at'])) &&
    isListOf(near, isNear) &&
    [since, since_dated].every(areTimes);
  return isSound ? null : 'is not what was used of your limits';
}

const areTimes = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(Number.isFinite);

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

const isNear = (row: Json): boolean =>
  hasTexts(row, ['call_id', 'words']) && hasNumbers(row, ['at']) && isTextOrNull(row.project);

const isOpen = (row: Json): boolean =>
  hasTexts(row, ['call_id', 'tool', 'account', 'project']) &&
  hasNumbers(row, ['at']) &&
  isProcessIdentity(row.owner, 1) &&
  isTextOrNull(row.task);

const dateOf = ({ dated }: Json): string[] => (dated === undefined ? [] : ['dated']);

const isListOf = (value: unknown, is: (row: Json) => boolean): boolean =>
  Array.isArray(value) && value.map(partOf).every((row) => row !== null && is(row));

const hasTexts = (row: Json, names: string[]): boolean => names.every((name) => typeof row[name] === 'string');

const hasNumbers = (row: Json, names: string[]): boolean => names.every((name) => Number.isFinite(row[name]));

/**
 * Throws StrangeStateError for an unusable file.
 * @param mistake What is wrong with the value, or null.
 * @param fix How to fix it, a sentence.
 */
function readLimitsJson<T>(file: string, absent: T, mistake: (value: unknown) => string | null, fix: string): T {
  const strange = (why: string) => new StrangeStateError(why, `nothing was started. ${fix}`);
  let text: string | null;
  try {
    text = readRegularOrNull(file);
  } catch (error) {
    if (isSystemError(error)) throw strange(error.message);
    throw error;
  }
  if (text === null && isAbsent(file)) return absent;
  if (text === null) throw strange(`${file} cannot be reached: a link on the way to it leads nowhere`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw strange(`${file} is not JSON`);
  }
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version > 1)
    throw strange(`${file} was written by a newer version: update tollgate`);
  const wrong = mistake(value);
  if (wrong !== null) throw strange(`${file} ${wrong}`);
  return value as T;
}

/** Synced: its content must survive a power loss before anything is paid by it. */
function writeLimitsJson(folder: string, file: string, value: object): void {
  makeFolder(folder);
  publishText(file, `${JSON.stringify(value)}\n`);
}

/** Throws StrangeStateError for an invalid file: the caller must not pay as if there were no limit. */
export function readUserLimits({ limits: file }: LimitsFiles): Limits {
  const fix = `Fix it, or remove it to have no limits of your own: rm ${file}`;
  const { budgets = [], ...read } = readLimitsJson<Partial<Limits>>(file, NO_LIMITS, limitsMistake, fix);
  return { ...NO_LIMITS, ...read, budgets: budgets.map((row) => ({ ...row, tool: row.tool ?? 'any' })) };
}

export function writeUserLimits({ folder, limits: file }: LimitsFiles, limits: Limits): void {
  writeLimitsJson(folder, file, { v: 1, ...limits });
}

/** The active holds. An unreadable file holds nothing back: it does not guard a budget, and a service repeats its refusal. */
export function readHolds({ holds: file }: LimitsFiles, nowMs: number): Hold[] {
  const rows = readJsonIfFit<{ holds?: unknown }>(file)?.holds;
  return Array.isArray(rows) ? rows.filter(isHold).filter((hold) => standsAt(hold, nowMs)) : [];
}

/** Called only with the lock. Not synced: after a power loss, the service repeats its refusal. */
export function writeHolds({ folder, holds: file }: LimitsFiles, holds: readonly Hold[]): void {
  if (holds.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  makeFolder(folder);
  replaceText(file, `${JSON.stringify({ v: 1, holds })}\n`);
}

function isHold(value: unknown): value is Hold {
  const { tool, account, model, reason, until, seen_at, probe } = partOf(value) ?? {};
  return (
    [tool, account, reason].every((text) => typeof text === 'string') &&
    isTextOrNull(model) &&
    (until === null || isInstant(until)) &&
    isInstant(seen_at) &&
    (probe === null || isProcessIdentity(partOf(probe)?.owner, 1))
  );
}

const isInstant = (value: unknown): boolean => Number.isFinite(value) && Math.abs(value as number) <= 8.64e15;
