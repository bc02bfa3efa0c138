// Defines the values of one call. Each phase of the call makes the next value from the one before it.

import { createHash } from 'node:crypto';
import type { ReportedUsage } from '../../policies/facts/engine-event.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { CallLimits } from '../../policies/manifest/call-terms.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { KeptFolder } from '../../state/disk/real-folder.ts';
import type { Overlay } from '../../wrappers/adapter.ts';
import type { Exchange } from '../../wrappers/relay/exchange.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { Announced } from './announce.ts';
import type { Attempt } from './attempt.ts';
import type { WrapperRequest } from './request.ts';

/** A call that has an id and a start. */
export interface BegunCall {
  readonly request: WrapperRequest;
  readonly callId: string;
  /** The process that others wait for; null if a later process publishes the call. */
  readonly announced: Announced | null;
  readonly startedAt: Date;
  /** The same moment by the steady clock. */
  readonly begunMs: number;
  readonly warnings: readonly string[];
  readonly clock: () => Date;
}

/** A call that can be made: its prompt is read, and its CLI is found. */
export interface CheckedCall extends BegunCall {
  /** The bytes to send. */
  readonly prompt: Buffer;
  readonly binary: string;
  /** null if it is not known. */
  readonly cliVersion: string | null;
}

/** A call whose CLI has a private folder and a complete command line. */
export interface EquippedCall extends CheckedCall {
  readonly argv: readonly string[];
  readonly attempt: Attempt;
  readonly overlay: Overlay;
  /** The usage that the resumed session had before this call, for a CLI that reports totals; null is unknown. */
  readonly countedBefore: ReportedUsage | null;
  /** Relays its requests; null if they are not recorded. */
  readonly recorder: Recorder | null;
  /** Makes the words after the program from those of the CLI, if it is called through a prefix; null without one. */
  readonly through: ((argv: readonly string[]) => string[]) | null;
}

/** A call that is registered, and whose files are on disk. It can be paid. */
export interface PreparedCall extends EquippedCall {
  readonly guardian: ProcessIdentity;
  readonly registered: RegisteredCall;
  /** The content of `attempt.json`; null for a call without a task. */
  readonly saved: string | null;
  /** The folders of its result. They must be the same when the result is written. */
  readonly folders: readonly KeptFolder[];
}

/** The entry of a call in the user's register. */
export interface RegisteredCall {
  /** Whether a sweep finds the call. */
  isKnown: boolean;
  started(cli: ProcessIdentity | null): void;
  /** The started process has ended, and will be started once more. */
  again(): void;
  /** Called when no process of the call remains, and every file is where it belongs. */
  forget(): void;
}

/** Sends a call through a relay. */
export interface Recorder {
  /** Adds to the call's overlay what sends its CLI to the relay. */
  directed(overlay: Overlay): Overlay;
  /** The exchange that most likely caused a failure; null if there was none. */
  exchange(): Exchange | null;
  close(): Promise<void>;
}

/** What a record is made from. A call that was refused lacks the values of the later phases. */
export interface RecordableCall extends BegunCall {
  readonly prompt: Buffer | null;
  /** The hash of the prompt as hexadecimal digits; null if it is not computed yet. */
  readonly promptHash: string | null;
  readonly cliVersion: string | null;
  readonly argv: readonly string[];
  readonly countedBefore: ReportedUsage | null;
  readonly folders: readonly KeptFolder[];
  /** The text that replaces the CLI's own words if some of the call's secrets are not known; null if all are known. */
  readonly withheld: string | null;
  readonly recorder: Recorder | null;
  readonly redactor: Redactor;
}

/** Gives a new call its id and its start. It looks nothing up. */
export function begin(request: WrapperRequest, clock: () => Date): BegunCall {
  const startedAt = clock();
  return {
    request,
    callId: request.callId ?? request.ownId ?? newCallId(startedAt),
    announced: null,
    startedAt,
    begunMs: nowMs(),
    warnings: request.composed.warnings,
    clock,
  };
}

/** The values of later phases, for a call that did not reach them. */
export const NOT_REACHED = {
  prompt: null,
  promptHash: null,
  cliVersion: null,
  argv: [],
  countedBefore: null,
  folders: [],
  withheld: null,
  recorder: null,
} as const;

/** The deadline that ends the call. In wait_done mode the given deadline only causes a warning, and twice its length ends the call. */
export const wallMs = ({ timeoutMode, timeoutMs }: CallLimits): number =>
  timeoutMode === 'wait_done' ? 2 * timeoutMs : timeoutMs;

/** How long to wait for a guardian that may be suspended or stuck. */
export interface GuardianTimeouts {
  /** How long after its deadline a call may lack a verdict. In this time its processes are ended and its result is published. */
  lateMs: number;
  /** How long a guardian that was resumed has to do the same. */
  wokenMs: number;
  /** How long a guardian may live after the verdict on its call, to clean up. */
  leavingMs: number;
}

/** The values outside of tests. */
export const GUARDIAN_TIMEOUTS: GuardianTimeouts = { lateMs: 60_000, wokenMs: 30_000, leavingMs: 5000 };

/** Sorts by time, and is safe in a file name and a process marker. It is no secret. */
export function newCallId(at: Date): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14);
  const chance = Math.floor(Math.random() * 2 ** 32);
  return `${time}-${chance.toString(16).padStart(8, '0')}`;
}

/** As 64 hexadecimal digits. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
