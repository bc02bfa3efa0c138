// What is known of a call before it ends; the record is made from it.

import type { Usage } from '../../policies/facts/engine-event.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import type { KeptFolder } from '../../state/disk/real-folder.ts';
import type { Announced } from './announce.ts';
import type { Recorder } from './recorder-of-call.ts';
import type { WrapperRequest } from './request.ts';

export interface Draft {
  request: WrapperRequest;
  callId: string;
  /** Who speaks to those that wait for the call; null where its wrapper is gone. */
  announced: Announced | null;
  startedAt: Date;
  /** The bytes to send, once they are read. */
  prompt: Buffer | null;
  /** Over the prompt's bytes; made while the CLI runs, since node:crypto takes 2 ms to load. */
  promptHash: string | null;
  binary: string | null;
  /** Of the CLI, before it is called; null where nobody can tell. */
  cliVersion: string | null;
  argv: string[];
  warnings: string[];
  /** What the session had counted before this call, for a CLI that counts on from there; null is unknown. */
  countedBefore: Partial<Usage> | null;
  /** Without links: what the result is written to, and must still be folders then. */
  folders: readonly KeptFolder[];
  /** What stands for the CLI's own words where a secret that they may hold is not known; null where all are. */
  withheld: string | null;
  /** What its requests go through; null where they are not recorded. */
  recorder: Recorder | null;
  clock: () => Date;
}

/** Of a call of which something is to be told: with what takes secrets out of that. */
export interface ClosingDraft extends Draft {
  redactor: Redactor;
}

/** The draft of a call that begins now: an id and a start, and nothing that has to be looked up. */
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

/** The deadline that kills: in wait_done mode the given one is only noted, and twice its length kills. */
export const wallMs = ({ limits }: Pick<WrapperRequest, 'limits'>): number =>
  limits.timeoutMode === 'wait_done' ? 2 * limits.timeoutMs : limits.timeoutMs;

/** Sorts by time, and is safe in a file name and a process marker. No secret: node:crypto would cost 2 ms before the spawn. */
export function newCallId(at: Date): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14);
  const chance = Math.floor(Math.random() * 2 ** 32);
  return `${time}-${chance.toString(16).padStart(8, '0')}`;
}

/** As 64 hexadecimal digits. */
export function sha256(bytes: Buffer): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}
