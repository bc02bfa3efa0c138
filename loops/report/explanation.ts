// What there is to say about a failure: what happened, by which rule, how often, and what to do.

import { CLASSES, type ErrorClass } from '../../policies/classes.ts';
import type { Verdict } from '../../policies/evidence.ts';
import type { Finding } from '../../policies/gate.ts';
import { RETRY_TABLE, type RetryRow } from '../../policies/retry.ts';
import { findRow } from '../../policies/rules/find-row.ts';
import type { Rule } from '../../policies/rules/rule.ts';
import type { Tool } from '../../policies/tools.ts';
import type { Stats } from '../../state/stats.ts';
import type { SignedText } from './signed-text.ts';

export interface Explanation {
  schema: 1;
  task_id: string;
  /** `call`: a call whose failure is not the task's last one. */
  of: 'last_failure' | 'call';
  stage: string | null;
  tool: Tool | null;
  call_id: string | null;
  at: string;
  resolved_at: string | null;
  class: ErrorClass;
  meaning: string;
  reason: string | null;
  evidence: { source: string; text: string } | null;
  /** `row` is null where none was needed: an obstacle in our own words, or the finding of a gate. */
  rule: { id: string; row: ShownRow | null } | null;
  signature: string | null;
  /** What the signature stands for; null where that cannot be made again. */
  signed: SignedText | null;
  seen: { in_run: number | null; in_life: number | null; first_seen: string | null; last_seen: string | null };
  decision: { action: string; why: string } | null;
  /** The class's row of the retry table. */
  retry: RetryRow;
  retry_at: string | null;
  /** What the gate found. */
  findings: Finding[];
  next_actions: string[];
}

export interface ShownRow {
  kind: 'said' | 'ending' | 'leftover';
  class: ErrorClass;
  reason: string;
  /** Of what is said: by whom, where, and what it is; null for the others. */
  looks_for: {
    tool: Rule['tool'];
    source: Rule['source'];
    /** As the row has it; a regular expression as text. */
    match: Record<string, unknown>;
  } | null;
}

export interface Known
  extends Pick<Explanation, 'of' | 'task_id' | 'stage' | 'tool' | 'call_id' | 'at' | 'resolved_at'> {
  verdict: Verdict & { class: ErrorClass };
  signature: string | null;
  signed: SignedText | null;
  inRun: number | null;
  decision: Explanation['decision'];
  findings: Finding[];
  next_actions: string[];
}

/** @param signatures over the task's whole life. */
export function explanationOf(known: Known, signatures: Stats['signatures']): Explanation {
  const { verdict, signature, signed, inRun, of, task_id, stage, tool, call_id, at, resolved_at } = known;
  const life = signature === null ? undefined : signatures[signature];
  const { evidence } = verdict;
  return {
    schema: 1,
    task_id,
    of,
    stage,
    tool,
    call_id,
    at,
    resolved_at,
    class: verdict.class,
    meaning: CLASSES[verdict.class]?.meaning ?? 'a class of another version of tollgate',
    reason: verdict.reason,
    evidence: evidence && { source: evidence.source, text: evidence.text },
    rule: evidence && { id: evidence.rule, row: rowOf(evidence.rule) },
    signature,
    signed,
    seen: {
      in_run: inRun,
      in_life: life?.count ?? null,
      first_seen: life?.first_seen ?? null,
      last_seen: life?.last_seen ?? null,
    },
    decision: known.decision,
    retry: RETRY_TABLE[verdict.class] ?? RETRY_TABLE.unknown,
    retry_at: verdict.retry_at,
    findings: known.findings,
    next_actions: known.next_actions,
  };
}

function rowOf(id: string): ShownRow | null {
  const found = findRow(id);
  if (found === null) return null;
  const { class: errorClass, reason } = found.row;
  if (found.kind !== 'said') return { kind: found.kind, class: errorClass, reason, looks_for: null };
  const { tool, source, match } = found.row;
  const shown = Object.entries(match).map(([name, value]) => [name, value instanceof RegExp ? String(value) : value]);
  const looks_for = { tool, source, match: Object.fromEntries(shown) };
  return { kind: 'said', class: errorClass, reason, looks_for };
}
