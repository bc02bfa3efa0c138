// Supervises a task: a worker follows instructions, a reasoner gives them. A reasoner's failure never reaches the worker.

import { stopWords } from '../../policies/facts/exit-codes.ts';
import { movedSince } from '../../policies/supervise/session-save.ts';
import { iterationLine } from '../../policies/supervise/supervise-text.ts';
import { nextMove, type Standing, standingAfter } from '../../policies/supervise/supervision.ts';
import { hashOf, keepText, notesFolder, notesLeft, removeNote } from '../../state/supervise/texts.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { RanTask, RunWork } from '../run/owned-run.ts';
import { runTask } from '../run/run.ts';
import { stageRunOf } from '../run/stages.ts';
import type { EndedRun } from '../run/write-report.ts';
import { closeBaseline, dropBaseline, openBaseline } from '../stage/baseline.ts';
import { readRecord } from '../stage/guardian.ts';
import { startableStage } from '../stage/next-attempt.ts';
import { passStage } from '../stage/stage-gate.ts';
import { invalidFailure } from '../task/failure.ts';
import { type Composing, composePrompt } from '../task/prompt.ts';
import type { RunRequest } from '../task/run-context.ts';
import type { StageRun, TaskRun } from '../task/stage-run.ts';
import { markDone, reopen } from '../task/stage-status.ts';
import type { OpenTask } from '../task/task.ts';
import { forgetStart } from '../tree/read-changes.ts';
import { gitStand, keepBeginning } from './changes.ts';
import { endFailure, leaveLoop } from './leave.ts';
import { askPart, handOffs, seenOf, work } from './part.ts';
import { reason } from './reason.ts';
import { contentHash, readSave, standOf } from './save.ts';
import {
  type Asking,
  interruptedBy,
  type Leaving,
  leftWith,
  type SuperviseCourse,
  shownText,
  standingOf,
} from './supervision-run.ts';

interface Supervising {
  /** `restart`: ignore everything that an earlier supervision said and did. */
  begin: 'resume' | 'restart';
  /** What to do with a tree that differs from the state that a saved session recorded. */
  movedTree: 'refused' | 'accepted';
  /** Called after a wait for another run: whether the task must still be continued, for a note that no run has read. */
  isUnread?: () => boolean;
}

export async function superviseTask(request: RunRequest, supervising: Supervising): Promise<RanTask> {
  const ran = await runTask(request, workOf(supervising));
  return ran.how === 'awaited' && supervising.isUnread?.() ? runTask(request, workOf(supervising)) : ran;
}

const workOf = (supervising: Supervising): RunWork => ({
  mistake: ({ manifest, task }) =>
    manifest.supervise === undefined
      ? `${task.manifest} has no supervise, and a supervised task needs it: {worker: {tool: …}, reasoner: {tool: …}}; for its stages say tollgate run ${task.id}`
      : null,
  async check(composing) {
    const { open, context } = composing;
    const isDone = supervising.begin === 'resume' && standingOf(open).step === 'done';
    const mistake =
      goalMistake(open, supervising) ??
      (await movedMistake(open, context, supervising)) ??
      (isDone ? null : partMistake(composing));
    if (mistake !== null) return { how: 'invalid', message: mistake };
    for (const plan of open.plans) {
      const composed = await composePrompt(composing, plan, open.manifest.context.digest_policy);
      if (context.stop.aborted) return { how: 'stopped' };
      if (composed.how === 'invalid') return { how: 'invalid', message: composed.message };
    }
    return { how: 'planned', tooLarge: null, composed: new Map(), offset: 0, repeated: [] };
  },
  goThrough: (task) => superviseRun(task, supervising, { part: askPart, done: doneRefusals }),
});

/** Refuses a goal that differs from the one that the supervision began with, so that no call is paid for the wrong goal. */
function goalMistake(open: OpenTask, { begin }: Supervising): string | null {
  const { goal } = standingOf(open);
  if (begin === 'restart' || goal === null || goal === hashOf(open.manifest.goal)) return null;
  return `${open.placeOf(null, 'goal').at}: the goal differs from the one that the supervision began with; use --anew to start again with the new goal, or restore the old goal to continue`;
}

const movedMistake = async (open: OpenTask, context: TaskRun['context'], { begin, movedTree }: Supervising) =>
  begin === 'restart' || movedTree === 'accepted' ? null : treeMistake(open, context);

