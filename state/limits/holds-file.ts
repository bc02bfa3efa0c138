// Stores the holds of a user, as long as one is active: a call without limits looks for this file, and finds none.

import { rmSync } from 'node:fs';
import { isProcessIdentity } from '../../policies/facts/process-identity.ts';
import { type Hold, standsAt } from '../../policies/limits/holds.ts';
import { makeFolder } from '../disk/folder.ts';
import { readJsonIfFit } from '../disk/regular-file.ts';
import { replaceText } from '../disk/replace-file.ts';
import type { LimitsFiles } from './limits-folder.ts';

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
  const { tool, account, model, reason, until, seen_at, probe } = (value ?? {}) as Partial<Record<keyof Hold, unknown>>;
  return (
    [tool, account, reason].every((text) => typeof text === 'string') &&
    (model === null || typeof model === 'string') &&
    (until === null || isInstant(until)) &&
    isInstant(seen_at) &&
    (probe === null || isProcessIdentity((probe as Hold['probe'])?.owner, 1))
  );
}

const isInstant = (value: unknown): boolean => Number.isFinite(value) && Math.abs(value as number) <= 8.64e15;
