// Builds the report's row of a task from its journal, its last failure and its supervision.

import path from 'node:path';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import { goOnLine, type NextAction, readActions, toAnswer, toDo, toType } from '../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { failureSentence } from '../../policies/report/failure-sentence.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { type IterationCells, iterationCells } from '../../policies/supervise/supervise-text.ts';
import { type LeftHow, standingAfter } from '../../policies/supervise/supervision.ts';
import { kindOf, lookAt, readJsonIfFit, readRegularOrNull } from '../../state/disk/regular-file.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { budgetOf, type Ledger, lacksIn } from '../../state/journal/ledger.ts';
import { statsOf } from '../../state/journal/stats.ts';
import { notesFolder, notesLeft } from '../../state/supervise/texts.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { launcherIn } from '../launcher.ts';
import { redactorOf } from '../redactor.ts';
import { shownText } from '../supervise/supervision-run.ts';
import { type RecordedStage, stageFacts } from '../task/stage-facts.ts';
import { readTask } from '../task/task.ts';
import { stagesAtWork, standingOf, type TaskState } from './task-state.ts';

/** The failure's fields are null if there is no open failure. */
export interface TaskRow {
  task_id: string;
  folder: string;
  state: TaskState;
  /** ISO time of the last event; null if there is none. */
  at: string | null;
  stage: string | null;
  /** The CLI of that stage. */
  tool: Tool | null;
  class: ErrorClass | null;
  reason: string | null;
  sentence: string | null;
  signature: string | null;
  evidence: string | null;
  /** When this signature was first seen in the task's life, and how often since then. */
  since: string | null;
  count: number | null;
  retry_at: string | null;
  /** `budget` is null until a run has read it from the manifest. */
  calls: { used: number; budget: number | null };
  next_action: NextAction | null;
  /** ISO time of the last verdict on a result of the task: of a gate, else of a call; null if there is none. */
  checked_at: string | null;
  /** Whether its last run gave that verdict, or an earlier run; null if there is none. */
  checked_by: RecordedStage['checked_by'];
  /** What the answers of a task that is done lack: its stage, and a sentence. Empty for other tasks. */
  lacks: string[];
  /** null for a task that was never supervised. */
  supervision: TaskSupervision | null;
  /** The called stages in the order of their first calls; empty if the reader did not request them. */
  stages: RecordedStage[];
}

/** The fields by which tasks are counted and selected. */
export type RowStanding = { state: TaskState; at: string | null };

/** The part of a task's folder that most tasks need. */
type TaskPlace = { id: string; root: string; state: string };

export interface RowReading {
  /** Selects tasks by their state. Nothing more is read of the others. */
  isShown: (standing: RowStanding) => boolean;
  stages: 'read' | 'left_out';
}

type RowRead =
  /** `row` is null for a task that is not shown. */
  | { how: 'read'; standing: RowStanding; row: TaskRow | null; problem: string | null }
  /** The task cannot be read; `message` says why. */
  | { how: 'unreadable'; message: string };

/** Reads only, and leaves broken files as they are. @param journal folds the journal; returns its error's message. */
export async function readRow(
  task: TaskPlace,
  journal: Journal['read'],
  self: ProcessIdentity,
  environment: NodeJS.ProcessEnv,
  { isShown, stages }: RowReading,
): Promise<RowRead> {
  try {
    const { ledger, offset } = journal();
    const { state, at } = await standingOf(ledger, self);
    const read = { how: 'read', standing: { state, at } } as const;
    if (!isShown(read.standing)) return { ...read, row: null, problem: null };
    const { failure, problem } = failureOf(task);
    const standing =
      (state === 'failed' || state === 'interrupted' || state === 'refused') && failure?.resolved_at === null
        ? failure
        : null;
    const seen = standing?.signature ? statsOf(ledger, offset).signatures[standing.signature] : undefined;
    // Looks only at the parts that are read. The other parts are located only if a reader needs them.
    const needsParts = stages === 'read' || ledger.supervised.length > 0;
    const parts = needsParts ? locateTask(`${task.root}/`, '/', {}) : null;
    if (parts?.how === 'invalid') return { how: 'unreadable', message: parts.message };
    const whole = parts?.folder ?? null;
    const supervision = whole === null ? null : await supervisionOf(whole, ledger, environment);
    const row: TaskRow = {
      task_id: task.id,
      folder: task.root,
      state,
      at,
      stage: standing?.stage ?? null,
      tool: standing?.tool ?? null,
      class: standing?.class ?? null,
      reason: standing?.reason ?? null,
      sentence: standing && failureSentence(standing),
      signature: standing?.signature ?? null,
      evidence: standing?.evidence?.text ?? null,
      since: seen?.first_seen ?? standing?.at ?? null,
      count: seen?.count ?? standing?.count ?? null,
      retry_at: standing?.retry_at ?? null,
      calls: { used: ledger.used, budget: ledger.budget === null ? null : budgetOf(ledger) },
      lacks: state === 'done' ? lacksIn(ledger) : [],
      supervision,
      stages: stages === 'left_out' ? [] : await stagesOf(whole!, ledger, state, self),
      checked_at: ledger.judgedAt,
      checked_by: ledger.judgedAt === null ? null : ledger.judged.size > 0 ? 'last_run' : 'earlier_run',
      next_action: standing?.next_actions[0] ?? nextOf(task, state, supervision, launcherIn(environment)),
    };
    return { ...read, row, problem };
  } catch (error) {
    return { how: 'unreadable', message: (error as Error).message };
  }
}

