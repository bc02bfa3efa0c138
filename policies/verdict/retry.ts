// Defines the retry table: what the dispatcher does by itself, by class and by how often the signature occurred.

import type { ErrorClass } from '../facts/classes.ts';

export interface RetryRow {
  /** On the first occurrence of a signature in a run. */
  first: 'retry' | 'retry_digest' | 'stop';
  /** On every further occurrence. */
  again: 'stop';
  /** What the report says when the dispatcher stops, beyond the class's own next step. */
  report: string;
}

export const RETRY_TABLE = {
  transient: { first: 'retry', again: 'stop', report: 'report' },
  prompt_too_large: { first: 'retry_digest', again: 'stop', report: 'suggest a task split' },
  auth: { first: 'stop', again: 'stop', report: 'stop at once' },
  quota: { first: 'stop', again: 'stop', report: 'stop with retry_at (or wait for it)' },
  tooling: { first: 'stop', again: 'stop', report: 'suggest preflight' },
  contract_violation: { first: 'stop', again: 'stop', report: 'name what is missing' },
  scope_violation: { first: 'stop', again: 'stop', report: 'name the paths' },
  unknown: { first: 'retry', again: 'stop', report: 'report' },
} as const satisfies Record<ErrorClass, RetryRow>;
