// Builds the explanation of a failure: what happened, by which rule, how often, and what to do.

import path from 'node:path';
import { CLASSES, type ErrorClass } from '../../policies/facts/classes.ts';
import type { PassedLimit, Verdict } from '../../policies/facts/evidence.ts';
import type { Finding } from '../../policies/facts/gate-record.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { signGate } from '../../policies/gate/gate-verdict.ts';
import { failureSentence } from '../../policies/report/failure-sentence.ts';
import type { Match, Rule } from '../../policies/rules/rule.ts';
import { type Signature, sign } from '../../policies/signature/sign.ts';
import { compileRow, findRow, isTaken, type OwnRow, SAID_IN } from '../../policies/verdict/own-row.ts';
import { RETRY_TABLE, type RetryRow } from '../../policies/verdict/retry.ts';
import type { Call } from '../../state/journal/ledger.ts';
import type { Stats } from '../../state/journal/stats.ts';
import { readProject } from '../../state/project/project.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { readableOf } from '../attempt/captured.ts';
import { restoreCall, savedRows } from '../attempt/restored-draft.ts';
import { contextOf, signAgain } from '../call/classify.ts';
import { outcomeOf } from '../call/close-orphaned-call.ts';

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
  /** What happened. */
  sentence: string;
  class: ErrorClass;
  meaning: string;
  reason: string | null;
  evidence: { source: string; text: string; limit?: PassedLimit } | null;
  /** `row` is null if no row is needed. `of` is null too if the row no longer exists. */
  rule: { id: string; of: 'tollgate' | 'project' | null; row: ShownRow | null } | null;
  signature: string | null;
  /** The text that was signed; null if it cannot be computed again. */
  signed: SignedText | null;
  seen: { in_run: number | null; in_life: number | null; first_seen: string | null; last_seen: string | null };
  decision: { action: string; why: string } | null;
  retry: RetryRow;
  retry_at: string | null;
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
    sentence: failureSentence({ class: verdict.class, reason: verdict.reason, tool, evidence }),
    class: verdict.class,
    meaning: CLASSES[verdict.class]?.meaning ?? 'a class of another version of tollgate',
    reason: verdict.reason,
    evidence: evidence && {
      ...{ source: evidence.source, text: evidence.text },
      ...(evidence.limit === undefined ? {} : { limit: evidence.limit }),
    },
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

/** Returns whether a row decided that is not built in. */
const isOwn = ({ rule, source }: Omit<NonNullable<Verdict['evidence']>, 'text'>): boolean =>
  SAID_IN.some((one) => one === source) && !isTaken(rule);

/** @param root the project's root. */
export async function ownRowsOf(
  { evidence }: Verdict,
  call: Call | null,
  task: TaskFolder,
  root: string,
): Promise<readonly OwnRow[]> {
  if (evidence === null || !isOwn(evidence)) return [];
  const saved = call === null ? null : savedRows(path.join(task.attempts, call.reserved.call_id), call);
  if (saved?.some(({ id }) => id === evidence.rule)) return saved;
  const project = await readProject(root);
  return project.how === 'read' ? project.value.triage.rules : [];
}

interface SignedText {
  /** The source of the text: lines of stderr, the engine's error event, or tool, ending and verdict. */
  source: Signature['source'];
  normalised: string;
}

interface SignedFailure {
  signature: string;
  tool: Tool;
  verdict: Verdict;
  /** null for a failure without a call, such as a refusal. */
  call: Call | null;
  /** The findings of a gate; empty for a failure of the call itself. */
  findings: readonly Finding[];
}

/** @returns null if the signature cannot be computed again: the files are gone, or an earlier version made it. */
export async function signedTextOf(
  signed: SignedFailure,
  task: TaskFolder,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<SignedText | null> {
  const made = signed.call === null ? null : await fromFiles(signed.call, signed, task, environment, clock);
  const found = [made, ...fromDetail(signed)].find((one) => one?.signature === signed.signature);
  return found ? { source: found.source, normalised: found.normalised } : null;
}

async function fromFiles(
  call: Call,
  { verdict, signature }: SignedFailure,
  task: TaskFolder,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<Signature | null> {
  try {
    const restored = restoreCall(path.join(task.attempts, call.reserved.call_id), call, task, environment, clock);
    if (restored === null) return null;
    const { call: ended, attempt } = restored;
    const files = readableOf(attempt.files);
    const outcome = await outcomeOf(call.ended, files, ended.request.adapter);
    outcome.streams?.close();
    const made = signAgain(outcome, verdict, contextOf(ended), ended.redactor.redact);
    // The signature was made from the raw text. A secret that was redacted since then changes the hash.
    const { errorLines, remarks, capture } = outcome;
    const said = JSON.stringify([errorLines, remarks, capture.failure, capture.errors, capture.retrying]);
    const isCut = files.stdout !== attempt.files.stdout && said.includes('[REDACTED:');
    return isCut ? { ...made, signature } : made;
  } catch {
    // Some of the files may have been removed.
    return null;
  }
}

/** Without text from the CLI, a signature is made from the known facts. A gate's signature is made from its findings. */
function fromDetail({ tool, verdict, findings, call }: SignedFailure): Signature[] {
  if (findings.length > 0) return [signGate(tool, findings)];
  const endings = [call?.ended?.ending ?? 'not_started', 'exited', 'not_started'] as const;
  return endings.map((ending) =>
    sign({
      tool,
      errorLines: [],
      eventText: null,
      detail: { ending, class: verdict.class, reason: verdict.reason, more: [] },
    }),
  );
}
