// Makes the failure record of a stage.

import type { ErrorClass } from '../../policies/facts/classes.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { Change } from '../../policies/facts/gate-record.ts';
import { forUser, goOnLine, toDecide, toDo, toType } from '../../policies/facts/next-action.ts';
import { isBuiltIn } from '../../policies/facts/tools.ts';
import type { usedUp } from '../../policies/manifest/call-terms.ts';
import { tooLargeWords } from '../../policies/manifest/prompt-limits.ts';
import { splitAdvice } from '../../policies/prompt/split-advice.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { nextActions } from '../../policies/report/next-actions.ts';
import { preflight, type Situation } from '../../policies/report/situation.ts';
import { FAILURE_SCHEMA, type Failure } from '../../policies/report/task-failure.ts';
import { cutStacks } from '../../policies/text/stack-trace.ts';
import {
  type ChangedPrompt,
  changedActions,
  changedSentence,
  type Named,
} from '../../policies/verdict/changed-prompt.ts';
import type { Decision } from '../../policies/verdict/decide.ts';
import { lookAt, readHead, readTail } from '../../state/disk/regular-file.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import type { Reset } from './attempt-request.ts';
import type { Prompt } from './prompt.ts';
import type { CallSlot } from './run-context.ts';
import { failingIn, type SentPrompt, situationOf } from './situation.ts';
import type { StageRun } from './stage-run.ts';
import type { OpenTask } from './task.ts';

/** `count`: how often this signature occurred in this run; `attempt`: the number of the stage's call, from 1. */
export interface FailureCircumstances {
  count: number;
  attempt: number;
  decision: Decision;
  /** The engine that can work first again, if it is not the one that failed now. */
  soonest?: Reset | null;
  /** The prompt, and whether it was sent in an existing session; null if it says nothing about the failure. */
  sent: SentPrompt | null;
  /** What the stage has changed in the tree so far. */
  changed: readonly Change[];
}

/** The stage, with the tool that answered last. */
interface Failing {
  open: OpenTask;
  stage: StageRun['stage'];
  context: StageRun['context'];
}

/** Makes the record of `last_failure.json`, redacted; an unknown class becomes `unknown`. */
export function failureOf(run: Failing, record: CallRecord, circumstances: FailureCircumstances): Failure {
  const { count, attempt, decision, soonest = null, sent, changed } = circumstances;
  const { open, stage, context } = run;
  const outputs = outputsOf(open.task, stage);
  // A file's name may hold a secret.
  const { redact } = redactorOf(context.environment, open.manifest.security.redaction_patterns);
  return {
    schema: FAILURE_SCHEMA,
    task_id: open.task.id,
    stage: stage.name,
    tool: stage.tool,
    attempt,
    at: context.clock().toISOString(),
    class: record.verdict.class ?? 'unknown',
    reason: record.verdict.reason,
    signature: record.signature,
    count,
    exit_code: record.wrapper_exit_code,
    native_exit_code: record.native_exit_code,
    signal: record.signal,
    ending: record.ending,
    ...(record.http_status === undefined ? {} : { http_status: record.http_status }),
    evidence: record.verdict.evidence,
    decision: { action: decision.action, why: decision.why },
    retry_at: soonest?.retryAt ?? record.verdict.retry_at,
    next_actions: [
      ...decision.next_actions,
      ...nextActions(soonestIn(situationOf(failingIn(open, stage, context.environment), record, sent), soonest)),
    ],
    missing: [],
    changed: changed.slice(0, MAX_CHANGED).map(({ path, how }) => redact(`${path} (${how})`)),
    ...excerpt(outputs.err),
    files: existing({ err: outputs.err, raw: outputs.raw, record: outputs.record }),
    resolved_at: null,
  };
}

const soonestIn = (situation: Situation, soonest: Reset | null): Situation =>
  soonest === null
    ? situation
    : {
        ...situation,
        verdict: { ...situation.verdict, retry_at: soonest.retryAt },
        first: soonest.stage.tool,
      };

/** Omits files that the call did not write. */
const existing = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([, file]) => (lookAt(file)?.size ?? 0) > 0));

