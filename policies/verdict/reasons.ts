// Lists every reason that a failure can have: those of the rules and endings, and our own.

import { GATE_REASONS, type GateReason, OWN_REASONS, type OwnReason } from '../facts/classes.ts';
import {
  ENDING_RULES,
  LEFTOVERS,
  LOST,
  type MISFITS,
  NO_ANSWER,
  SERVER_LACKS,
  SILENT_START,
  TOO_LARGE,
  TOOL_DENIED,
} from '../rules/endings.ts';
import { ALL_RULES } from '../rules/rules.ts';

/** Reasons for what a CLI or its service reported. */
type SaidReason = (typeof ALL_RULES)[number]['reason'];

/** Reasons for how a call ended, and for calls without any message. */
type EndingReason =
  | Exclude<(typeof ENDING_RULES)[keyof typeof ENDING_RULES], null>['reason']
  | (typeof LEFTOVERS)[keyof typeof LEFTOVERS]['reason']
  | typeof SILENT_START.reason
  | typeof LOST.reason
  | typeof TOO_LARGE.reason
  | typeof NO_ANSWER.reason
  | typeof SERVER_LACKS.reason
  | typeof TOOL_DENIED.reason
  | (typeof MISFITS)[keyof typeof MISFITS]['reason'];

/** A project's own rows may add others, which are handled by their class. */
export type CallReason = SaidReason | EndingReason | OwnReason;

/** Reasons for a failed call or gate, for a request that could not be read, or for a passed run without its commit. */
export type FailureReason = CallReason | GateReason | (typeof OTHER_REASONS)[number];

const OTHER_REASONS = ['bad_input', 'not_committed'] as const;

/** All of them, for the published types. */
export const FAILURE_REASONS: readonly FailureReason[] = [
  ...new Set<FailureReason>([
    ...ALL_RULES.map(({ reason }) => reason),
    ...Object.values(ENDING_RULES).flatMap((row) => (row === null ? [] : [row.reason])),
    ...Object.values(LEFTOVERS).map(({ reason }) => reason),
    ...[SILENT_START, LOST, TOO_LARGE, NO_ANSWER, SERVER_LACKS, TOOL_DENIED].map(({ reason }) => reason),
    ...OWN_REASONS,
    ...GATE_REASONS,
    ...OTHER_REASONS,
  ]),
].sort();
