// Every reason that a failure can bear: those of the rules and endings, and those that are found in our own words.

import type { ENDING_RULES, LEFTOVERS, LOST, SILENT_START, TOO_LARGE } from './rules/endings.ts';
import type { ALL_RULES } from './rules/rules.ts';

/** Of what a CLI or its service said. */
export type SaidReason = (typeof ALL_RULES)[number]['reason'];

/** Of how a call ended, and of what is left when nothing was said. */
export type EndingReason =
  | Exclude<(typeof ENDING_RULES)[keyof typeof ENDING_RULES], null>['reason']
  | (typeof LEFTOVERS)[keyof typeof LEFTOVERS]['reason']
  | typeof SILENT_START.reason
  | typeof LOST.reason
  | typeof TOO_LARGE.reason;

/** Of a call that was refused before it began, and of a run that could not begin one. */
export const OWN_REASONS = [
  'bad_state',
  'binary_missing',
  'budget',
  'call_elsewhere',
  'cancelled',
  'disk',
  'empty_prompt',
  'interrupted',
  'no_prompt',
  'no_working_folder',
  'not_prepared',
  'not_started',
  'paused',
  'prompt_changed',
  'prompt_limit',
  'session_elsewhere',
  'state_unwritable',
  'timeout',
  'unwritable_output',
  'wrapper_failed',
] as const;

export type OwnReason = (typeof OWN_REASONS)[number];

/** Of what a gate found. */
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

/** A project's own rows may add others, which go by their class. */
export type CallReason = SaidReason | EndingReason | OwnReason;
