// The schemas of what tollgate run and tollgate report print with --json.

import type { RunReport, StageReport } from '../../../loops/run/report.ts';
import { FAILURE } from './call.ts';
import { amount, count, list, one, orNull, record, type Schema, text, texts, version } from './parts.ts';

const ran = record<RunReport>('The report of a run', {
  schema: version,
  task_id: text('The task'),
  goal: text('As the manifest has it'),
  state: one('How the run ended', ['done', 'failed', 'interrupted']),
  exit_code: count('The exit code of tollgate run'),
  stages: list(
    'The stages, in order',
    record<StageReport>('One stage', {
      stage: text('Its name'),
      state: one('What became of it', ['done', 'done_earlier', 'failed', 'pending', 'interrupted']),
      exit_code: orNull(count("The wrapper's exit code of its last call"), 'none was made'),
      duration_ms: orNull(amount('How long its last call ran, in milliseconds'), 'none was made'),
      calls: count('Paid calls of this run'),
      gate: orNull(one('What its gate said', ['passed', 'failed']), 'no answer came to it'),
      session_id: orNull(text("The CLI's session")),
      session: orNull(
        one("How its last call's session was come by: made, the tag's, found again, or named by the manifest", [
          'new',
          'resumed',
          'recovered',
          'named',
        ]),
        'none was called',
      ),
      warnings: texts('What was unusual'),
    }),
  ),
  failure: orNull(FAILURE, 'nothing failed'),
  budget: record<RunReport['budget']>('Paid calls', {
    used: count('So far'),
    total: count('Allowed in all'),
    left: count('Left'),
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
  files: record<RunReport['files']>('Where more is told', {
    summary: text('The page for a reader with little time'),
    stats: text('The count that a person may edit'),
    last_failure: orNull(text('The failure as a record'), 'nothing failed'),
    outputs: text('The folder with the answers and records'),
  }),
  next_actions: texts('Lines to type, or one sentence each, the best first'),
  notes: texts('What else is worth knowing'),
});

/** As `answerWithoutRun` makes it. */
const notRun = record<{
  schema: number;
  task_id: string | null;
  state: string;
  exit_code: number;
  message: string;
  next_actions: string[];
}>('The answer where nothing was run', {
  schema: version,
  task_id: orNull(text('The task'), 'none was named'),
  state: one('Refused; or the outcome of a run that had the task, which was waited for', ['refused', 'awaited']),
  exit_code: count('The exit code of tollgate run'),
  message: text('Why, in one sentence'),
  next_actions: texts('Lines to type'),
});

export const REPORT: Schema = { description: 'What tollgate run --json prints', anyOf: [ran, notRun] };
