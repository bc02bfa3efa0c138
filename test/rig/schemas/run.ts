// Defines the schemas of what `tollgate run` and `tollgate report` print with --json.

import type { RunReport, StageReport, SupervisionReport } from '../../../loops/run/report.ts';
import type { RecordedStage } from '../../../loops/task/stage-facts.ts';
import type { Notified } from '../../../loops/upkeep/notified.ts';
import type { NextAction } from '../../../policies/facts/next-action.ts';
import { NOTIFY_EVENTS } from '../../../policies/manifest/notifier.ts';
import type { IterationCells } from '../../../policies/supervise/supervise-text.ts';
import { evidence, FAILURE, leftOut } from './call.ts';
import {
  amount,
  count,
  errorClass,
  type Fields,
  list,
  nextActions,
  one,
  orNull,
  reason,
  record,
  type Schema,
  text,
  texts,
  time,
  tool,
  version,
} from './parts.ts';
import { STAND_IN } from './stand-in.ts';

const EARLIER: readonly RecordedStage['state'][] = [
  'running',
  'done_earlier',
  'failed_earlier',
  'interrupted_earlier',
  'pending',
];

/** All facts are of one call: the one that answered a done stage, or else the last one. */
export const STAGE_FACTS: Fields<RecordedStage> = {
  stage: text('Name of the stage'),
  tool: orNull(tool, 'unknown'),
  account: text("The account of the user's settings; absent for the login of the environment"),
  stand_ins: list('Fallbacks so far, the first one first; empty if the stage used its own CLI', STAND_IN),
  state: one('State of the stage, as the journal records it', EARLIER),
  exit_code: orNull(
    count('Exit code of the wrapper for the call that answered, else for the last call'),
    'there is none',
  ),
  duration_ms: orNull(
    amount('Duration of the call that answered, else of the last call, in milliseconds'),
    'no call was made, or it is unknown',
  ),
  tokens: orNull(
    count('Number of tokens of the call that answered, else of the last call'),
    'no call was made, or it is unknown',
  ),
  answer: orNull(text('Path of the file with the answer of the stage'), 'there is none'),
  gate: orNull(one('Result of the gate of the stage', ['passed', 'failed']), 'no answer reached the gate'),
  verdict: orNull(
    one('Verdict in the section Verdict of the answer', ['PASS', 'FAIL']),
    'there is none, or it was not read',
  ),
  class: orNull(errorClass, 'the stage has not failed'),
  reason: orNull(reason, 'the stage has not failed'),
  evidence,
  retry_at: orNull(time('Time before which the service rejects calls'), 'the service reported none'),
  session_id: orNull(text('Id of the session in the CLI')),
  checked_at: orNull(time('Time of the last verdict on the stage, by its gate or else by its call'), 'there is none'),
  checked_by: orNull(
    one('Whether the last run of the task gave the last verdict on the stage, or an earlier run did', [
      'last_run',
      'earlier_run',
    ]),
    'there is none',
  ),
  left_out: leftOut,
  lacks: list(
    'What the answer of the stage lacks, such as a denied tool',
    text('What the answer lacks, in one sentence'),
  ),
};

/** A stage of a run. */
export const RUN_STAGE: Fields<StageReport> = {
  ...STAGE_FACTS,
  state: one('Result of the stage in this run, or else its state, as the journal records it', [
    'done',
    'failed',
    'interrupted',
    ...EARLIER,
  ]),
  calls: count('Number of paid calls of the stage in this run'),
  session: orNull(
    one('Origin of the session of the last call: new, resumed by tag, found again, or named in the manifest', [
      'new',
      'resumed',
      'recovered',
      'named',
    ]),
    'no call was made',
  ),
  notes: texts('Remarks of the gate of the stage, besides its findings'),
  changed: texts('Paths that the stage changed in the tree, as far as the tree was checked'),
  passed_commands: texts('Acceptance commands that succeeded'),
  warnings: texts('Unusual events of the stage'),
};

export const LEFT = ['done', 'saved', 'parked', 'stopped', 'interrupted'] as const;

export const ITERATION = record<IterationCells>(
  'One iteration of a supervision, as a row of the table in docs/supervise.md',
  {
    iteration: count('Number of the iteration, from 1'),
    reasoner: one('Result of the call of the reasoner; "-" before the call', ['Success', 'Error', '-']),
    errors: text('Number of consecutive failures of the reasoner, and what follows from the last one'),
    action: text('Action of the loop after the answer of the reasoner'),
    instruction: text('The beginning of the next instruction for the worker; N/A if there is none'),
  },
);

