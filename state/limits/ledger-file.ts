// Stores what was used of the limits: only the process that has the lock reads and writes it.

import { isProcessIdentity } from '../../policies/facts/process-identity.ts';
import { EMPTY_LEDGER, type LimitsLedger, type NearRow, type OpenCall } from '../../policies/limits/ledger.ts';
import type { LimitsFiles } from './limits-folder.ts';
import { readLimitsJson, writeLimitsJson } from './limits-json.ts';

/** Throws StrangeStateError for an invalid file. */
export const readLimitsLedger = ({ ledger: file }: LimitsFiles): LimitsLedger =>
  readLimitsJson(file, EMPTY_LEDGER, mistake, `Fix it, or remove it to count from 0: rm ${file}`);

export const writeLimitsLedger = ({ folder, ledger: file }: LimitsFiles, ledger: LimitsLedger): void =>
  writeLimitsJson(folder, file, ledger);

function mistake(value: unknown): string | null {
  const { open, spent, begun, near = [], since = {} } = (value ?? {}) as Partial<Record<keyof LimitsLedger, unknown>>;
  const isSound =
    isListOf(open, isOpen) &&
    isListOf(spent, (row) => hasTexts(row, ['tool', 'project']) && hasNumbers(row, ['at', 'calls', 'tokens', 'usd'])) &&
    isListOf(begun, (row) => hasTexts(row, ['call_id', 'tool', 'account', 'project']) && hasNumbers(row, ['at'])) &&
    isListOf(near, isNear) &&
    typeof since === 'object' &&
    since !== null &&
    Object.values(since).every(Number.isFinite);
  return isSound ? null : 'is not what was used of your limits';
}

const isNear = (row: object): boolean => {
  const { project } = row as Partial<NearRow>;
  return (
    hasTexts(row, ['call_id', 'words']) && hasNumbers(row, ['at']) && (project === null || typeof project === 'string')
  );
};

const isOpen = (row: object): boolean => {
  const { owner, task } = row as Partial<OpenCall>;
  return (
    hasTexts(row, ['call_id', 'tool', 'account', 'project']) &&
    hasNumbers(row, ['at']) &&
    isProcessIdentity(owner, 1) &&
    (task === null || typeof task === 'string')
  );
};

const isListOf = (value: unknown, is: (row: object) => boolean): boolean =>
  Array.isArray(value) && value.every((row: unknown) => typeof row === 'object' && row !== null && is(row));

const hasTexts = (row: object, names: string[]): boolean =>
  names.every((name) => typeof (row as Record<string, unknown>)[name] === 'string');

const hasNumbers = (row: object, names: string[]): boolean =>
  names.every((name) => Number.isFinite((row as Record<string, unknown>)[name]));
