// Runs a claimed task: settles what an earlier run did not finish, runs the stages, reports, and releases the task.

import { stopExit, stopWords, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { eventsOf } from '../../policies/manifest/notification.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { callElsewhere } from '../../policies/report/temporary-actions.ts';
import { judgeRegister } from '../../state/calls/judge-register.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { refreshStats } from '../../state/journal/stats.ts';
import { redactRemainingRaw, settleLeftovers } from '../call/settle.ts';
import { describeLeftover, endLeftoverCommands } from '../gate/gate-folder.ts';
import { type Recovered, recoverFiles } from '../guard/recover.ts';
import { clearFolders } from '../stage/clear-result-paths.ts';
import { submittedMistake, unmarkSubmitted } from '../task/claim.ts';
import { changedFailure, interruptedFailure, invalidFailure } from '../task/failure.ts';
import { keepStart } from '../task/keep-start.ts';
import { type CheckedStages, checkStages, type Planned } from '../task/plan.ts';
import type { Composing } from '../task/prompt.ts';
import type { RunContext, RunRequest } from '../task/run-context.ts';
import type { TaskRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';
import { nearLimitsFor, notify } from '../upkeep/notify.ts';
import { commitImpossible, commitRun } from './commit.ts';
import { runStages, untouched } from './stages.ts';
import { clearTemporaries } from './temporaries.ts';
import { verdictFailure } from './verdict-failure.ts';
import { enterWorktree } from './worktree.ts';
import { addNotified, type EndedRun, type WrittenReport, writeFailure, writeReport } from './write-report.ts';

/** @property work null for its stages in order. */
export type WorkedRun = RunRequest & { work: RunWork | null };

/** The work that is done while the task is ours: its stages in order, or something instead of them. */
export interface RunWork {
  /** Called before the task is claimed. */
  mistake(open: OpenTask, request: RunRequest): string | null;
  /** Called before anything is paid. */
  check(composing: Composing): Promise<Planned>;
  goThrough(task: TaskRun, checked: CheckedStages): Promise<EndedRun>;
}

/** `invalid`: a mistake in the input; nothing was paid. */
export type RanTask =
  | ({ how: 'ran' } & WrittenReport)
  /** The task is ours, but cannot be run in its current state: its report says why. */
  | ({ how: 'refused'; message: string } & WrittenReport)
  /** We ran nothing: the outcome is that of the run that had the task. */
  | { how: 'awaited'; exitCode: number; message: string }
  /** `code`: of the error of the disk that stopped it. */
  | { how: 'not_run'; exitCode: number; message: string; code?: string }
  | { how: 'invalid'; message: string };

const STAGES = {
  check: checkStages,
  goThrough: runStages,
};

/** The other run may lack --fail-on-verdict, and so have reported success where this run reports a failure. */
export async function awaitedRun({ options, context }: RunRequest, open: OpenTask, exitCode: number): Promise<RanTask> {
  const { task, plans } = open;
  const stages =
    options.badVerdicts === 'fail' && exitCode === TOLLGATE_EXIT.ok ? plans.map((one) => untouched(open, one)) : [];
  const bad = await verdictFailure(open, stages, context.clock());
  const message = `another run of ${task.id} ended with exit code ${exitCode}; its report: ${task.outputs}/_summary.md`;
  if (bad === null) return { how: 'awaited', exitCode, message };
  return { how: 'awaited', exitCode: TOLLGATE_EXIT.failure, message: `${message}; ${bad.evidence!.text}` };
}

/** The task is ours until we release it, even after an error. */
export async function runOwned(
  request: WorkedRun,
  opened: OpenTask,
  runId: string,
  recovered: Recovered,
): Promise<RanTask> {
  const { options, context } = request;
  const { clock, say, stop } = context;
  let ended: { state: EndedRun['state']; exitCode: number } = { state: 'failed', exitCode: TOLLGATE_EXIT.failure };
  try {
    // It may have been submitted at the moment of the claim.
    const submitted = submittedMistake(opened.task, options);
    if (submitted !== null) {
      ended = REFUSED;
      return { how: 'invalid', message: submitted };
    }
    if (submittedMistake(opened.task) !== null) {
      say(`${opened.task.id} is in the fleet too, and both pay, because of --force`);
      unmarkSubmitted(opened.task, null);
    }
    for (const note of clearFolders(opened.task, clock)) say(note);
    const entered = await enterWorktree(opened, request);
    if (entered.how === 'stopped') {
      ended = { state: 'interrupted', exitCode: stopExit(stop) };
      return { how: 'not_run', exitCode: ended.exitCode, message: 'stopped while it waited to make its worktree' };
    }
    if (entered.how === 'invalid') {
      ended = REFUSED;
      return await refuse(request, opened, invalidFailure(opened, entered.message, clock()));
    }
    const { open } = entered;
    const usedBefore = open.journal.read().ledger.used;
    const unkept = await keepStart(open, context);
    const plan =
      unkept === null
        ? await (request.work ?? STAGES).check({ options, context, open })
        : { how: 'invalid' as const, message: unkept };
    if (plan.how === 'stopped' || stop.aborted) {
      ended = { state: 'interrupted', exitCode: stopExit(stop) };
      return { how: 'not_run', exitCode: ended.exitCode, message: 'stopped while it looked through its stages' };
    }
    if (plan.how !== 'planned') {
      ended = REFUSED;
      const failure =
        plan.how === 'changed'
          ? changedFailure(open, plan.changed, options, clock())
          : invalidFailure(open, plan.message, clock());
      return await refuse(request, open, failure);
    }
    const impossible = await commitImpossible(open, request);
    if (impossible !== null) {
      ended = REFUSED;
      return await refuse(request, open, invalidFailure(open, impossible, clock()));
    }
    const whole = await commitRun(open, request, await goThrough(request, open, runId, plan, recovered));
    const notes = await entered
      .notes()
      .catch((error: Error) => [`its worktree could not be looked at: ${error.message}`]);
    whole.notes.push(...notes);
    ended = whole;
    return { how: 'ran', ...(await tellEnd(context, open, await writeReport(open, whole, clock), usedBefore)) };
  } finally {
    await release(request, opened, {
      fact: 'released',
      run_id: runId,
      exit_code: ended.exitCode,
      state: ended.state,
    });
  }
}

const REFUSED = { state: 'refused', exitCode: TOLLGATE_EXIT.badInput } as const;

/** Nothing was run. But a reader of the summary must not take an earlier run's summary for this one's. */
async function refuse({ context }: RunRequest, open: OpenTask, failure: Failure): Promise<RanTask> {
  const stages = open.plans.map((plan) => untouched(open, plan));
  const written = await writeReport(open, { ...REFUSED, stages, failure, notes: [] }, context.clock);
  return {
    how: 'refused',
    ...(await tellEnd(context, open, written, written.report.budget.used)),
    message: failure.evidence!.text,
  };
}

/** If this fails, the task stays ours until the next run finds our process dead. That is no reason to hide the earlier result. */
async function release({ context: { clock, say } }: RunRequest, open: OpenTask, released: Fact): Promise<void> {
  try {
    await open.journal.note(released);
    await refreshStats(open.journal, clock);
  } catch (error) {
    say(`the end of the run could not be noted: ${(error as Error).message}`);
  }
}

async function goThrough(
  request: WorkedRun,
  open: OpenTask,
  runId: string,
  checked: CheckedStages,
  recovered: Recovered,
): Promise<EndedRun> {
  const { options, context } = request;
  const { stop, clock, say, environment } = context;
  const guardians = new AbortController();
  let failureWritten: Promise<void> | null = null;
  const interrupted = (stage: string | null, retryAt: string | null = null): Failure =>
    interruptedFailure(open, stage, stopWords(stop), stopExit(stop), clock(), retryAt);
  const tell = () => {
    // The failure is written before any process is ended.
    failureWritten = writeFailure(open, interrupted(null))
      .catch((error: Error) => say(`last_failure.json could not be written: ${error.message}`))
      .then(() => guardians.abort());
  };
  stop.addEventListener('abort', tell, { once: true });
  if (stop.aborted) tell();
  try {
    const foreign = options.whenTaken === 'force' ? 'close' : 'refuse';
    const settling = {
      task: open.task,
      journal: open.journal,
      clock,
      environment,
      stop: guardians.signal,
      say,
      foreign,
    } as const;
    const elsewhere = await settleLeftovers(settling);
    if (elsewhere !== null) return foreignEnd(open, elsewhere, clock());
    const register = judgeRegister(environment, open.stateFolder);
    const later = await recoverFiles({ task: open.task, root: open.root, register, clock }, 'after');
    const tampered = new Map([...recovered.findings, ...later.findings]);
    clearTemporaries(open.task, open.journal);
    redactRemainingRaw(open.task, open.journal.read().ledger, environment);
    const commands = await endLeftoverCommands(open.task, open.journal.read().ledger.calls.keys());
    for (const command of commands) if (command.how !== 'ended') say(describeLeftover(command, open.task.id));
    const stages = { open, runId, guardianStop: guardians.signal, register, tampered };
    const ended = await (request.work ?? STAGES).goThrough({ options, context, ...stages }, checked);
    ended.notes.push(...recovered.notes, ...later.notes);
    if (ended.state !== 'interrupted') return ended;
    await failureWritten;
    const stage = ended.stages.find((report) => report.state === 'interrupted')?.stage ?? null;
    return {
      ...ended,
      exitCode: stopExit(stop),
      failure: interrupted(stage, ended.retryAt),
    };
  } finally {
    stop.removeEventListener('abort', tell);
    await failureWritten;
  }
}

/** Ends a run that cannot settle a call of an earlier run: the call runs on a machine where it cannot be looked up. */
const foreignEnd = (open: OpenTask, why: string, at: Date): EndedRun => ({
  state: 'failed',
  exitCode: TOLLGATE_EXIT.failure,
  stages: [],
  failure: foreignFailure(open, why, at),
  notes: [],
});

function foreignFailure(open: OpenTask, why: string, at: Date): Failure {
  return {
    ...interruptedFailure(open, null, 'a call elsewhere', TOLLGATE_EXIT.failure, at),
    reason: 'call_elsewhere',
    evidence: { source: 'none', text: why, rule: 'call-runs-elsewhere' },
    decision: { action: 'stop', why },
    next_actions: callElsewhere(open.called),
  };
}

/**
 * Sends notifications about the end of a run after its report is on disk, as `notify` of tollgate.yaml says.
 * A failed notification does not change the run's result. Nothing is loaded if there are no recipients.
 * @param usedBefore paid calls of the task when the run began.
 */
async function tellEnd(
  context: RunContext,
  open: OpenTask,
  written: WrittenReport,
  usedBefore: number,
): Promise<WrittenReport> {
  const { notifiers, manifest, root, task, journal } = open;
  if (notifiers.length === 0 || context.tells === 'of_all' || context.stop.aborted) return written;
  const { report } = written;
  const { failure, supervision, budget, state } = report;
  const calls = Math.max(0, budget.used - usedBefore);
  const callId = [...journal.read().ledger.calls.keys()].at(-1);
  try {
    const nearLimits = state === 'interrupted' ? [] : await nearLimitsFor(context, notifiers, root);
    const notified = await notify(context, {
      notifiers,
      events: eventsOf({ state, budget, calls, nearLimits }),
      content: {
        task_id: report.task_id,
        batch_id: null,
        goal: report.goal,
        exit_code: report.exit_code,
        stage: failure?.stage ?? null,
        class: failure?.class ?? null,
        reason: failure?.reason ?? null,
        signature: failure?.signature ?? null,
        retry_at: failure?.retry_at ?? null,
        question: state === 'parked' ? (supervision?.question ?? null) : null,
        budget: { used: budget.used, total: budget.total },
        tasks: null,
        near_budget: [],
        near_limits: nearLimits,
        next_actions: report.next_actions,
        summary: report.files.summary,
      },
      root,
      patterns: manifest.security.redaction_patterns,
      envAllow: manifest.security.env_allow,
      beside: callId === undefined ? null : { task, callId },
    });
    return await addNotified(written, notified);
  } catch (error) {
    context.say(`the notifications of the end could not be sent: ${(error as Error).message}`);
    return written;
  }
}
