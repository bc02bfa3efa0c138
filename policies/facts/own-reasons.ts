// Lists our own reasons: for a call that we refused or stopped, and for what a gate found.

/** For a call that was refused before it began, and for a run that could not begin one. */
export const OWN_REASONS = [
  'bad_state',
  'binary_missing',
  'broken_install',
  'budget',
  'call_elsewhere',
  'cancelled',
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
