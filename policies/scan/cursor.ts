// Where the normaliser stands in a text: the unit under it, what stood before, and what the run around it may hold.

import type { Step } from './step.ts';

/** Stands for "nothing came before" where a character code is expected. */
export const START = -1;

export interface Cursor {
  text: string;
  /** The text's code units, with white space behind them. */
  codes: Uint16Array;
  /** The word, or words joined by `-` and `.`, that begins at the cursor. */
  unitEnd: number;
  unitHasDigit: boolean;
  unitIsJoined: boolean;
  unitIsHex: boolean;
  /** Where the last digit, joint and other character than a hex digit stand in the unit, once a part of it was eaten. */
  lastDigit: number;
  lastJoint: number;
  lastOther: number;
  /** The end of the unit for which these are known. */
  knownEnd: number;
  /** `HAS` bits of the run of visible characters around the cursor, and where that run ends. */
  features: number;
  runEnd: number;
  /** That run is one word of letters. */
  runIsPlain: boolean;
  /** The last sign before the token, quotes and brackets of quoting aside; 0 = a token, START = nothing. */
  lead: number;
  /** White space stands between that sign and the token. */
  spaced: boolean;
  /** The quote that opens right before the token, or 0. */
  quote: number;
  /** The two words before, as offsets; empty where something other than a word stood. */
  lastFrom: number;
  lastTo: number;
  olderFrom: number;
  olderTo: number;
  context: ScanContext;
  /** Gets what becomes of each word; null = nobody asks. */
  trace: Step[] | null;
}

/** What the caller knows to be volatile in this text. */
export interface ScanContext {
  taskId?: string;
  prompt?: string;
}
