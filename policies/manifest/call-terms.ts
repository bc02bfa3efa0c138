// What a call was granted with: what whoever settles it goes by, whatever its draft says, which its agent can write.

import { MAX_TIMEOUT_MS } from '../time/longest-timeout.ts';
import type { MachineClocks } from '../time/machine-clocks.ts';

export interface CallLimits {
  timeoutMs: number;
  timeoutMode: 'enforce' | 'wait_done';
  idleTimeoutMs: number | null;
  startTimeoutMs: number | null;
  maxTurns: number | null;
  maxOutputBytes: number;
}

export interface CallTerms {
  /** `outer/inner`, as its processes bear it. */
  marker: string;
  /** ISO time, and the clocks of the machine, when it was prepared. */
  started_at: string;
  clocks: MachineClocks;
  limits: CallLimits;
  /** The CLI's own $TMPDIR. */
  temporary: string;
  overlay_folders: string[];
  /** Of the attempt, from the root; absent in the terms of a version that did not say. */
  folder?: string;
}

/** Half of them, or what somebody made up, are none. */
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

/** What both allow. */
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

/** null is no limit. */
const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
