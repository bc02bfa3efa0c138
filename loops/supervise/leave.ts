// Ends a supervision's run: saves the session, then records the end in the journal, then makes the report.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { Change } from '../../policies/facts/gate-record.ts';
import {
  forUser,
  goOnLine,
  type NextAction,
  toAnswer,
  toDecide,
  toDo,
  toType,
} from '../../policies/facts/next-action.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import type { SessionSave } from '../../policies/supervise/session-save.ts';
import { iterationCells } from '../../policies/supervise/supervise-text.ts';
import type { LeaveReason, LeftHow, SuperviseFact } from '../../policies/supervise/supervision.ts';
import type { SupervisionReport } from '../run/report.ts';
import { untouched } from '../run/stages.ts';
import type { EndedRun } from '../run/write-report.ts';
import { EMPTY_FAILURE, stopped } from '../task/failure.ts';
import type { OpenTask } from '../task/task.ts';
import { answerLine, saveFileOf, saveSession } from './save.ts';
import { type Leaving, type SuperviseCourse, shownText, standingOf } from './supervision-run.ts';

export async function leaveLoop(course: SuperviseCourse, leaving: Leaving): Promise<EndedRun> {
  const { open, runId, context } = course.task;
  const { how, why, failure, retryAt } = leaving;
  const changes = course.whole === null ? [] : await course.whole.look();
  const save = how === 'done' ? null : await saveSession(course, how, why, changes);
  await open.journal.note({ fact: 'left', run_id: runId, how, why: why.slice(0, MAX_WHY) });
  const shownFailure = save === null || failure === null ? failure : withWayOn(failure, save, how, open);
  if (save !== null && how !== 'parked') context.say(`session saved; resume with: ${save.resume}`);
  return {
    state: STATE[how],
    exitCode: how === 'done' ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    stages: open.plans.map((plan) => course.reports[plan.stage.name as 'worker'] ?? untouched(open, plan)),
    failure: shownFailure,
    notes: [
      ...course.notes,
      ...(save === null || how === 'parked'
        ? []
        : [`session saved in ${open.task.state}/session_save.json; resume with: ${save.resume}`]),
    ],
    retryAt,
    supervision: supervisionReport(open, save, changes),
    ...(how === 'parked' ? { nextActions: [toAnswer(answerLine(course.task))] } : {}),
  };
}

const STATE = {
  done: 'done',
  saved: 'failed',
  stopped: 'failed',
  interrupted: 'interrupted',
  parked: 'parked',
} as const satisfies Record<LeftHow, EndedRun['state']>;

const MAX_WHY = 4000;

/**
 * Replaces the command that continues the task with the one that resumes the saved session, or adds the latter. An added command
 * comes first if nothing else has to be done before.
 */
function withWayOn(failure: Failure, { resume }: SessionSave, how: Leaving['how'], { called }: OpenTask): Failure {
  const plain = goOnLine(called);
  const actions = failure.next_actions.map((action) =>
    action.command === undefined ? action : { ...action, command: action.command.replace(plain, () => resume) },
  );
  const own = actions.some(({ command }) => command?.includes(resume))
    ? []
    : [toType('continue in the saved session', resume, 'pays')];
  return { ...failure, next_actions: [...(how === 'saved' ? own : []), ...actions, ...(how === 'saved' ? [] : own)] };
}

/** Makes the failure of an end that has no failure of a stage; null for an end that is not a failure. */
export function endFailure({ task }: SuperviseCourse, reason: LeaveReason, why: string): Failure | null {
  if (reason === 'done' || reason === 'question') return null;
  const { open, context } = task;
  const error = lastError(open.journal.read().ledger.supervised);
  const row = ENDS[reason];
  const of = reason === 'reasoner_errors' && error !== null ? { class: error.class, reason: error.reason } : row;
  const value = open.manifest.supervise!.max_iterations;
  const limit = { name: 'iterations', value, unit: 'iterations' } as const;
  const said = { text: open.hide(why), rule: `supervise-${reason.replaceAll('_', '-')}` };
  return {
    ...EMPTY_FAILURE,
    task_id: open.task.id,
    stage: 'reasoner',
    tool: open.plans.find(({ stage }) => stage.name === 'reasoner')!.stage.tool,
    at: context.clock().toISOString(),
    ...stopped(of.class, of.reason, reason === 'max_iterations' ? { ...said, limit } : said, row.why),
    next_actions: row.next(answerLine(task), open),
  };
}

function lastError(facts: readonly SuperviseFact[]) {
  for (const fact of [...facts].reverse()) if (fact.fact === 'reasoned' && fact.action === 'error') return fact;
  return null;
}

interface EndRow {
  class: Failure['class'];
  reason: string;
  why: string;
  next(answer: string, open: OpenTask): NextAction[];
}

const ENDS: Record<Exclude<LeaveReason, 'done' | 'question'>, EndRow> = {
  reasoner_errors: {
    class: 'unknown',
    reason: 'reasoner_errors',
    why: 'the third failure of the reasoner in a row saves the session',
    next: () => [],
  },
  save_session: {
    class: 'unknown',
    reason: 'save_session',
    why: 'the reasoner requested that the session is saved',
    next: () => [],
  },
  max_iterations: {
    class: 'quota',
    reason: 'budget',
    why: 'the iterations are used up',
    next: (_, { called, placeOf }) => [
      toDecide('this task may take more iterations: all allowed ones are used'),
      forUser(
        'budget',
        toType(`raise max_iterations at ${placeOf(null, 'supervise').at}, and continue`, goOnLine(called), 'pays'),
      ),
    ],
  },
  stalled: {
    class: 'unknown',
    reason: 'stalled',
    why: 'the instruction changes nothing',
    next: (answer, { called }) => [
      toDo(`send the reasoner a new instruction in place of the dots: ${answer}`),
      toType('or continue as it is', goOnLine(called), 'pays'),
    ],
  },
};

/** Reports a supervision: its iterations as the table shows them, the current instruction, and how to continue. */
function supervisionReport(open: OpenTask, save: SessionSave | null, changes: readonly Change[]): SupervisionReport {
  const { iteration, errors, instruction, question, rows, lastEnd } = standingOf(open);
  const last = rows.at(-1);
  return {
    how: lastEnd?.how ?? null,
    iteration,
    errors: last?.action === 'error' ? last.errors : errors,
    instruction: open.hide(shownText(open.task)(instruction)),
    question: question === null ? null : open.hide(question),
    summary: last?.action === 'done' && !last.refused ? open.hide(last.text) : null,
    iterations: rows.map((row) => {
      const cells = iterationCells(row, shownText(open.task));
      return { ...cells, instruction: open.hide(cells.instruction) };
    }),
    changed: changes.map(({ path, how }) => open.hide(`${path} (${how})`)),
    saved: save === null ? null : saveFileOf(open.task),
    resume: save?.resume ?? null,
  };
}
