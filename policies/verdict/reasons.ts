// Every reason that a failure can bear: those of the rules and endings, and those that are found in our own words.

import type { OwnReason } from '../facts/own-reasons.ts';
import type {
  ENDING_RULES,
  LEFTOVERS,
  LOST,
  NO_ANSWER,
  SERVER_LACKS,
  SILENT_START,
  TOO_LARGE,
  TOOL_DENIED,
} from '../rules/endings.ts';
import type { ALL_RULES } from '../rules/rules.ts';

/** Of what a CLI or its service said. */
type SaidReason = (typeof ALL_RULES)[number]['reason'];

/** Of how a call ended, and of what is left when nothing was said. */
type EndingReason =
  | Exclude<(typeof ENDING_RULES)[keyof typeof ENDING_RULES], null>['reason']
  | (typeof LEFTOVERS)[keyof typeof LEFTOVERS]['reason']
  | typeof SILENT_START.reason
  | typeof LOST.reason
  | typeof TOO_LARGE.reason
  | typeof NO_ANSWER.reason
  | typeof SERVER_LACKS.reason
  | typeof TOOL_DENIED.reason;

/** A project's own rows may add others, which go by their class. */
export type CallReason = SaidReason | EndingReason | OwnReason;