/** The known facts of a stage without a call. */
const ofStage = ({ open, stage, context: { clock } }: StageRun) => ({
  ...EMPTY_FAILURE,
  task_id: open.task.id,
  stage: stage.name,
  tool: stage.tool,
  at: clock().toISOString(),
  files: {},
});

const MAX_CHANGED = 50;

/** The cause of a failure without a call. @param why why nothing goes on; by default the text of the evidence. */
export const stopped = (
  errorClass: ErrorClass,
  reason: string | null,
  said: { text: string; rule: string } & Partial<NonNullable<Failure['evidence']>>,
  why = said.text,
) => ({
  class: errorClass,
  reason,
  evidence: { source: 'none', ...said } as const,
  decision: { action: 'stop', why },
});

/** The task's own limit was reached before a call. */
export function limitFailure(run: StageRun, { field, why, limit }: NonNullable<ReturnType<typeof usedUp>>): Failure {
  const { called } = run.open;
  return {
    ...ofStage(run),
    ...stopped('quota', 'budget', { text: why, rule: `limit-${field}`, ...(limit === undefined ? {} : { limit }) }),
    next_actions:
      field === 'max_wallclock_sec'
        ? [toType('continue: a new run has a new time limit', goOnLine(called), 'pays')]
        : [
            toDecide(`budgets.${field} may be raised: it is used up`),
            forUser('budget', toType(`raise budgets.${field} in the manifest, and continue`, goOnLine(called), 'pays')),
          ],
  };
}

/** A prompt exceeds its limit; no call was reserved for it. */
export function tooLargeFailure(run: StageRun, { tooLarge, parts }: Prompt): Failure {
  const { called, manifest } = run.open;
  const { tool, model } = run.stage;
  const text = tooLargeWords(tool, tooLarge!);
  const limit = { name: 'prompt', value: tooLarge!.limit, unit: 'characters' } as const;
  const why = 'the service would refuse it, and charge for it';
  const policy = manifest.context.digest_policy === 'off';
  return {
    ...ofStage(run),
    ...stopped('prompt_too_large', 'prompt_limit', { text, rule: 'prompt-over-limit', limit }, why),
    next_actions: [
      ...splitAdvice(parts).map(toDo),
      ...(policy
        ? [toDo('or set context.digest_policy: auto in the manifest: it leaves out the rest, and says what')]
        : []),
      toDo(
        `or, where ${model ?? 'its model'} takes more, raise ${isBuiltIn(tool) ? `prompts.max_chars.${tool}` : `tools.${tool}.max_chars`} in tollgate.yaml`,
      ),
      toType('then continue', goOnLine(called), 'pays'),
    ],
  };
}

/** A stage that cannot begin: its prompt differs from the answered one, or a tree cannot be copied. Nothing was paid for it. */
export function unpreparedFailure({ open, stage, context: { clock } }: StageRun, why: string): Failure {
  return { ...invalidFailure(open, why, clock()), stage: stage.name, tool: stage.tool };
}

/** Stages whose prompt differs from the answered one. They are not paid for again without the user's decision. */
export function changedFailure(
  { task, plans, called }: OpenTask,
  changed: readonly ChangedPrompt[],
  named: Named,
  at: Date,
): Failure {
  const stage = changed[0]?.stage ?? null;
  const said = { text: changedSentence(changed), rule: 'prompt-changed' };
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    stage,
    tool: plans.find((plan) => plan.stage.name === stage)?.stage.tool ?? null,
    at: at.toISOString(),
    exit_code: TOLLGATE_EXIT.badInput,
    ...stopped('tooling', 'prompt_changed', said, 'no stage is paid again without the decision of the user'),
    next_actions: changedActions(called, changed, named),
  };
}

/** A task that cannot be run in its current form. */
export function invalidFailure({ task, called }: OpenTask, text: string, at: Date): Failure {
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    at: at.toISOString(),
    exit_code: TOLLGATE_EXIT.badInput,
    ...stopped('tooling', 'not_prepared', { text, rule: 'not-prepared' }, 'no call is possible until it is corrected'),
    next_actions: [
      toDo(text),
      ...(text.includes('--redo') ? [] : [toType('when that is corrected, continue', goOnLine(called), 'pays')]),
    ],
  };
}

