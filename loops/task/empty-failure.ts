// Defines a failure without known facts.

import { FAILURE_SCHEMA, type Failure } from '../../policies/report/task-failure.ts';

/** The fields that a failure without a call lacks. */
export const EMPTY_FAILURE: Omit<
  Failure,
  'task_id' | 'at' | 'class' | 'reason' | 'evidence' | 'decision' | 'next_actions'
> = {
  schema: FAILURE_SCHEMA,
  stage: null,
  tool: null,
  attempt: null,
  signature: null,
  count: 1,
  exit_code: 1,
  native_exit_code: null,
  signal: null,
  ending: null,
  retry_at: null,
  missing: [],
  changed: [],
  stderr_head: [],
  stderr_tail: [],
  files: {},
  resolved_at: null,
};
