// Holds what is known of a call before it ends; the record is made from it.

import type { Usage } from '../../policies/facts/engine-event.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { KeptFolder } from '../../state/disk/real-folder.ts';
import type { Announced } from './announce.ts';
import type { Recorder } from './recorder-of-call.ts';
import type { WrapperRequest } from './request.ts';

export interface Draft {
  request: WrapperRequest;
  callId: string;
  /** The process that announces the call to its waiting callers; null if the wrapper is gone. */
  announced: Announced | null;
  startedAt: Date;
  /** The bytes to send, once they are read. */
  prompt: Buffer | null;
  /** The hash of the prompt's bytes; made while the CLI runs, since node:crypto takes 2 ms to load. */
  promptHash: string | null;
  binary: string | null;
  /** The version of the CLI, before it is called; null if it cannot be determined. */
  cliVersion: string | null;
  argv: string[];
  warnings: string[];
  /** What the session had counted before this call, for a CLI that continues that count; null if it is not known. */
  countedBefore: Partial<Usage> | null;
  /** Paths without links. The result is written to them, and they must still be folders then. */
  folders: readonly KeptFolder[];
  /** Replaces the CLI's own words if they may hold an unknown secret; null if all secrets are known. */
  withheld: string | null;
  /** The relay of its requests; null if they are not recorded. */
  recorder: Recorder | null;
  clock: () => Date;
}

/** A call that is about to be reported, with the redactor for its texts. */
export interface ClosingDraft extends Draft {
  redactor: Redactor;
}

/** Makes the draft of a call that begins now, with an id and a start. It looks nothing up. */
export function draftOf(request: WrapperRequest, clock: () => Date): Draft {
  const startedAt = clock();
  return {
    request,
    callId: request.callId ?? newCallId(startedAt),
    announced: null,
    startedAt,
    prompt: null,
    promptHash: null,
    binary: null,
    cliVersion: null,
    argv: [],
    warnings: [...request.composed.warnings],
    countedBefore: null,
    folders: [],
    withheld: null,
    recorder: null,
    clock,
  };
}

/** The deadline that kills. In wait_done mode the given deadline is only noted, and twice its length kills. */
export const wallMs = ({ limits }: Pick<WrapperRequest, 'limits'>): number =>
  limits.timeoutMode === 'wait_done' ? 2 * limits.timeoutMs : limits.timeoutMs;

/**
 * The id sorts by time, and is safe in a file name and a process marker. It is not a secret: node:crypto would cost 2 ms before
 * the spawn.
 */
export function newCallId(at: Date): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14);
  const chance = Math.floor(Math.random() * 2 ** 32);
  return `${time}-${chance.toString(16).padStart(8, '0')}`;
}

/** @returns 64 hexadecimal digits. */
export function sha256(bytes: Buffer): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}
