// Defines the terms of a call, and checks a task's limits other than paid calls.

import { MAX_TIMEOUT_MS, type MachineClocks } from '../facts/deadline.ts';
import type { PassedLimit } from '../facts/evidence.ts';
import { type Caps, lowerCap } from '../limits/caps.ts';
import { dollars } from '../text/display.ts';
import { partOf } from '../text/json.ts';

export interface CallLimits {
  timeoutMs: number;
  /** It is the rest of its task's time. */
  timeoutOf?: 'task';
  timeoutMode: 'enforce' | 'wait_done';
  idleTimeoutMs: number | null;
  startTimeoutMs: number | null;
  maxTurns: number | null;
  maxOutputBytes: number;
  /** Absent if it may use any number of tokens and dollars. */
  caps?: Caps;
}

/** Whether the limit for the first byte ends a silent call; otherwise the shorter limit for every pause does. */
export const isStartLimit = ({ startTimeoutMs, idleTimeoutMs }: CallLimits): boolean =>
  startTimeoutMs !== null && (idleTimeoutMs === null || startTimeoutMs <= idleTimeoutMs);

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
  /** The folder of the attempt, as an absolute path; absent in the terms of older versions, and of a rebuilt reservation. */
  folder?: string;
}

/** Rejects incomplete or invented terms. */
export function isTerms(value: unknown): value is CallTerms {
  const { marker, started_at, clocks, temporary, overlay_folders, folder, ...more } = partOf(value) ?? {};
  const [{ steadyMs, bootMs }, limits] = [partOf(clocks) ?? {}, partOf(more.limits)];
  return (
    typeof marker === 'string' &&
    !Number.isNaN(Date.parse(String(started_at))) &&
    [steadyMs, bootMs].every(Number.isFinite) &&
    limits !== null &&
    Number.isFinite(limits.timeoutMs) &&
    Number.isFinite(limits.maxOutputBytes) &&
    [limits.idleTimeoutMs, limits.startTimeoutMs, limits.maxTurns].every(
      (one) => one === null || Number.isFinite(one),
    ) &&
    isCaps(limits.caps) &&
    typeof temporary === 'string' &&
    Array.isArray(overlay_folders) &&
    overlay_folders.every((one) => typeof one === 'string') &&
    (folder === undefined || typeof folder === 'string')
  );
}

function isCaps(caps: unknown): boolean {
  if (caps === undefined) return true;
  const { tokens, usd, prices } = partOf(caps) ?? {};
  return partOf(prices) !== null && [tokens, usd].every((cap) => cap === null || Number.isFinite(partOf(cap)?.max));
}

/** Returns the limits that both allow. */
export function strictest(one: CallLimits, other: CallLimits): CallLimits {
  return {
    timeoutMs: Math.min(one.timeoutMs, other.timeoutMs, MAX_TIMEOUT_MS),
    ...(one.timeoutOf === undefined && other.timeoutOf === undefined ? {} : { timeoutOf: 'task' }),
    timeoutMode: one.timeoutMode === other.timeoutMode ? one.timeoutMode : 'enforce',
    idleTimeoutMs: least(one.idleTimeoutMs, other.idleTimeoutMs),
    startTimeoutMs: least(one.startTimeoutMs, other.startTimeoutMs),
    maxTurns: least(one.maxTurns, other.maxTurns),
    maxOutputBytes: Math.min(one.maxOutputBytes, other.maxOutputBytes),
    ...strictestCaps(one.caps, other.caps),
  };
}

export function strictestCaps(one: Caps | undefined, other: Caps | undefined): { caps?: Caps } {
  if (one === undefined || other === undefined) return one || other ? { caps: (one ?? other)! } : {};
  const prices = { ...other.prices, ...one.prices };
  return { caps: { ...one, tokens: lowerCap(one.tokens, other.tokens), usd: lowerCap(one.usd, other.usd), prices } };
}

/** null means no limit. */
const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Checks a task's limits other than paid calls. They are checked between calls, so one call may exceed them. */
interface RunLimits {
  max_tokens?: number | undefined;
  max_usd?: number | undefined;
  max_wallclock_sec?: number | undefined;
}

interface SoFar {
  tokens: number;
  usd: number;
  calls_without_tokens: number;
  calls_without_price: number;
  /** Milliseconds until the task's wall clock expires; null means no limit. */
  wallLeftMs: number | null;
}

interface UsedUp {
  field: keyof RunLimits;
  why: string;
  limit?: PassedLimit;
}

/** Returns the first limit that is used up, or null. */
export function usedUp(limits: RunLimits, soFar: SoFar): UsedUp | null {
  const { max_tokens, max_usd, max_wallclock_sec } = limits;
  if (soFar.wallLeftMs !== null && soFar.wallLeftMs <= 0)
    return {
      field: 'max_wallclock_sec',
      why: `the task's wall clock of ${max_wallclock_sec} s is used up`,
      limit: { name: 'task_time', value: (max_wallclock_sec ?? 0) * 1000, unit: 'ms' },
    };
  if (max_tokens !== undefined && soFar.tokens >= max_tokens)
    return {
      field: 'max_tokens',
      why: `${soFar.tokens} of ${max_tokens} tokens are used up`,
      limit: { name: 'task_budget', value: max_tokens, unit: 'tokens' },
    };
  if (max_usd !== undefined && soFar.usd >= max_usd)
    return {
      field: 'max_usd',
      why: `${dollars(soFar.usd)} of $${max_usd} are used up`,
      limit: { name: 'task_budget', value: max_usd, unit: 'usd' },
    };
  return null;
}
