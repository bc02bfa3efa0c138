// Which failures are the service's or the conversation's, and so worth an entry in api_errors.log.

import type { ErrorClass } from '../facts/classes.ts';
import type { Ending } from '../facts/ending.ts';
import type { EvidenceSource, Verdict } from '../facts/evidence.ts';

export interface ApiCircumstances {
  ending: Ending;
  /** HTTP status that the engine told. */
  status: number | null;
  /** The type or code of an error as services name it, such as `invalid_request_error` or `INTERNAL`: codex tells no status beside it. */
  named: string | null;
  /** The engine told of an error, were it one that it meant to try again. */
  said: boolean;
  /** It had begun: there is a session, or a turn. */
  asked: boolean;
  /** Something came back: a word of the answer, or a tool's call. */
  answered: boolean;
}

export function isApiFailure({ class: errorClass, reason, evidence }: Verdict, at: ApiCircumstances): boolean {
  if (errorClass === null || OURS.has(at.ending)) return false;
  // What the service itself answered, whatever it means to us.
  if ((at.status !== null && at.status >= 400) || (at.named !== null && OF_A_SERVICE.test(at.named))) return true;
  if (!mayBeLogged(errorClass, reason)) return false;
  if (errorClass === 'unknown') return FROM_ENGINE.has(evidence?.source ?? 'none');
  if (WAITED.has(reason ?? '') && evidence?.source === 'ending') return at.said || (at.asked && !at.answered);
  return true;
}

/** Ended by limits of ours, or before anything was asked. */
const OURS: ReadonlySet<Ending> = new Set(['not_started', 'cancelled', 'max_turns', 'overflowed']);

/** OpenAI's and Anthropic's types, and the names of gRPC's codes. */
const OF_A_SERVICE =
  /^(?:[a-z_]+_error|INVALID_ARGUMENT|FAILED_PRECONDITION|OUT_OF_RANGE|UNAUTHENTICATED|PERMISSION_DENIED|NOT_FOUND|ABORTED|ALREADY_EXISTS|RESOURCE_EXHAUSTED|DATA_LOSS|INTERNAL|UNIMPLEMENTED|UNAVAILABLE|DEADLINE_EXCEEDED)$/;

/** By class and reason alone. */
function mayBeLogged(errorClass: ErrorClass, reason: string | null): boolean {
  const row = LOGGED[errorClass];
  if ('only' in row) return (row.only as readonly string[]).includes(reason ?? '');
  return !(row.but as readonly string[]).includes(reason ?? '');
}

const LOGGED = {
  // Told to stop, killed, or never begun: the machine's doing.
  transient: { but: ['cancelled', 'interrupted', 'silent_start', 'killed', 'crashed', 'out_of_memory'] },
  // gemini counts by itself, the others are told; the history is what overflowed either way.
  prompt_too_large: { but: [] },
  // What a batch did not ask.
  auth: { but: ['paused'] },
  // Our own budget, and our own rest until a reset.
  quota: { but: ['budget', 'paused', 'own_limit', 'held'] },
  // All else is the installation, the flags and the folders: nothing was asked.
  tooling: { only: ['broken_history', 'model_not_found', 'bad_request', 'not_found', 'certificate'] },
  // The gate's own word; and limits of ours.
  scope_violation: { only: [] },
  contract_violation: { only: ['content_filter'] },
  unknown: { but: [] },
} as const satisfies Record<ErrorClass, { but: readonly string[] } | { only: readonly string[] }>;

/** What nobody knows counts only in the engine's own words. */
const FROM_ENGINE: ReadonlySet<EvidenceSource> = new Set(['failure', 'error', 'stderr']);

/** A deadline says nothing of the service, unless it was asked and gave no word. */
const WAITED: ReadonlySet<string> = new Set(['timeout', 'idle']);
