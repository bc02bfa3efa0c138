// Defines the error classes: what each means, and what to do next; and our own reasons for a refused call or a failed gate.

interface ErrorClassRow {
  /** Its name for people, as a mark on a page. */
  word: string;
  /** One sentence for the documents and for `tollgate explain`. */
  meaning: string;
  /** What to do when the dispatcher has stopped. */
  next: string;
  /** The exit code under `--exit-by-class`; null keeps the command's own general-failure code. */
  exitByClass: number | null;
}

export const CLASSES = {
  transient: {
    word: 'temporary',
    meaning: 'network, timing, overload, rate limit, timeout, empty or cut answer',
    next: 're-run later',
    exitByClass: null,
  },
  prompt_too_large: {
    word: 'too large',
    meaning: 'prompt or history over a limit',
    next: 'reduce attachments or split the task',
    exitByClass: 66,
  },
  auth: {
    word: 'sign-in',
    meaning: 'not authenticated or not authorised',
    next: 'sign in again',
    exitByClass: 77,
  },
  quota: {
    word: 'usage limit',
    meaning: 'a usage limit with a reset: per day, plan, billing',
    next: 'wait for the reset, use another tool or raise the plan',
    exitByClass: 75,
  },
  tooling: {
    word: 'setup',
    meaning: 'binary missing, bad flag, config, model, session id, environment',
    next: 'run `tollgate preflight`',
    exitByClass: null,
  },
  scope_violation: {
    word: 'out of scope',
    meaning: 'the gate found changes outside the scope',
    next: 'review `scope.deny` in the manifest',
    exitByClass: 65,
  },
  contract_violation: {
    word: 'incomplete answer',
    meaning: 'the gate found required parts missing, or the answer is a refusal',
    next: 'fix the prompt or split the task',
    exitByClass: 65,
  },
  unknown: {
    word: 'unknown cause',
    meaning: 'nothing matched',
    next: 'read `last_failure.json`',
    exitByClass: null,
  },
} as const satisfies Record<string, ErrorClassRow>;

export type ErrorClass = keyof typeof CLASSES;

/** A record of another version may have another class. */
export const classWord = (name: string): string =>
  Object.hasOwn(CLASSES, name) ? CLASSES[name as ErrorClass].word : name.replaceAll('_', ' ');

/** Under `--exit-by-class` our own budget has a different code from the service's quota. */
export const EXIT_BUDGET = 76;

/** For a call that was refused before it began, and for a run that could not begin one. */
export const OWN_REASONS = [
  'bad_prefix',
  'bad_state',
  'binary_missing',
  'broken_install',
  'budget',
  'call_elsewhere',
  'cancelled',
  'config',
  'disk',
  'empty_prompt',
  'held',
  'interrupted',
  'mcp_server',
  'no_prompt',
  'no_working_folder',
  'not_described',
  'not_prepared',
  'not_signed_in',
  'not_started',
  'own_limit',
  'paused',
  'prompt_changed',
  'prompt_limit',
  'session_elsewhere',
  'session_id',
  'state_unwritable',
  'timeout',
  'untrusted',
  'unwritable_output',
  'wrapper_failed',
] as const;

export type OwnReason = (typeof OWN_REASONS)[number];

/** For what a gate found. */
export const GATE_REASONS = [
  'acceptance_failed',
  'answer_unreadable',
  'diff_does_not_apply',
  'diff_leaves_tree',
  'diff_unchecked',
  'diff_unclear',
  'judge_changed',
  'missing_sections',
  'no_change',
  'no_diff',
  'not_json',
  'out_of_scope',
  'refusal',
  'schema_mismatch',
  'schema_unchecked',
  'too_short',
  'verdict_fail',
  'verdict_missing',
] as const;

export type GateReason = (typeof GATE_REASONS)[number];