/** The wrapper itself failed: nothing is known of the CLI. */
export function unansweredFailure(run: StageRun, text: string): Failure {
  const { open, stage } = run;
  return {
    ...ofStage(run),
    ...stopped('tooling', 'wrapper_failed', { text, rule: 'wrapper-left-no-record' }),
    next_actions: [
      preflight({ called: open.called, tool: stage.tool }),
      toType('then continue', goOnLine(open.called), 'pays'),
    ],
  };
}

/** Another call of the batch was refused for its quota or its sign-in, or a fleet allows no more; this call was not made. */
export function pausedFailure(
  run: StageRun,
  pause: CallSlot & { how: 'paused' },
  soonest: Reset | null = null,
): Failure {
  const { open, stage } = run;
  const { limit } = pause;
  const said = { text: pause.message, rule: limit === undefined ? 'batch-paused' : 'limit-fleet' };
  const verdict = {
    ...stopped(pause.class, limit?.reason ?? 'paused', said),
    retry_at: soonest?.retryAt ?? pause.until,
  };
  const budget = budgetOf(open.journal.read().ledger);
  const situation = soonestIn({ verdict, called: open.called, tool: stage.tool, budget }, soonest);
  return { ...ofStage(run), ...verdict, next_actions: limit?.actions ?? nextActions(situation) };
}

/** The run was stopped. */
export function interruptedFailure(
  { task, called }: OpenTask,
  stage: string | null,
  by: string,
  exitCode: number,
  at: Date,
  retryAt: string | null = null,
): Failure {
  const said = { source: 'ending', text: `stopped by ${by}; run it again to continue`, rule: 'run-stopped' } as const;
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    stage,
    at: at.toISOString(),
    exit_code: exitCode,
    ending: 'cancelled',
    retry_at: retryAt,
    ...stopped('transient', 'cancelled', said),
    next_actions: [
      toType(
        `${retryAt === null ? '' : `not before ${retryAt}, `}continue from where it stopped`,
        goOnLine(called),
        'pays',
      ),
    ],
  };
}

/** The first and the last lines of a published (so redacted) stderr, however long it is. */
interface StderrExcerpt {
  stderr_head: string[];
  /** Empty if the head is the whole text. */
  stderr_tail: string[];
}

const LINES = 20;

const MAX_CHARS = 500;

/** Enough for the lines that are shown. */
const WINDOW = 64 * 1024;

export function excerpt(file: string): StderrExcerpt {
  try {
    const { text, bytes } = readHead(file, WINDOW);
    const head = cutStacks(linesOf(text));
    const tail = bytes <= WINDOW ? head.slice(LINES) : cutStacks(linesOf(readTail(file, WINDOW).text).slice(1));
    return { stderr_head: head.slice(0, LINES), stderr_tail: tail.slice(-LINES) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { stderr_head: [], stderr_tail: [] };
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.slice(0, MAX_CHARS));

/** The fields that a failure without a call lacks. */
export const EMPTY_FAILURE: Omit<
  Failure,
  'task_id' | 'at' | 'class' | 'reason' | 'evidence' | 'decision' | 'next_actions'
> = {
  schema: FAILURE_SCHEMA,
  stage: null,
  tool: null,
  attempt: null,
  signature: null,
  count: 1,
  exit_code: 1,
  native_exit_code: null,
  signal: null,
  ending: null,
  retry_at: null,
  missing: [],
  changed: [],
  stderr_head: [],
  stderr_tail: [],
  files: {},
  resolved_at: null,
};

/** @param text what changed, and in which call. */
export function changedByOthersFailure(run: StageRun, text: string): Failure {
  const { task, called } = run.open;
  const said = { text, rule: 'changed-by-another-task' };
  return {
    ...unpreparedFailure(run, text),
    ...stopped('scope_violation', 'judge_changed', said, 'its files were changed while the agent of another task ran'),
    next_actions: [
      toDo(`look at what was changed in ${task.root}`),
      toType('then continue with the files as they are', goOnLine(called, '--accept-changes'), 'pays'),
    ],
  };
}
