// The end of a supervision's run: the session is saved first, then the journal says that it was left, then the report is made.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { LeaveReason } from '../../policies/supervise/next-move.ts';
import type { SessionSave } from '../../policies/supervise/session-save.ts';
import type { LeftHow, SuperviseFact } from '../../policies/supervise/supervise-facts.ts';
import { EMPTY_FAILURE } from '../failure/empty-failure.ts';
import { untouched } from '../run/stages.ts';
import type { EndedRun } from '../run/write-report.ts';
import type { OpenTask } from '../task/task.ts';
import type { Leaving, SuperviseCourse } from './course.ts';
import { saveSession } from './save.ts';
import { supervisionReport } from './supervision-report.ts';
import { answerLine } from './way-on.ts';

export async function leaveLoop(course: SuperviseCourse, leaving: Leaving): Promise<EndedRun> {
  const { open, runId, context } = course.task;
  const { how, why, failure, retryAt } = leaving;
  const changes = course.whole === null ? [] : await course.whole.look();
  const save = how === 'done' ? null : await saveSession(course, how, why, changes);
  await open.journal.note({ fact: 'left', run_id: runId, how, why: why.slice(0, MAX_WHY) });
  const told = save === null || failure === null ? failure : withWayOn(failure, save, how);
  if (save !== null && how !== 'parked') context.say(`session saved; resume with: ${save.resume}`);
  return {
    state: STATE[how],
    exitCode: how === 'done' ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure,
    stages: open.plans.map((plan) => course.reports[plan.stage.name as 'worker'] ?? untouched(open, plan)),
    failure: told,
    notes: [
      ...course.notes,
      ...(save === null || how === 'parked'
        ? []
        : [`session saved in ${open.task.state}/session_save.json; resume with: ${save.resume}`]),
    ],
    retryAt,
    supervision: supervisionReport(open, save, changes),
    ...(how === 'parked' ? { nextActions: [answerLine(course.task)] } : {}),
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

/** The line to type stands first where nothing else has to be done before. */
function withWayOn(failure: Failure, { resume, task_id }: SessionSave, how: Leaving['how']): Failure {
  const again = `tollgate run ${task_id}`;
  const actions = failure.next_actions.map((action) => action.replaceAll(again, resume));
  const own = actions.some((action) => action.includes(resume)) ? [] : [resume];
  return { ...failure, next_actions: [...(how === 'saved' ? own : []), ...actions, ...(how === 'saved' ? [] : own)] };
}

/** Of an end that no stage's failure stands for; null for one that is none. */
export function endFailure({ task }: SuperviseCourse, reason: LeaveReason, why: string): Failure | null {
  if (reason === 'done' || reason === 'question') return null;
  const { open, context } = task;
  const error = lastError(open.journal.read().ledger.supervised);
  const row = ENDS[reason];
  const of = reason === 'reasoner_errors' && error !== null ? { class: error.class, reason: error.reason } : row;
  return {
    ...EMPTY_FAILURE,
    task_id: open.task.id,
    stage: 'reasoner',
    tool: open.plans.find(({ stage }) => stage.name === 'reasoner')!.stage.tool,
    at: context.clock().toISOString(),
    class: of.class,
    reason: of.reason,
    evidence: { source: 'none', text: open.hide(why), rule: `supervise-${reason.replaceAll('_', '-')}` },
    decision: { action: 'stop', why: row.why },
    next_actions: row.next(answerLine(task), open),
  };
}

function lastError(facts: readonly SuperviseFact[]): Pick<Failure, 'class' | 'reason'> | null {
  for (const fact of [...facts].reverse()) if (fact.fact === 'reasoned' && fact.action === 'error') return fact;
  return null;
}

interface EndRow {
  class: Failure['class'];
  reason: string;
  why: string;
  next(answer: string, open: OpenTask): string[];
}

const ENDS: Record<Exclude<LeaveReason, 'done' | 'question'>, EndRow> = {
  reasoner_errors: {
    class: 'unknown',
    reason: 'reasoner_errors',
    why: 'the third failure of the reasoner in a row saves the session',
    next: () => [],
  },
  save_session: { class: 'unknown', reason: 'save_session', why: 'the reasoner had the session saved', next: () => [] },
  max_iterations: {
    class: 'quota',
    reason: 'budget',
    why: 'the iterations are used up',
    next: (_, { task, placeOf }) => [
      `raise max_iterations at ${placeOf(null, 'supervise').at}, then: tollgate run ${task.id}`,
    ],
  },
  stalled: {
    class: 'unknown',
    reason: 'stalled',
    why: 'nothing comes of the instruction',
    next: (answer, { task }) => [
      `tell the reasoner what to do instead: ${answer}`,
      `or go on as it is: tollgate run ${task.id}`,
    ],
  },
};
