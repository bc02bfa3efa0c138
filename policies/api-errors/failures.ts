// Decides which failures come from the service or the conversation, and collects the response headers that CLIs report.

import type { ErrorClass } from '../facts/classes.ts';
import type { Ending, EvidenceSource, Verdict } from '../facts/evidence.ts';
import type { BuiltIn } from '../facts/tools.ts';
import { partOf, textOf } from '../text/json.ts';

interface ApiCircumstances {
  ending: Ending;
  /** The HTTP status that the engine reported. */
  status: number | null;
  /** The service's own name for an error, such as `invalid_request_error`. codex reports no status with it. */
  named: string | null;
  /** The engine reported an error, even one that it meant to retry. */
  said: boolean;
  /** The conversation had begun: there is a session, or a turn. */
  hasBegun: boolean;
  /** Something came back: text of the answer, or a tool call. */
  answered: boolean;
}

export function isApiFailure({ class: errorClass, reason, evidence }: Verdict, at: ApiCircumstances): boolean {
  if (errorClass === null || OURS.has(at.ending)) return false;
  // The service itself responded with this error, whatever it means for the call.
  if ((at.status !== null && at.status >= 400) || (at.named !== null && OF_A_SERVICE.test(at.named))) return true;
  if (!mayBeLogged(errorClass, reason)) return false;
  if (errorClass === 'unknown') return FROM_ENGINE.has(evidence?.source ?? 'none');
  if (WAITED.has(reason ?? '') && evidence?.source === 'ending') return at.said || (at.hasBegun && !at.answered);
  return true;
}

/** Endings caused by our own limits, or before any request. */
const OURS: ReadonlySet<Ending> = new Set(['not_started', 'cancelled', 'max_turns', 'over_cap', 'overflowed']);

/** OpenAI's and Anthropic's error types, and the names of gRPC's codes. */
const OF_A_SERVICE =
  /^(?:[a-z_]+_error|INVALID_ARGUMENT|FAILED_PRECONDITION|OUT_OF_RANGE|UNAUTHENTICATED|PERMISSION_DENIED|NOT_FOUND|ABORTED|ALREADY_EXISTS|RESOURCE_EXHAUSTED|DATA_LOSS|INTERNAL|UNIMPLEMENTED|UNAVAILABLE|DEADLINE_EXCEEDED)$/;

/** Decides by class and reason alone. */
function mayBeLogged(errorClass: ErrorClass, reason: string | null): boolean {
  const row = LOGGED[errorClass];
  if ('only' in row) return (row.only as readonly string[]).includes(reason ?? '');
  return !(row.but as readonly string[]).includes(reason ?? '');
}

const LOGGED = {
  // These calls were cancelled, killed or never started, so the cause is the machine.
  transient: { but: ['cancelled', 'interrupted', 'silent_start', 'killed', 'crashed', 'out_of_memory'] },
  // gemini counts the tokens itself, the service reports it to the others. In both cases the history was too large.
  prompt_too_large: { but: [] },
  // A batch did not make this call.
  auth: { but: ['paused'] },
  // Our own budget, and our own pause until a reset.
  quota: { but: ['budget', 'paused', 'own_limit', 'held'] },
  // All others concern the installation, the flags and the folders: no request was made.
  tooling: { only: ['broken_history', 'model_not_found', 'bad_request', 'not_found', 'certificate'] },
  // The gate's own result, and our own limits.
  scope_violation: { only: [] },
  contract_violation: { only: ['content_filter'] },
  unknown: { but: [] },
} as const satisfies Record<ErrorClass, { but: readonly string[] } | { only: readonly string[] }>;

/** An unknown failure counts only if its evidence comes from the engine. */
const FROM_ENGINE: ReadonlySet<EvidenceSource> = new Set(['failure', 'error', 'stderr']);

/** A deadline says nothing about the service, unless a request was made and no response came. */
const WAITED: ReadonlySet<string> = new Set(['timeout', 'idle']);

/** Defines the warning in a call's record that its failure could not be logged. */
export const UNLOGGED = 'the API failure could not be logged whole';

export const isAboutLog = (warning: string): boolean => warning.startsWith(UNLOGGED);

/**
 * copilot reports two headers under its own names, in its event of a failed model call. codex writes some into the text of an
 * error with an unexpected status. claude names the request in its error message.
 * @param events the last events of the stream, oldest first
 * @returns null if no header is reported.
 */
export function headersTold(events: readonly unknown[], texts: readonly string[]): Record<string, string> | null {
  const reported: Record<string, string> = {};
  for (const event of events) {
    const whole = partOf(event);
    const data = partOf(whole?.data) ?? whole;
    for (const [field, header] of FIELDS) {
      const value = textOf(data?.[field]);
      if (value !== null) reported[header] = value;
    }
  }
  for (const text of texts)
    for (const [header, pattern] of PATTERNS) {
      const [, value] = pattern.exec(text) ?? [];
      if (value !== undefined) reported[header] = value;
    }
  return Object.keys(reported).length === 0 ? null : reported;
}

interface HeaderTraces {
  /** Fields of an event's data. */
  fields: readonly (readonly [field: string, header: string])[];
  /** Patterns for the text of an error. */
  patterns: readonly (readonly [header: string, pattern: RegExp])[];
}

const TRACES: Readonly<Record<BuiltIn, HeaderTraces>> = {
  gemini: { fields: [], patterns: [] },
  copilot: {
    fields: [
      ['apiCallId', 'x-request-id'],
      ['providerCallId', 'x-github-request-id'],
    ],
    patterns: [],
  },
  codex: {
    fields: [],
    patterns: [
      ['x-request-id', /\brequest id: ([\w.:-]{1,200})/],
      ['cf-ray', /\bcf-ray: ([\w.:-]{1,200})/],
    ],
  },
  claude: { fields: [['request_id', 'request-id']], patterns: [] },
};

const FIELDS = Object.values(TRACES).flatMap(({ fields }) => fields);
const PATTERNS = Object.values(TRACES).flatMap(({ patterns }) => patterns);
