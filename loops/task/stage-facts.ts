// Derives the facts about a stage from the journal and the records, for every view of a task.

import { existsSync } from 'node:fs';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { Verdict } from '../../policies/facts/evidence.ts';
import type { SaidVerdict } from '../../policies/facts/gate-record.ts';
import { isLack } from '../../policies/facts/requirements.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { gateVerdict } from '../../policies/gate/gate-verdict.ts';
import type { Omission } from '../../policies/prompt/omissions.ts';
import type { StandIn } from '../../policies/verdict/stand-ins.ts';
import { type Call, type Ledger, standInsOf } from '../../state/journal/ledger.ts';
import { outputsOf, type TaskFolder } from '../../state/task-folder.ts';
import { findRecord } from '../../state/usage.ts';
import { gateRecordOf } from './gate-actions.ts';

/** All facts are about one call: the one that answered a finished stage, else the last one. */
export interface StageFacts {
  stage: string;
  /** The CLI that answered, or that will answer; null if it is not known. */
  tool: Tool | null;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  /** The fallbacks so far and the tools they replaced, the first one first; empty if the stage's own tool was called. */
  stand_ins: readonly StandIn[];
  /** The exit code of the wrapper. */
  exit_code: number | null;
  duration_ms: number | null;
  tokens: number | null;
  /** The file with its answer; null if there is none. */
  answer: string | null;
  /** null if the gate got no answer. */
  gate: 'passed' | 'failed' | null;
  /** The verdict in the answer itself; null if there is none, or if it was not checked. */
  verdict: SaidVerdict | null;
  /** The class of its failure; null if nothing failed. */
  class: ErrorClass | null;
  reason: string | null;
  evidence: Verdict['evidence'];
  /** An ISO time before which the service rejects calls, as it reported; null if it reported none. */
  retry_at: string | null;
  session_id: string | null;
  /** ISO time of the last verdict on its result: from the gate, else from the call; null if there is none. */
  checked_at: string | null;
  /** Whether the last run of the task gave that verdict, or an earlier one; null if there is none. */
  checked_by: 'last_run' | 'earlier_run' | null;
  /** What a digest omitted from the prompt of that call. */
  left_out: readonly Omission[];
  /** What its answer lacks, such as a tool that was denied or a server that failed; a sentence each. */
  lacks: readonly string[];
}

/** What the journal knows of a stage outside of the current run. */
export interface RecordedStage extends StageFacts {
  state: 'running' | 'done_earlier' | 'failed_earlier' | 'interrupted_earlier' | 'pending';
}

/**
 * @param tool the tool that will answer, if the reader knows it.
 * @param atWork the stages that a live process works on. A run that reports on itself passes none besides those that it reports.
 */
export function stageFacts(
  task: TaskFolder,
  ledger: Ledger,
  stage: string,
  tool: Tool | null,
  atWork: ReadonlySet<string> = NONE,
): RecordedStage {
  const call = atWork.has(stage) ? lastCallOf(ledger, stage, 'any') : callOf(ledger, stage);
  if (call === null) return { ...NOTHING, stage, tool, state: ledger.done.has(stage) ? 'done_earlier' : 'pending' };
  const record = findRecord(task, call);
  const gate = gateOf(ledger, call);
  const failure = failureOf(task, call, gate, record?.verdict.evidence ?? null);
  return {
    stage,
    tool: call.reserved.tool,
    ...accountField(call.reserved),
    stand_ins: standInsOf(ledger, call),
    state: atWork.has(stage)
      ? 'running'
      : isAnswered(ledger, call)
        ? 'done_earlier'
        : failure !== null
          ? 'failed_earlier'
          : ledger.redo.has(stage)
            ? 'pending'
            : 'interrupted_earlier',
    exit_code: call.verdict?.exit_code ?? null,
    duration_ms: record?.duration_ms ?? null,
    tokens: record?.usage?.total_tokens ?? null,
    answer: answerOf(task, call),
    gate: gate === null ? null : gate.passed ? 'passed' : 'failed',
    verdict: gate?.verdict ?? null,
    ...(failure ?? NO_FAILURE),
    retry_at: failure === null ? null : (call.verdict?.retry_at ?? null),
    session_id: record?.session_id ?? null,
    checked_at: gate?.at ?? call.verdict?.at ?? null,
    checked_by: call.verdict === null ? null : ledger.judged.has(stage) ? 'last_run' : 'earlier_run',
    left_out: record?.left_out ?? [],
    lacks: call.verdict?.class === null ? (record?.warnings ?? []).filter(isLack) : [],
  };
}

