// Makes the failure record of a stage.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { Change } from '../../policies/facts/gate-record.ts';
import { forUser, goOnLine, toDecide, toDo, toType } from '../../policies/facts/next-action.ts';
import { isBuiltIn } from '../../policies/facts/tools.ts';
import type { usedUp } from '../../policies/manifest/call-terms.ts';
import { tooLargeWords } from '../../policies/manifest/prompt-limits.ts';
import { splitAdvice } from '../../policies/prompt/split-advice.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { nextActions } from '../../policies/report/next-actions.ts';
import { preflight } from '../../policies/report/situation.ts';
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
import { isSystemError } from '../../state/system-error.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import type { Prompt } from './prompt.ts';
import type { CallSlot } from './run-context.ts';
import { failingIn, type SentPrompt, situationOf } from './situation.ts';
import type { StageRun } from './stage-run.ts';
import type { OpenTask } from './task.ts';

/** `count`: how often this signature occurred in this run; `attempt`: the number of the stage's call, from 1. */
export interface FailureCircumstances {
  count: number;
  attempt: number;
  decision: Pick<Decision, 'action' | 'why' | 'next_actions'>;
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
  const { count, attempt, decision, sent, changed } = circumstances;
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
    retry_at: record.verdict.retry_at,
    next_actions: [
      ...decision.next_actions,
      ...nextActions(situationOf(failingIn(open, stage, context.environment), record, sent)),
    ],
    missing: [],
    changed: changed.slice(0, MAX_CHANGED).map(({ path, how }) => redact(`${path} (${how})`)),
    ...excerpt(outputs.err),
    files: existing({ err: outputs.err, raw: outputs.raw, record: outputs.record }),
    resolved_at: null,
  };
}

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

/** The task's own limit was reached before a call. */
export function limitFailure(run: StageRun, { field, why, limit }: NonNullable<ReturnType<typeof usedUp>>): Failure {
  const { called } = run.open;
  return {
    ...ofStage(run),
    class: 'quota',
    reason: 'budget',
    evidence: { source: 'none', text: why, rule: `limit-${field}`, ...(limit === undefined ? {} : { limit }) },
    decision: { action: 'stop', why },
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
  const why = tooLargeWords(tool, tooLarge!);
  const policy = manifest.context.digest_policy === 'off';
  return {
    ...ofStage(run),
    class: 'prompt_too_large',
    reason: 'prompt_limit',
    evidence: {
      ...{ source: 'none', text: why, rule: 'prompt-over-limit' },
      limit: { name: 'prompt', value: tooLarge!.limit, unit: 'characters' },
    },
    decision: { action: 'stop', why: 'the service would refuse it, and charge for it' },
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
  const text = changedSentence(changed);
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    stage,
    tool: plans.find((plan) => plan.stage.name === stage)?.stage.tool ?? null,
    at: at.toISOString(),
    class: 'tooling',
    reason: 'prompt_changed',
    exit_code: TOLLGATE_EXIT.badInput,
    evidence: { source: 'none', text, rule: 'prompt-changed' },
    decision: { action: 'stop', why: 'no stage is paid again without the decision of the user' },
    next_actions: changedActions(called, changed, named),
  };
}

/** A task that cannot be run in its current form. */
export function invalidFailure({ task, called }: OpenTask, why: string, at: Date): Failure {
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    at: at.toISOString(),
    class: 'tooling',
    reason: 'not_prepared',
    exit_code: TOLLGATE_EXIT.badInput,
    evidence: { source: 'none', text: why, rule: 'not-prepared' },
    decision: { action: 'stop', why: 'no call is possible until it is corrected' },
    next_actions: [
      toDo(why),
      ...(why.includes('--redo') ? [] : [toType('when that is corrected, continue', goOnLine(called), 'pays')]),
    ],
  };
}

/** The wrapper itself failed: nothing is known of the CLI. */
export function unansweredFailure(run: StageRun, why: string): Failure {
  const { open, stage } = run;
  return {
    ...ofStage(run),
    class: 'tooling',
    reason: 'wrapper_failed',
    evidence: { source: 'none', text: why, rule: 'wrapper-left-no-record' },
    decision: { action: 'stop', why },
    next_actions: [
      preflight({ called: open.called, tool: stage.tool }),
      toType('then continue', goOnLine(open.called), 'pays'),
    ],
  };
}

/** Another call of the batch was refused for its quota or its sign-in; this call was not made. */
export function pausedFailure(run: StageRun, pause: CallSlot & { how: 'paused' }): Failure {
  const { class: errorClass, message, until } = pause;
  const { open, stage } = run;
  const evidence = { source: 'none', text: message, rule: 'batch-paused' } as const;
  const verdict = { class: errorClass, reason: 'paused', evidence, retry_at: until } as const;
  return {
    ...ofStage(run),
    class: errorClass,
    reason: 'paused',
    evidence,
    decision: { action: 'stop', why: message },
    retry_at: until,
    next_actions: nextActions({ verdict, called: open.called, tool: stage.tool }),
  };
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
  const why = `stopped by ${by}; run it again to continue`;
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    stage,
    at: at.toISOString(),
    class: 'transient',
    reason: 'cancelled',
    exit_code: exitCode,
    ending: 'cancelled',
    retry_at: retryAt,
    evidence: { source: 'ending', text: why, rule: 'run-stopped' },
    decision: { action: 'stop', why },
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

/** @param why what changed, and in which call. */
export function changedByOthersFailure(run: StageRun, why: string): Failure {
  const { task, called } = run.open;
  return {
    ...unpreparedFailure(run, why),
    class: 'scope_violation',
    reason: 'judge_changed',
    evidence: { source: 'none', text: why, rule: 'changed-by-another-task' },
    decision: { action: 'stop', why: 'its files were changed while the agent of another task ran' },
    next_actions: [
      toDo(`look at what was changed in ${task.root}`),
      toType('then continue with the files as they are', goOnLine(called, '--accept-changes'), 'pays'),
    ],
  };
}