export const NOTIFIED = list(
  'Notifications of the end, which `notify` of tollgate.yaml requests; absent if it requests none',
  record<Notified>('One notification to one receiver', {
    event: one('Event that the notification is about', NOTIFY_EVENTS),
    to: text('Receiver of the notification; of an address only the host'),
    how: one('Whether the notification was delivered', ['sent', 'failed']),
    why: text('Response of the receiver, or why the notification was not delivered'),
  }),
);

const ran = record<RunReport>(
  'Report of a run',
  {
    schema: version,
    task_id: text('Id of the task'),
    goal: text('Goal of the task, as the manifest contains it'),
    state: one('How the run ended; refused: nothing was run; parked: a question waits for an answer', [
      'done',
      'failed',
      'interrupted',
      'refused',
      'parked',
    ]),
    exit_code: count('Exit code of tollgate run'),
    message: orNull(text('Why nothing was run, in one sentence'), 'the run was not refused'),
    stages: list('Stages of the task, in order', record<StageReport>('One stage of the run', RUN_STAGE, ['account'])),
    failure: orNull(FAILURE, 'nothing failed'),
    budget: record<RunReport['budget']>('Paid calls of the task', {
      used: count('Number of paid calls so far'),
      total: count('Maximum number of paid calls'),
      left: count('Number of paid calls that remain'),
    }),
    spent: record<RunReport['spent']>('Tokens and cost of all calls of the task, as far as they are known', {
      tokens: count('Number of tokens'),
      usd: amount('Cost in US dollars, as far as prices are known'),
      calls_without_tokens: count('Number of calls with unknown token counts, which `tokens` does not include'),
      calls_without_price: count('Number of calls with an unknown price, which `usd` does not include'),
    }),
    limits: record<RunReport['limits']>('Limits of the task, besides the limit of paid calls', {
      max_tokens: orNull(count('Maximum number of tokens'), 'there is no limit'),
      max_usd: orNull(amount('Maximum cost in US dollars'), 'there is no limit'),
    }),
    files: record<RunReport['files']>('Paths of files with more details', {
      summary: text('Path of the summary page for people, in Markdown'),
      stats: text('Path of stats.json, in which users may edit the count of paid calls'),
      last_failure: orNull(text('Path of the record of the failure'), 'nothing failed'),
      outputs: text('Path of the folder with the answers and records'),
    }),
    next_actions: nextActions(),
    notes: texts('Further remarks about the run'),
    supervision: record<SupervisionReport>('State of the supervision; absent if the task is not supervised', {
      how: orNull(one('How the last run of the supervision ended', LEFT), 'it has not ended'),
      iteration: count('Number of the last iteration that was begun'),
      errors: count('Number of consecutive failures of the reasoner'),
      instruction: text('Current instruction for the worker'),
      question: orNull(text('Question of the reasoner for the user'), 'there is no question'),
      summary: orNull(text('Summary of the reasoner for a task that is done'), 'the task is not done'),
      iterations: list('All iterations, in order', ITERATION),
      changed: texts('Paths that have changed since the supervision began, each with the kind of change'),
      saved: orNull(text('Path of the saved session'), 'the session was not saved'),
      resume: orNull(text('Command that resumes the supervision'), 'the session was not saved'),
    }),
    commit: orNull(
      record<NonNullable<RunReport['commit']>>('Commit of the changes; only for a successful run with --commit', {
        id: text('Id of the commit'),
        branch: orNull(text('Name of the branch'), 'HEAD is detached'),
        files: list('Committed paths', text('Path relative to the root of the tree')),
      }),
      'there was nothing to commit',
    ),
    notified: NOTIFIED,
  },
  ['supervision', 'commit', 'notified'],
);

/** The object that `answerWithoutRun` makes. */
const notRun = record<{
  schema: number;
  task_id: string | null;
  state: string;
  exit_code: number;
  message: string;
  next_actions: NextAction[];
}>('Output of tollgate run --json if nothing was run', {
  schema: version,
  task_id: orNull(text('Id of the task'), 'none was named'),
  state: one('Whether the run was refused, or waited for the outcome of another run of the task', [
    'refused',
    'awaited',
  ]),
  exit_code: count('Exit code of tollgate run'),
  message: text('Why nothing was run, in one sentence'),
  next_actions: nextActions(),
});

export const REPORT: Schema = { description: 'Output of tollgate run --json', anyOf: [ran, notRun] };