const accountField = ({ account }: Call['reserved']) => (account === undefined ? {} : { account });

const NONE: ReadonlySet<string> = new Set();

/** The parts of a supervision never have a `done` of their own: a part is answered if its last call was. */
function isAnswered({ done, supervised, gates }: Ledger, { verdict, reserved }: Call): boolean {
  if (done.has(reserved.stage)) return true;
  return supervised.length > 0 && verdict?.class === null && gates.get(reserved.stage)?.passed !== false;
}

const NO_FAILURE = { class: null, reason: null, evidence: null };

const NOTHING: Omit<StageFacts, 'stage' | 'tool'> = {
  stand_ins: [],
  exit_code: null,
  duration_ms: null,
  tokens: null,
  answer: null,
  gate: null,
  verdict: null,
  ...NO_FAILURE,
  retry_at: null,
  session_id: null,
  checked_at: null,
  checked_by: null,
  left_out: [],
  lacks: [],
};

/** Calls of wrappers outside a run (they name no run) neither finish a stage nor reopen it. */
function callOf(ledger: Ledger, stage: string): Call | null {
  const finished = ledger.done.get(stage);
  return finished === undefined
    ? lastCallOf(ledger, stage, 'of_runs')
    : (ledger.calls.get(finished.call_id ?? '') ?? null);
}

function lastCallOf({ calls }: Ledger, stage: string, which: 'any' | 'of_runs'): Call | null {
  const own = [...calls.values()].filter(
    ({ granted, reserved }) => granted && (which === 'any' || reserved.run_id !== null),
  );
  return own.findLast(({ reserved }) => reserved.stage === stage) ?? null;
}

/** The verdict of the call that counts for the stage; undefined if no gate looked for one, as in older journals. */
export function keptVerdict(ledger: Ledger, stage: string): SaidVerdict | null | undefined {
  const call = callOf(ledger, stage);
  return call === null ? undefined : gateOf(ledger, call)?.verdict;
}

type Gate = NonNullable<ReturnType<Ledger['gates']['get']>>;

/** The last result of the stage's gate, if it was about this call. */
function gateOf({ gates }: Ledger, { reserved: { stage, call_id } }: Call): Gate | null {
  const gate = gates.get(stage);
  return gate?.call_id === call_id ? gate : null;
}

/** A call that was stopped, or whose end was not observed, has not failed. */
const STOPPED: readonly (string | null)[] = ['cancelled', 'interrupted'];

function failureOf(task: TaskFolder, { verdict, reserved }: Call, gate: Gate | null, evidence: Verdict['evidence']) {
  if (gate !== null && !gate.passed)
    return { class: gate.class, reason: gate.reason, evidence: gateEvidence(task, reserved) };
  if (verdict === null || verdict.class === null || STOPPED.includes(verdict.reason)) return null;
  return { class: verdict.class, reason: verdict.reason, evidence };
}

function gateEvidence(task: TaskFolder, { stage, call_id }: Call['reserved']): Verdict['evidence'] {
  // If the record is gone, the journal still says that the gate failed.
  const record = gateRecordOf(task, stage, call_id);
  return record === null ? null : gateVerdict(record.findings).evidence;
}

/** The output of a failed call is not an answer. */
function answerOf(task: TaskFolder, { verdict, reserved: { stage, tool } }: Call): string | null {
  if (verdict === null || verdict.class !== null) return null;
  const { out } = outputsOf(task, { name: stage, tool });
  return existsSync(out) ? out : null;
}
