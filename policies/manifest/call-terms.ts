// Defines the terms of a call. Settling a call uses them and not its draft, because the call's agent can write the draft.

import { MAX_TIMEOUT_MS } from '../facts/longest-timeout.ts';
import type { MachineClocks } from '../facts/machine-clocks.ts';

export interface CallLimits {
  timeoutMs: number;
  timeoutMode: 'enforce' | 'wait_done';
  idleTimeoutMs: number | null;
  startTimeoutMs: number | null;
  maxTurns: number | null;
  maxOutputBytes: number;
}

export interface CallTerms {
  /** `outer/inner`, as the call's processes carry it. */
  marker: string;
  /** ISO time, and the clocks of the machine, when the call was prepared. */
  started_at: string;
  clocks: MachineClocks;
  limits: CallLimits;
  /** The CLI's own $TMPDIR. */
  temporary: string;
  overlay_folders: string[];
  /** The folder of the attempt, relative to the root; absent in the terms of older versions. */
  folder?: string;
}

/** Rejects incomplete or invented terms. */
export function isTerms(value: unknown): value is CallTerms {
  const { marker, started_at, clocks, limits, temporary, overlay_folders, folder } = (value ??
    {}) as Partial<CallTerms>;
  return (
    typeof marker === 'string' &&
    !Number.isNaN(Date.parse(String(started_at))) &&
    [clocks?.steadyMs, clocks?.bootMs].every(Number.isFinite) &&
    typeof limits === 'object' &&
    limits !== null &&
    Number.isFinite(limits.timeoutMs) &&
    Number.isFinite(limits.maxOutputBytes) &&
    [limits.idleTimeoutMs, limits.startTimeoutMs, limits.maxTurns].every(
      (one) => one === null || Number.isFinite(one),
    ) &&
    typeof temporary === 'string' &&
    Array.isArray(overlay_folders) &&
    overlay_folders.every((one) => typeof one === 'string') &&
    (folder === undefined || typeof folder === 'string')
  );
}

/** Returns the limits that both allow. */
export function strictest(one: CallLimits, other: CallLimits): CallLimits {
  return {
    timeoutMs: Math.min(one.timeoutMs, other.timeoutMs, MAX_TIMEOUT_MS),
    timeoutMode: one.timeoutMode === other.timeoutMode ? one.timeoutMode : 'enforce',
    idleTimeoutMs: least(one.idleTimeoutMs, other.idleTimeoutMs),
    startTimeoutMs: least(one.startTimeoutMs, other.startTimeoutMs),
    maxTurns: least(one.maxTurns, other.maxTurns),
    maxOutputBytes: Math.min(one.maxOutputBytes, other.maxOutputBytes),
  };
}

/** null means no limit. */
const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
