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
  stage: text('Its name'),
  tool: orNull(tool, 'no call of it is known'),
  account: text("The account of the user's settings; absent for the login of the environment"),
  stand_ins: list("The fallbacks so far, the first one first; empty for the stage's own tool", STAND_IN),
  state: one('What the journal says of it', EARLIER),
  exit_code: orNull(count("The wrapper's exit code of its last call"), 'none was made'),
  duration_ms: orNull(amount('How long its last call ran, in milliseconds'), 'none was made'),
  tokens: orNull(count('All tokens of its last call'), 'none was made, or it did not say'),
  answer: orNull(text('The file with its answer'), 'there is none'),
  gate: orNull(one('What its gate said', ['passed', 'failed']), 'no answer came to it'),
  verdict: orNull(one('What its answer says under a heading "Verdict"', ['PASS', 'FAIL']), 'it says neither'),
  class: orNull(errorClass, 'it has not failed'),
  reason: orNull(reason, 'it has not failed'),
  evidence,
  retry_at: orNull(time('Before it, the service says, a call is in vain'), 'it did not say'),
  session_id: orNull(text("The CLI's session")),
  checked_at: orNull(time('Of the last word on its result: of its gate, else of its call'), 'there is none'),
  checked_by: orNull(one('Which run of the task said that word', ['last_run', 'earlier_run']), 'there is none'),
  left_out: leftOut,
  lacks: list('What its answer lacks, such as a tool that was denied', text('In a sentence')),
};

/** A stage of a run. */
export const RUN_STAGE: Fields<StageReport> = {
  ...STAGE_FACTS,
  state: one('What became of it in this run, or else what the journal says of it', [
    'done',
    'failed',
    'interrupted',
    ...EARLIER,
  ]),
  calls: count('Paid calls of this run'),
  session: orNull(
    one("How its last call's session was come by: made, the tag's, found again, or named by the manifest", [
      'new',
      'resumed',
      'recovered',
      'named',
    ]),
    'none was called',
  ),
  notes: texts('What its gate has to say beside what it found'),
  changed: texts('What it has changed in the tree, as far as it was looked at'),
  passed_commands: texts('Acceptance commands that succeeded'),
  warnings: texts('What was unusual'),
};

export const LEFT = ['done', 'saved', 'parked', 'stopped', 'interrupted'] as const;

export const ITERATION = record<IterationCells>('An iteration, as the table of docs/supervise.md has it', {
  iteration: count('Which'),
  reasoner: one('What the call of the reasoner came to; - before it', ['Success', 'Error', '-']),
  errors: text('Failures in a row, and what follows from the last'),
  action: text('What the loop does'),
  instruction: text('The beginning of the next instruction for the worker; N/A if there is none'),
});

export const NOTIFIED = list(
  'Who was notified of the end, by notify of tollgate.yaml; absent without a notifier',
  record<Notified>('One word to one of them', {
    event: one('Of what', NOTIFY_EVENTS),
    to: text('Whom: of an address the host alone'),
    how: one('Did it arrive?', ['sent', 'failed']),
    why: text('What was answered, or why it did not'),
  }),
);

const ran = record<RunReport>(
  'The report of a run',
  {
    schema: version,
    task_id: text('The task'),
    goal: text('As the manifest has it'),
    state: one('How the run ended; refused: nothing was run; parked: a question waits for an answer', [
      'done',
      'failed',
      'interrupted',
      'refused',
      'parked',
    ]),
    exit_code: count('The exit code of tollgate run'),
    message: orNull(text('Why nothing was run, in one sentence'), 'something was'),
    stages: list('The stages, in order', record<StageReport>('One stage', RUN_STAGE, ['account'])),
    failure: orNull(FAILURE, 'nothing failed'),
    budget: record<RunReport['budget']>('Paid calls', {
      used: count('So far'),
      total: count('Allowed in all'),
      left: count('Remaining'),
    }),
    spent: record<RunReport['spent']>("What the task's calls have used, as far as they said", {
      tokens: count('Tokens'),
      usd: amount('US dollars, where a price is known'),
      calls_without_tokens: count('Calls that did not say how many tokens; in no sum'),
      calls_without_price: count('Calls without a known price; in no sum'),
    }),
    limits: record<RunReport['limits']>("The task's own limits beside its calls", {
      max_tokens: orNull(count('Tokens'), 'there is none'),
      max_usd: orNull(amount('US dollars'), 'there is none'),
    }),
    files: record<RunReport['files']>('Files with more details', {
      summary: text('The page for a reader with little time'),
      stats: text('The count that a person may edit'),
      last_failure: orNull(text('The failure as a record'), 'nothing failed'),
      outputs: text('The folder with the answers and records'),
    }),
    next_actions: nextActions(),
    notes: texts('What else is worth knowing'),
    supervision: record<SupervisionReport>('The state of a supervised task', {
      how: orNull(one('How its last run ended', LEFT), 'it was not'),
      iteration: count('The last one that was begun'),
      errors: count('Failures of the reasoner in a row'),
      instruction: text('In force'),
      question: orNull(text("The reasoner's, for a person"), 'it asks nothing'),
      summary: orNull(text("The reasoner's, of a task that is done"), 'it is not done'),
      iterations: list('All of them, in order', ITERATION),
      changed: texts('Paths that are changed since it began, each with how'),
      saved: orNull(text('The saved session'), 'it was not saved'),
      resume: orNull(text('The line to type to continue'), 'there is nothing to continue with'),
    }),
    commit: orNull(
      record<NonNullable<RunReport['commit']>>('The commit', {
        id: text('Its id'),
        branch: orNull(text('Its branch'), 'HEAD is detached'),
        files: list('The committed paths', text('A path, relative to the tree')),
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
}>('The answer where nothing was run', {
  schema: version,
  task_id: orNull(text('The task'), 'none was named'),
  state: one('Refused; or the outcome of a run that had the task, which was waited for', ['refused', 'awaited']),
  exit_code: count('The exit code of tollgate run'),
  message: text('Why, in one sentence'),
  next_actions: nextActions(),
});

export const REPORT: Schema = { description: 'What tollgate run --json prints', anyOf: [ran, notRun] };