function failureOf(task: TaskPlace): { failure: Failure | null; problem: string | null } {
  try {
    return { failure: readFailure(task), problem: null };
  } catch (error) {
    return { failure: null, problem: `state/last_failure.json: ${(error as Error).message}` };
  }
}

async function stagesOf(
  task: TaskFolder,
  ledger: Ledger,
  state: TaskState,
  self: ProcessIdentity,
): Promise<RecordedStage[]> {
  const atWork = state === 'running' ? await stagesAtWork(ledger, self) : undefined;
  return stagesIn(ledger).map((stage) => stageFacts(task, ledger, stage, null, atWork));
}

/** A direct call of a wrapper belongs to no stage. A stage that the manifest no longer has does not belong to the task. */
function stagesIn({ calls, done, planned }: Ledger): string[] {
  const called = [...calls.values()].filter(({ granted, reserved }) => granted && reserved.run_id !== null);
  const names = new Set([...called.map(({ reserved }) => reserved.stage), ...done.keys()]);
  return [...names].filter((name) => planned?.has(name) ?? true);
}

/** @returns null if there is none. Throws if the file is not a JSON object with the fields of a failure. */
export function readFailure(task: TaskPlace): Failure | null {
  const file = path.join(task.state, 'last_failure.json');
  // Most tasks have no failure, and an exception costs more than this check.
  const text = kindOf(file) === null ? null : readRegularOrNull(file);
  if (text === null) return null;
  const failure = failureIn(text);
  if (typeof failure?.class !== 'string' || !Array.isArray(failure.next_actions))
    throw new StrangeStateError('it is not a record of a failure');
  const read = {
    ...failure,
    next_actions: readActions(failure.next_actions),
    resolved_at: failure.resolved_at ?? null,
  };
  return isOfAnotherFolder(read, task) ? withoutItsPlace(read) : read;
}

/** Detects a copied or moved task. A task that is reached by another name of its folder is the same task. */
function isOfAnotherFolder({ folder }: Failure, { root }: TaskPlace): boolean {
  if (typeof folder !== 'string' || folder === root) return false;
  const there = lookAt(folder);
  const here = lookAt(root);
  return there === null || here === null || there.dev !== here.dev || there.ino !== here.ino;
}

/** The commands and files of the record would lead to the other folder. */
const withoutItsPlace = (failure: Failure): Failure => ({
  ...failure,
  files: {},
  next_actions: [
    toDo(
      `run the task here; its last failure was recorded in ${failure.folder}, so the commands of that record are not shown`,
    ),
  ],
});

function failureIn(text: string): Failure | null {
  try {
    return JSON.parse(text) as Failure | null;
  } catch (error) {
    throw new StrangeStateError((error as Error).message);
  }
}

/** Returns the action that continues a task without a recorded failure; null if nothing is to be done. */
export function nextOf(
  task: TaskPlace,
  state: TaskState,
  supervision: TaskSupervision | null,
  launcher: string,
): NextAction | null {
  const next = NEXT[state];
  const isAnswered = supervision?.answer_waits === true;
  const verb = supervision === null ? 'run' : 'supervise';
  if (next === null) return null;
  if (next !== 'answer' || isAnswered)
    return toType(NEXT_WORDS[state] ?? 'continue', goOnLine({ launcher, verb, word: task.id, trusts: false }), 'pays');
  // The saved command includes the run's permissions.
  const save = readJsonIfFit<{ answer: string | null }>(path.join(task.state, 'session_save.json'));
  return toAnswer(typeof save?.answer === 'string' ? save.answer : `${launcher} answer ${task.id} "…"`);
}

const NEXT_WORDS: Partial<Record<TaskState, string>> = { never_run: 'run it' };

const NEXT: Record<TaskState, 'again' | 'answer' | null> = {
  done: null,
  running: null,
  failed: 'again',
  refused: 'again',
  parked: 'answer',
  interrupted: 'again',
  never_run: 'again',
};

export interface TaskSupervision {
  /** null while it runs, and after a run that was killed. */
  how: LeftHow | null;
  /** The reasoner's question to the user; null if there is none, or it has an answer. */
  question: string | null;
  /** An answer is stored, and no run has given it to the reasoner yet. */
  answer_waits: boolean;
  instruction: string;
  iterations: IterationCells[];
}

/** Redacts secrets; hides all texts without the manifest, which may name more. @returns null if never supervised. */
export async function supervisionOf(
  task: TaskFolder,
  { supervised }: Ledger,
  environment: NodeJS.ProcessEnv,
): Promise<TaskSupervision | null> {
  if (supervised.length === 0) return null;
  const { lastEnd, question, instruction, rows, notes } = standingAfter(supervised);
  const read = await readTask({ word: `${task.root}/`, cwd: task.root, environment, trustWorkspace: true });
  const redactor = read.how === 'invalid' ? null : redactorOf(environment, read.manifest.security.redaction_patterns);
  const hide = (text: string): string => redactor?.redact(text) ?? '[…]';
  const textOf = (sha256: string): string => hide(shownText(task)(sha256));
  const isAnswered = question !== null && (notes.length > 0 || notesLeft(notesOf(task, environment)).length > 0);
  return {
    how: lastEnd?.how ?? null,
    question: question === null || isAnswered ? null : hide(question),
    answer_waits: isAnswered,
    instruction: textOf(instruction),
    iterations: rows.map((row) => iterationCells(row, textOf)),
  };
}

const notesOf = (task: TaskFolder, environment: NodeJS.ProcessEnv): string =>
  notesFolder(environment, path.dirname(path.dirname(task.root)), task);
