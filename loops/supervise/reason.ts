// Runs the reasoner's part of an iteration: builds its view, and records its decision or failure before the worker's next call.

import type { ErrorClass } from '../../policies/facts/classes.ts';
import { tagOf } from '../../policies/session/session-entry.ts';
import { MAX_ANSWER_CHARS, readReasonerAnswer } from '../../policies/supervise/reasoner-answer.ts';
import { iterationCells, type ReasonerView, reasonerTurn } from '../../policies/supervise/supervise-text.ts';
import type { Reasoned, Standing } from '../../policies/supervise/supervision.ts';
import { oneLine } from '../../policies/text/display.ts';
import { readHead, readHeadIfFit } from '../../state/disk/regular-file.ts';
import { keepText, keptText } from '../../state/supervise/texts.ts';
import { isSystemError } from '../../state/system-error.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { readRecord } from '../stage/guardian.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageRun, TaskRun } from '../task/stage-run.ts';
import { wholeDiff } from './changes.ts';
import { seenBefore } from './part.ts';
import {
  interruptedBy,
  leftWith,
  type PartEnd,
  type StepEnd,
  type SuperviseCourse,
  shownText,
} from './supervision-run.ts';

export async function reason(course: SuperviseCourse, standing: Standing): Promise<StepEnd> {
  const notes = standing.notes.map(({ note }) => note);
  const view = await viewOf(course, standing);
  return course.asking.part(course, reasonersOwn(course.task), {
    part: 'reasoner',
    iteration: standing.iteration,
    supervision: standing.supervision!,
    text: reasonerTurn(view),
    before: (run, prompt) => failedBefore(course, standing, run, prompt, notes),
    after: (ended) => noteReason(course, standing, ended, notes),
  });
}

/** The reasoner has its own session, whatever the worker's tool, and no retries: the loop repeats the iteration. */
function reasonersOwn(task: TaskRun): TaskRun {
  const { manifest } = task.open;
  const { session_id: _, ...meta } = manifest.meta;
  const feature = `${tagOf(meta.feature, task.open.task.id).slice(0, MAX_TAG_CHARS)} (reasoner)`;
  const budgets = { ...manifest.budgets, retry_budget: 0 };
  return { ...task, open: { ...task.open, manifest: { ...manifest, budgets, meta: { ...meta, feature } } } };
}

/** The tag stays valid with its suffix. */
const MAX_TAG_CHARS = 110;

/** Finds a failed call that an earlier run paid for but did not record as an iteration's result. Counts it as that failure. */
function failedBefore(
  course: SuperviseCourse,
  standing: Standing,
  run: StageRun,
  prompt: Prompt,
  notes: string[],
): Promise<StepEnd> | null {
  const calls = [...run.open.journal.read().ledger.calls.values()];
  const last = calls.findLast(
    ({ granted, reserved }) => granted && reserved.stage === run.stage.name && reserved.for_prompt === prompt.sha256,
  );
  const verdict = last?.verdict ?? null;
  if (verdict === null || verdict.class === null || NOT_FAILED.has(verdict.reason ?? '')) return null;
  const { call_id, class: errorClass, reason } = verdict;
  const text = readRecord(run.open.task, call_id)?.verdict.evidence?.text ?? reason ?? errorClass;
  return note(course, standing, call_id, notes, errorOf(errorClass, reason, text)).then(() => null);
}

/** The call was stopped; it did not fail by itself. */
const NOT_FAILED: ReadonlySet<string> = new Set(['cancelled', 'interrupted']);

async function noteReason(
  course: SuperviseCourse,
  standing: Standing,
  { run, end }: PartEnd,
  notes: string[],
): Promise<{ step: StepEnd; noted: boolean }> {
  if (end.how === 'interrupted') return { step: interruptedBy('stopped at its reasoner', end.retry_at), noted: false };
  if (end.how === 'failed') {
    const { failure, record } = end;
    // Our own limits, and an agent's changes to the task, are not failures of the reasoner. A reasoner that cannot be started is
    // one.
    const isOurs = (record === null && failure.class !== 'tooling') || failure.reason === 'budget';
    if (isOurs || end.gate?.findings.some(({ check }) => check === 'judge'))
      return { step: leftWith(failure), noted: false };
    const text = failure.evidence?.text ?? failure.reason ?? failure.class;
    await note(course, standing, record?.call_id ?? null, notes, errorOf(failure.class, failure.reason, text));
    return { step: null, noted: true };
  }
  course.handOff.reasoner = null;
  const read = readReasonerAnswer(answerOf(run));
  const meant = await meantBy(course, standing, read);
  // The answer is paid for, and the next run finds it.
  if (meant === 'stopped') return { step: interruptedBy('stopped while its "done" was looked at'), noted: false };
  await note(course, standing, end.record.call_id, notesSeenBy(course, end.record.call_id, notes), meant);
  return { step: null, noted: true };
}

