// Defines what a gate finds in a finished stage, for the verdict, the record and the report.

import type { GateReason } from './classes.ts';
import type { NextAction } from './next-action.ts';

/** The names of the checks, in the order in which they are done and reported. */
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
  /** The part of it for the signature, if `missing` contains more than what is the same in each run: the violated globs. */
  signed?: string[];
  /** One sentence for a reader of the report. */
  text: string;
  /** Those of the failure follow. */
  next_actions: NextAction[];
}

/** The verdict that an answer gives on what it had to evaluate. */
export type SaidVerdict = 'PASS' | 'FAIL';

/** What happens to a stage whose verdict is FAIL: it is reported, or the stage fails. */
export type OnFail = 'note' | 'stop';

/** One path that the stage changed. */
export interface Change {
  /** Relative to the tree's root, with `/`. */
  path: string;
  how: 'added' | 'deleted' | 'modified' | 'mode' | 'type' | 'renamed' | 'commit';
  /** Its earlier path, only for a rename. */
  from?: string;
}

/** `<stage>.gate.json`: what was checked, and what was found. */
export interface GateRecord {
  schema: number;
  stage: string;
  tool: string;
  call_id: string;
  at: string;
  passed: boolean;
  checks: { check: GateCheck; passed: boolean }[];
  findings: Finding[];
  /** null if the answer gives none. */
  verdict: SaidVerdict | null;
  /** null if the tree was not checked. */
  changes: Change[] | null;
  acceptance: AcceptanceResult[];
  /** Paths that were restored, and where the version found there was kept. */
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