/** @param asking the paid steps; everything else that this function does costs nothing. */
export async function superviseRun(
  task: TaskRun,
  { begin }: { begin: 'resume' | 'restart' },
  asking: Asking,
): Promise<EndedRun> {
  const { open, context, runId } = task;
  const { supervise, budgets, goal } = open.manifest;
  const [worker, reasoner] = open.plans;
  const seconds = budgets.max_wallclock_sec;
  const course: SuperviseCourse = {
    task,
    asking,
    plans: { worker: worker!, reasoner: reasoner! },
    endsAtMs: seconds === undefined ? null : nowMs() + seconds * 1000,
    whole: null,
    handOff: { worker: null, reasoner: null },
    seen: null,
    reports: {},
    notes: [],
  };
  if (begin === 'restart' || standingOf(open).supervision === null) {
    for (const { stage } of open.plans) reopen(open.journal, stage.name);
    const first = await keepText(open.task, goal);
    await open.journal.note({ fact: 'supervised', run_id: runId, supervision: runId, goal: first });
  }
  // Before the first instruction there is no work for this goal. So the tree is taken as it is, whatever happened earlier.
  if (standingOf(open).iteration === 0) forgetBefore(course);
  const kept = standingOf(open).step === 'done' ? null : await keepBeginning(task);
  if (context.stop.aborted) return leaveLoop(course, interruptedBy(`stopped by ${stopWords(context.stop)}`));
  if (kept !== null) return leaveLoop(course, leftWith(invalidFailure(open, kept, context.clock())));
  const whole = wholeOf(course);
  const { iteration, step } = standingOf(open);
  const baseline = await openBaseline(whole, iteration > 0 && step !== 'done' ? 'unfinished' : 'none');
  if (baseline !== null && 'how' in baseline)
    return leaveLoop(course, leftWith(invalidFailure(open, baseline.message, context.clock())));
  course.whole = baseline;
  let end: EndedRun | null = null;
  try {
    course.handOff = await handOffs(course);
    end = await untilLeft(course, supervise!);
    return end;
  } finally {
    await closeBaseline(whole, baseline, end?.state === 'done' ? 'done' : 'open');
  }
}

/** Combines worker and reasoner in one run, whose baseline is the tree before the first iteration. */
function wholeOf({ task, plans, endsAtMs }: SuperviseCourse): StageRun {
  const run = stageRunOf(task, plans.worker, endsAtMs);
  return { ...run, stage: { ...run.stage, name: 'supervise' } };
}

function forgetBefore(course: SuperviseCourse): void {
  const { task, plans, endsAtMs } = course;
  const parts = Object.values(plans).map((plan) => stageRunOf(task, plan, endsAtMs));
  for (const run of [wholeOf(course), ...parts]) dropBaseline(run);
  forgetStart(task.open.task.state);
}

interface Terms {
  max_iterations: number;
  stall_after: number;
}

async function untilLeft(course: SuperviseCourse, terms: Terms): Promise<EndedRun> {
  for (;;) {
    const end = await leaveLoop(course, await goRound(course, terms));
    // A user who answered before the journal recorded the park was promised that the answer will be read.
    if (end.supervision?.how !== 'parked' || notesLeft(notesOf(course.task)).length === 0) return end;
  }
}

async function goRound(course: SuperviseCourse, terms: Terms): Promise<Leaving> {
  const { open, context, runId } = course.task;
  const { stop } = context;
  for (;;) {
    if (stop.aborted) return interruptedBy(`stopped by ${stopWords(stop)}`);
    await takeNotes(course.task);
    const standing = standingOf(open);
    const move = nextMove(standing, terms);
    switch (move.do) {
      case 'begin': {
        const { iteration, instruction, worker } = move;
        await open.journal.note({ fact: 'instructed', run_id: runId, iteration, instruction, worker });
        continue;
      }
      case 'work':
      case 'reason': {
        const end = await (move.do === 'work' ? work : reason)(course, standing);
        tell(course, standing.iteration);
        if (end !== null) return end;
        continue;
      }
      case 'leave': {
        const { how, why } = move;
        if (move.reason === 'done') await markParts(course, standing);
        return { how, why, failure: endFailure(course, move.reason, why), retryAt: null };
      }
    }
  }
}

