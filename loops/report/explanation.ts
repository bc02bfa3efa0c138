// Builds the explanation of a failure: what happened, by which rule, how often, and what to do.

import { CLASSES, type ErrorClass } from '../../policies/facts/classes.ts';
import type { Verdict } from '../../policies/facts/evidence.ts';
import type { Finding } from '../../policies/facts/gate-record.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import type { Match, Rule } from '../../policies/rules/rule.ts';
import { compileRow, findRow, type OwnRow } from '../../policies/verdict/own-row.ts';
import { RETRY_TABLE, type RetryRow } from '../../policies/verdict/retry.ts';
import type { Stats } from '../../state/journal/stats.ts';
import { isOwn } from './own-rows.ts';
import type { SignedText } from './signed-text.ts';

export interface FailureExplanation {
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
  /** `row` is null if no row is needed. `of` is null too if the row no longer exists. */
  rule: { id: string; of: 'tollgate' | 'project' | null; row: ShownRow | null } | null;
  signature: string | null;
  /** The text that was signed; null if it cannot be computed again. */
  signed: SignedText | null;
  seen: { in_run: number | null; in_life: number | null; first_seen: string | null; last_seen: string | null };
  decision: { action: string; why: string } | null;
  /** The row of the class in the retry table. */
  retry: RetryRow;
  retry_at: string | null;
  /** The findings of the gate. */
  findings: Finding[];
  next_actions: NextAction[];
}

export interface ShownRow {
  kind: 'said' | 'ending' | 'leftover';
  class: ErrorClass;
  reason: string;
  /** For a row that looks for text: who writes it, where, and the text; null for other rows. */
  looks_for: {
    tool: Rule['tool'];
    source: Rule['source'];
    /** The match as in the row; a regular expression, or phrases, as one text. */
    match: Omit<Match, 'text'> & { text?: string };
  } | null;
}

interface KnownFailure
  extends Pick<FailureExplanation, 'of' | 'task_id' | 'stage' | 'tool' | 'call_id' | 'at' | 'resolved_at'> {
  verdict: Verdict & { class: ErrorClass };
  signature: string | null;
  signed: SignedText | null;
  /** The project's rows, for a rule that is not built in. */
  ownRows: readonly OwnRow[];
  inRun: number | null;
  decision: FailureExplanation['decision'];
  findings: Finding[];
  next_actions: NextAction[];
}

type Evidence = NonNullable<Verdict['evidence']>;

/** @param signatures counted over the task's whole life. */
export function explanationOf(known: KnownFailure, signatures: Stats['signatures']): FailureExplanation {
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
    rule: evidence && ruleOf(evidence, known.ownRows),
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

function ruleOf({ rule: id, source }: Evidence, ownRows: readonly OwnRow[]): FailureExplanation['rule'] {
  const found = findRow(id);
  if (found?.kind === 'said') return { id, of: 'tollgate', row: shownRule(found.row) };
  if (found !== null) {
    const { kind, row } = found;
    return { id, of: 'tollgate', row: { kind, class: row.class, reason: row.reason, looks_for: null } };
  }
  const own = ownRows.find((row) => row.id === id);
  if (own !== undefined) return { id, of: 'project', row: shownRule(compileRow(own)) };
  return { id, of: isOwn({ rule: id, source }) ? null : 'tollgate', row: null };
}

function shownRule({ tool, source, match, class: errorClass, reason }: Rule): ShownRow {
  const { text, ...rest } = match;
  const shown = text === undefined ? rest : { ...rest, text: String(text) };
  return { kind: 'said', class: errorClass, reason, looks_for: { tool, source, match: shown } };
}