/** Returns the notes that the call has seen. An answer that an earlier run paid for does not know later notes. */
function notesSeenBy({ task }: SuperviseCourse, callId: string, notes: string[]): string[] {
  const { calls, supervised } = task.open.journal.read().ledger;
  const before = supervised.slice(0, calls.get(callId)?.before.supervised ?? 0);
  return notes.filter((note) => before.some((fact) => fact.fact === 'noted' && fact.note === note));
}

async function meantBy(
  course: SuperviseCourse,
  standing: Standing,
  read: ReturnType<typeof readReasonerAnswer>,
): Promise<Reasoned | 'stopped'> {
  if (read.how === 'invalid') return errorOf('contract_violation', read.reason, read.why);
  const { action, text } = read.answer;
  switch (action) {
    case 'continue':
      return { action, instruction: await keepText(course.task.open.task, text) };
    case 'done': {
      const refused = await course.asking.done(course, standing);
      return refused === 'stopped' ? refused : { action, text: short(text), refused };
    }
    case 'no_op':
      return { action };
    case 'save_session':
    case 'ask':
      return { action, text: short(text) };
  }
}

/** Keeps a line of the journal small. */
const MAX_CHARS = 4000;
const short = (text: string): string => (text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`);

const errorOf = (errorClass: ErrorClass, reason: string | null, text: string): Reasoned => ({
  action: 'error',
  class: errorClass,
  reason,
  text: oneLine(text, 500),
});

const note = (
  { task }: SuperviseCourse,
  { iteration }: Standing,
  call_id: string | null,
  notes: string[],
  reasoned: Reasoned,
): Promise<void> =>
  task.open.journal.note({ fact: 'reasoned', run_id: task.runId, iteration, call_id, notes, ...reasoned });

/** Reads at most as much as an answer may have, plus one character to detect a longer one. */
const answerOf = ({ open, stage }: StageRun): string =>
  readHeadIfFit(outputsOf(open.task, stage).out, MAX_ANSWER_CHARS * BYTES_A_CHAR) ?? '';

const BYTES_A_CHAR = 4;

const MAX_SHOWN_ANSWER = 60_000;

const MAX_SHOWN_DIFF = 60_000;

async function viewOf(course: SuperviseCourse, standing: Standing): Promise<ReasonerView> {
  const { open } = course.task;
  const { iteration, worker, refused, question, rows } = standing;
  const changes = course.whole === null ? [] : await course.whole.look();
  const diff = changes.length === 0 ? null : await wholeDiff(course.task);
  course.seen ??= seenBefore(course, standing);
  const seen = course.seen!;
  return {
    iteration,
    instruction: keptText(open.task, standing.instruction),
    worker: worker === 'spared' ? null : headOf(outputsOf(open.task, course.plans.worker.stage).out),
    changed: changes.map(({ path, how }) => open.hide(`${path} (${how})`)),
    changedNow: rows.at(-1)?.changed ?? null,
    diff: diff === null ? null : cut(open.hide(diff), MAX_SHOWN_DIFF),
    acceptance: seen.acceptance,
    findings: seen.findings,
    refused,
    question,
    notes: standing.notes.map(({ text }) => open.hide(keptText(open.task, text))),
    history: rows.slice(0, -1).map((row) => iterationCells(row, shownText(open.task))),
    handOff: course.handOff.reasoner,
  };
}

function headOf(file: string): { answer: string; cut: number } {
  try {
    const { text, cut: omitted } = cut(readHead(file, MAX_SHOWN_ANSWER * BYTES_A_CHAR).text, MAX_SHOWN_ANSWER);
    return { answer: text, cut: omitted };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { answer: '', cut: 0 };
  }
}

const cut = (text: string, max: number): { text: string; cut: number } => ({
  text: text.slice(0, max),
  cut: Math.max(0, text.length - max),
});
