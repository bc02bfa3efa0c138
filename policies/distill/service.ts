// Defines the requests to the service that stores a book, its results, and what its failures mean for a distillation.

import { readFailure } from '../facts/engine-failure.ts';
import type { Evidence, Verdict } from '../facts/evidence.ts';
import { oneLine } from '../text/display.ts';
import { classify } from '../verdict/classify.ts';
import { waitBefore } from '../verdict/retry.ts';

/** An uploaded file. Its reference is valid until it expires (after two days at Gemini). */
export interface UploadedBook {
  /** The name by which its state is queried: `files/abc`. */
  name: string;
  /** The address by which a turn refers to it. */
  uri: string;
  mimeType: string;
  state: 'PROCESSING' | 'ACTIVE' | 'FAILED';
  /** RFC 3339, as the service wrote it. */
  expiresAt: string | null;
  /** Why the file could not be processed, in the service's words. */
  error: string | null;
}

/** One entry of a history. A model's answer is sent back unchanged, because its parts carry signatures. */
export interface TurnContent {
  role: 'user' | 'model';
  parts: readonly unknown[];
}

export interface TurnAnswer {
  /** The answer as it must be sent back; null if there was none. */
  content: TurnContent | null;
  /** The readable text of the answer, without thoughts. */
  text: string;
  finishReason: string | null;
  /** Why the prompt itself was refused. */
  blockReason: string | null;
  /** In tokens, as the service counted them; null if it did not. */
  usage: TurnUsage | null;
  modelVersion: string | null;
  /** It is the answer of an earlier call, which counts already. */
  isCounted?: true;
}

export interface TurnUsage {
  /** The whole prompt, including cached tokens. */
  input: number;
  output: number;
  thoughts: number;
  cached: number;
}

/** All that is known about a request that got no answer. */
export interface ServiceRefusal {
  message: string;
  /** The HTTP status; null if no response came. */
  status: number | null;
  /** The longer of `Retry-After` and RetryInfo. */
  retryAfterMs: number | null;
  /** The first 64 KiB of the service's response. */
  body: string;
  /** The service was not reached: no name, no route, a refused or a broken connection. */
  offline: boolean;
  /** Set if something else than the status shows it. A CLI may have paid for requests before the refused one. */
  maybePaid?: boolean;
  /** Set if a wrapper has already classified the failure; otherwise the texts are classified. */
  verdict?: Verdict;
}

type FailureMeans =
  /** `forever`: nothing was sent, so the request is retried until the user pauses or stops. */
  { means: 'retry'; forever: boolean } | { means: 'file_lost' } | { means: 'pause' };

export interface ClassifiedFailure {
  verdict: Verdict;
  does: FailureMeans;
  /** The service may have answered and charged for it. Then a retry is another paid call. */
  maybePaid: boolean;
  /** How long the service asks the client to wait; null if it does not say. */
  retryAfterMs: number | null;
  /** For users. */
  evidence: string;
}

export function classifyFailure(refusal: ServiceRefusal, now: Date): ClassifiedFailure {
  const { status, offline, body } = refusal;
  const verdict = refusal.verdict ?? classify({ ...NO_EVIDENCE, failure: failureOf(refusal) }, { now });
  const waitMs = verdict.retry_at === null ? null : Date.parse(verdict.retry_at) - now.getTime();
  const evidence = `${status === null ? '' : `HTTP ${status}: `}${oneLine(wordsOf(refusal), 300)}`;
  const neverSent = NEVER_SENT.test(`${refusal.message} ${body}`);
  return {
    verdict,
    does: meaningOf(refusal, verdict, neverSent),
    maybePaid: refusal.maybePaid ?? ((status === null || status < 400) && !neverSent),
    retryAfterMs: refusal.retryAfterMs ?? (waitMs === null ? null : Math.max(0, waitMs)),
    evidence: offline && evidence === '' ? 'the service was not reached' : evidence,
  };
}

/** The connection failed or the name was not found, so no byte of the request was sent. */
const NEVER_SENT =
  /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENETUNREACH|EHOSTUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT)\b/;

function meaningOf(refusal: ServiceRefusal, { class: errorClass }: Verdict, neverSent: boolean): FailureMeans {
  const { status, offline } = refusal;
  if (isFileLost(refusal)) return { means: 'file_lost' };
  // A request whose connection broke later or fell silent may have been charged. So its retries are limited like any others.
  if (offline) return { means: 'retry', forever: neverSent };
  if (status === 429 || (status !== null && status >= 500) || status === 408) return { means: 'retry', forever: false };
  if (refusal.retryAfterMs !== null && status !== 401 && status !== 403) return { means: 'retry', forever: false };
  // An unreadable answer is one that broke off during the transfer.
  return errorClass === 'transient' || ((status === null || status === 200) && errorClass === 'unknown')
    ? { means: 'retry', forever: false }
    : { means: 'pause' };
}

/** A region and a bill are preconditions too, and an upload does not fix them. */
const NO_FILE = /\blocation is not supported|\bbilling\b|\bAPI key\b/i;

const OF_FILE = /\bfiles?[/ ]|\bfile\b/i;

/** FAILED_PRECONDITION, "Unsupported file uri", or a 403 or 404 about a file. */
export function isFileLost(refusal: ServiceRefusal): boolean {
  const said = `${refusal.message}\n${refusal.body}`;
  if (NO_FILE.test(said)) return false;
  if (/\bFAILED_PRECONDITION\b|unsupported file uri/i.test(said)) return true;
  return (refusal.status === 403 || refusal.status === 404) && OF_FILE.test(said);
}

const wordsOf = ({ message, body }: ServiceRefusal): string => readFailure(body === '' ? message : body).message;

const failureOf = (refusal: ServiceRefusal) =>
  readFailure(
    refusal.body === '' ? refusal.message : refusal.body,
    refusal.status === null ? {} : { status: refusal.status },
  );

const NO_EVIDENCE: Evidence = {
  tool: 'gemini',
  ending: 'exited',
  exitCode: 1,
  signal: null,
  completed: false,
  answerChars: 0,
  failure: null,
  errors: [],
  retried: null,
  stderr: [],
  remarks: [],
  obstacle: null,
  tokens: null,
};

/** The maximum number of consecutive failed requests of one turn, without those that reached no service. */
export const MAX_TRIES = 8;

/** What follows a temporary failure. `attempt`: of this turn, from 1. `tries`: how many of the attempts reached a service. */
type FailureWait = { how: 'wait'; waitMs: number } | { how: 'pause'; reason: 'reset' | 'retries'; evidence: string };

export function waitAfter(
  judged: ClassifiedFailure,
  terms: { attempt: number; tries?: number; autoWaitMs: number; now: Date; random: () => number },
): FailureWait {
  const { attempt, tries = attempt, autoWaitMs, now, random } = terms;
  const { does, retryAfterMs, evidence } = judged;
  if (does.means === 'retry' && !does.forever && tries >= MAX_TRIES)
    return { how: 'pause', reason: 'retries', evidence: `${tries} requests failed in a row; the last: ${evidence}` };
  if (retryAfterMs !== null && retryAfterMs > autoWaitMs) {
    const at = new Date(now.getTime() + retryAfterMs).toISOString();
    return { how: 'pause', reason: 'reset', evidence: `the service asks to wait until ${at}: ${evidence}` };
  }
  const retryAt = retryAfterMs === null ? null : new Date(now.getTime() + retryAfterMs).toISOString();
  return { how: 'wait', waitMs: waitBefore({ retryAt, sessionMs: 0, attempt, now, random }) };
}
