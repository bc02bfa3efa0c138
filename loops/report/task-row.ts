// One task as a row of the report, from its journal and its last failure.

import path from 'node:path';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import { goOnLine, type NextAction, readActions, toDo, toType } from '../../policies/facts/next-action.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { SessionSave } from '../../policies/supervise/session-save.ts';
import { kindOf, lookAt, readJsonIfFit, readRegularOrNull } from '../../state/disk/regular-file.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import type { JournalReading } from '../../state/journal/journal.ts';
import { budgetOf, type Ledger } from '../../state/journal/ledger.ts';
import { statsOf } from '../../state/journal/stats.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { launcherIn } from '../launcher.ts';
import { answerAction } from '../supervise/way-on.ts';
import { type StageFacts, stageFacts } from '../task/stage-facts.ts';
import { stagesAtWork, standingOf, type TaskState } from './standing.ts';
import { supervisionOf, type TaskSupervision } from './supervised.ts';

/** The failure's fields are null where none stands. */
export interface TaskRow {
  task_id: string;
  folder: string;
  state: TaskState;
  /** ISO time of the last thing that happened; null when nothing ever did. */
  at: string | null;
  stage: string | null;
  class: ErrorClass | null;
  reason: string | null;
  signature: string | null;
  evidence: string | null;
  /** When this signature was first seen in the task's life, and how often since. */
  since: string | null;
  count: number | null;
  retry_at: string | null;
  /** `budget` is null until a run has read it from the manifest. */
  calls: { used: number; budget: number | null };
  next_action: NextAction | null;
  /** ISO time of the last word on a result of it: of a gate, else of a call; null where there is none. */
  checked_at: string | null;
  /** Whether its last run said that word, or one before it; null where there is none. */
  checked_by: StageFacts['checked_by'];
  /** null for a task that nobody has supervised. */
  supervision: TaskSupervision | null;
  /** Those that were called, in the order of their first calls; empty where a reader has not asked for them. */
  stages: StageFacts[];
}

/** By which it is counted, and chosen. */
export type RowStanding = Pick<TaskRow, 'state' | 'at'>;

/** As much as is needed of most. */
type TaskPlace = Pick<TaskFolder, 'id' | 'root' | 'state'>;

/** What a report shows of its tasks. */
export interface RowReading {
  /** Of a task that stands so; of the others nothing more is read. */
  isShown: (standing: RowStanding) => boolean;
  /** What its stages left, too: files of each of them. */
  stages: 'read' | 'left_out';
}

type RowRead =
  /** `row` is null for one that is not shown. */
  | { how: 'read'; standing: RowStanding; row: TaskRow | null; problem: string | null }
  /** Nothing can be said about it but why. */
  | { how: 'unreadable'; message: string };

/** Reads only: what lies there, however broken, stays as it is. @param journal its fold; what that throws is told. */
export async function readRow(
  task: TaskPlace,
  journal: () => JournalReading,
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
    // Only what is read is looked at: where its other parts lie is asked for those who need them.
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
      class: standing?.class ?? null,
      reason: standing?.reason ?? null,
      signature: standing?.signature ?? null,
      evidence: standing?.evidence?.text ?? null,
      since: seen?.first_seen ?? standing?.at ?? null,
      count: seen?.count ?? standing?.count ?? null,
      retry_at: standing?.retry_at ?? null,
      calls: { used: ledger.used, budget: ledger.budget === null ? null : budgetOf(ledger) },
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
): Promise<StageFacts[]> {
  const atWork = state === 'running' ? await stagesAtWork(ledger, self) : undefined;
  return stagesIn(ledger).map((stage) => stageFacts(task, ledger, stage, null, atWork));
}

/** Calls of a wrapper on its own are no stage's; one that the manifest has no longer is none of the task. */
function stagesIn({ calls, done, planned }: Ledger): string[] {
  const called = [...calls.values()].filter(({ granted, reserved }) => granted && reserved.run_id !== null);
  const names = new Set([...called.map(({ reserved }) => reserved.stage), ...done.keys()]);
  return [...names].filter((name) => planned?.has(name) ?? true);
}

/** null when there is none. Throws when it is no JSON object with what a failure has. */
export function readFailure(task: Pick<TaskFolder, 'root' | 'state'>): Failure | null {
  const file = path.join(task.state, 'last_failure.json');
  // Most have none, and an exception costs more than this look.
  const text = kindOf(file) === null ? null : readRegularOrNull(file);
  if (text === null) return null;
  const failure = failureIn(text);
  if (typeof failure?.class !== 'string' || !Array.isArray(failure.next_actions))
    throw new StrangeStateError('it is no record of a failure');
  const read = {
    ...failure,
    next_actions: readActions(failure.next_actions),
    resolved_at: failure.resolved_at ?? null,
  };
  return isOfAnotherFolder(read, task) ? withoutItsPlace(read) : read;
}

/** A copied or moved task; one that is reached by another name of its folder is the same. */
function isOfAnotherFolder({ folder }: Failure, { root }: Pick<TaskFolder, 'root'>): boolean {
  if (typeof folder !== 'string' || folder === root) return false;
  const there = lookAt(folder);
  const here = lookAt(root);
  return there === null || here === null || there.dev !== here.dev || there.ino !== here.ino;
}

/** Its commands and files would lead to the other folder. */
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

/** What continues a task whose failure is not recorded: null where nothing is to be done. */
export function nextOf(
  task: Pick<TaskFolder, 'id' | 'state'>,
  state: TaskState,
  supervision: Pick<TaskSupervision, 'answer_waits'> | null,
  launcher: string,
): NextAction | null {
  const next = NEXT[state];
  const isAnswered = supervision?.answer_waits === true;
  const verb = supervision === null ? 'run' : 'supervise';
  if (next === null) return null;
  if (next !== 'answer' || isAnswered)
    return toType(NEXT_WORDS[state] ?? 'go on', goOnLine({ launcher, verb, word: task.id, trusts: false }), 'pays');
  // It says what the run was allowed.
  const save = readJsonIfFit<Pick<SessionSave, 'answer'>>(path.join(task.state, 'session_save.json'));
  return answerAction(typeof save?.answer === 'string' ? save.answer : `${launcher} answer ${task.id} "…"`);
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