/** Prints what the reasoner decided. */
function tell({ task: { open, context }, plans }: SuperviseCourse, iteration: number): void {
  const row = standingOf(open).rows.find((one) => one.iteration === iteration);
  if (row === undefined || row.action === null) return;
  context.say(open.hide(iterationLine(row, shownText(open.task), plans.reasoner.stage.tool)));
}

/** Runs before the reasoner is called, and never during a call. */
async function takeNotes(task: TaskRun): Promise<void> {
  const { open } = task;
  for (const pending of notesLeft(notesOf(task))) {
    const text = await keepText(open.task, pending.text);
    if (!standingOf(open).seenNotes.has(pending.note))
      await open.journal.note({ fact: 'noted', note: pending.note, text });
    removeNote(pending);
  }
}

const notesOf = ({ open: { stateFolder, task }, context }: TaskRun): string =>
  notesFolder(context.environment, stateFolder, task);

/** Marks the parts as done, for the processes that wait for the task's stages and for every view of the task. */
async function markParts({ task, plans }: SuperviseCourse, { worked }: Standing): Promise<void> {
  const { open } = task;
  const { ledger } = open.journal.read();
  const reasoned = ledger.supervised.findLast((fact) => fact.fact === 'reasoned');
  const calls = { worker: worked, reasoner: reasoned?.fact === 'reasoned' ? reasoned.call_id : null };
  for (const part of ['worker', 'reasoner'] as const) {
    const call = ledger.calls.get(calls[part] ?? '')?.reserved;
    if (call === undefined || ledger.done.has(plans[part].stage.name)) continue;
    await markDone(open.task, open.journal, part, call.call_id, { sha256: call.for_prompt ?? '' });
  }
}

/**
 * Returns the reasons to refuse a `done`, one sentence each; an empty list accepts it. Checks again each time, since any process
 * may have changed the tree since the last work. Returns `stopped` if a stop came first, so that nothing is known.
 */
async function doneRefusals(course: SuperviseCourse, { worked, failed }: Standing): Promise<string[] | 'stopped'> {
  const { task, plans, whole } = course;
  const { open, context } = task;
  const record = worked === null ? null : readRecord(open.task, worked);
  if (record === null) return ['the record of the last work is gone, so it cannot be checked again'];
  const planned = stageRunOf(task, plans.worker, course.endsAtMs);
  // Work that reverts earlier work has changed something, even if the tree equals its start.
  const may_be_empty = planned.stage.may_be_empty || !failed.includes('changes');
  const run = { ...planned, stage: { ...planned.stage, may_be_empty } };
  const composed = await composePrompt(run, run, open.manifest.context.digest_policy);
  if (context.stop.aborted) return 'stopped';
  if (composed.how === 'invalid') return [composed.message];
  const gate = await passStage(run, record, composed.prompt, whole, null);
  if (gate.passed) return [];
  if (context.stop.aborted || gate.findings.length === 0) return 'stopped';
  course.seen = seenOf(gate);
  return gate.findings.map(({ text }) => text);
}

/** Returns the mistake and its remedy; null if there is none, or no session was saved. */
async function treeMistake(
  open: OpenTask,
  { environment, clock }: { environment: NodeJS.ProcessEnv; clock: () => Date },
): Promise<string | null> {
  const { lastEnd } = standingAfter(open.journal.read().ledger.supervised);
  if (lastEnd === null || lastEnd.how === 'done') return null;
  const read = await readSave(open.task, clock);
  if (read === null) return null;
  if (read.how === 'invalid') return read.message;
  const { save } = read;
  const now = {
    changed_files: save.changed_files.map((file) => ({ ...file, sha256: contentHash(open.tree, file.path) })),
    git: await standOf(open, environment),
    branches: (await gitStand(open, environment))?.branches ?? null,
  };
  const moved = movedSince(save, now);
  if (moved.length === 0) return null;
  return `the tree has moved on since the session was saved at ${save.saved_at}: ${moved.join('; ')}. Put it back as it was (${save.patch ?? 'session_save.json says how'}), or use --accept-tree to continue in it as it is`;
}

/** Returns what is wrong with a part, with the part's name; null if both parts can be called. */
function partMistake(composing: Composing): string | null {
  const { open } = composing;
  for (const plan of open.plans) {
    const run = stageRunOf(composing, plan, null);
    const startable = startableStage(run);
    if (startable.how === 'refused')
      return `the ${run.stage.name} (${run.stage.tool}) cannot be started, and nothing was paid: ${startable.refusal.message}`;
  }
  return null;
}
