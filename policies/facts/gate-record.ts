// What a gate finds in a finished stage: the hand-over from each check to the verdict, the record and the report.

import type { NextAction } from './next-action.ts';
import type { GateReason } from './own-reasons.ts';

/** Each check has a name of its own; the order is the order in which they are looked at and told. */
export const GATE_CHECKS = [
  'judge',
  'scope',
  'refusal',
  'changes',
  'sections',
  'lines',
  'schema',
  'diff',
  'verdict',
  'acceptance',
] as const;

export type GateCheck = (typeof GATE_CHECKS)[number];

export interface Finding {
  check: GateCheck;
  class: 'contract_violation' | 'scope_violation';
  /** One word for machines, such as `missing_sections` or `out_of_scope`. */
  reason: GateReason;
  /** What is missing or out of bounds, by name: sections, paths with their glob, commands. Stable between two runs. */
  missing: string[];
  /** What of it a signature is made of, where `missing` says more than is the same in each run: the violated globs. */
  signed?: string[];
  /** One sentence for whoever reads the report. */
  text: string;
  /** Those of the failure follow. */
  next_actions: NextAction[];
}

/** What an answer says of what it was to judge. */
export type SaidVerdict = 'PASS' | 'FAIL';

/** What becomes of a stage whose verdict is FAIL: it is reported, or the stage has failed. */
export type OnFail = 'note' | 'stop';

/** One path that is not what it was before the stage. */
export interface Change {
  /** Relative to the tree's root, with `/`. */
  path: string;
  how: 'added' | 'deleted' | 'modified' | 'mode' | 'type' | 'renamed' | 'commit';
  /** Where it was before: of a rename alone. */
  from?: string;
}

/** `<stage>.gate.json`: what was looked at, and what was found. */
export interface GateRecord {
  schema: number;
  stage: string;
  tool: string;
  call_id: string;
  at: string;
  passed: boolean;
  checks: { check: GateCheck; passed: boolean }[];
  findings: Finding[];
  /** null where the answer gives none. */
  verdict: SaidVerdict | null;
  /** null where the tree was not looked at. */
  changes: Change[] | null;
  acceptance: AcceptanceResult[];
  /** Paths that were put back as they were, and where what stood there was kept. */
  restored: { path: string; kept_in: string | null }[];
  notes: string[];
}

export interface AcceptanceResult {
  command: string;
  ending: string;
  exit_code: number | null;
  signal: string | null;
  duration_ms: number | null;
  /** The artifact with its output, redacted. */
  output: string;
}

export const GATE_RECORD_SCHEMA = 1;
