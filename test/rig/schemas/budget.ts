// Defines the schema of what `tollgate budget` prints with --json.

import type { BudgetObject } from '../../../bin/tollgate/budget.ts';
import type { TaskUsage, UsedSoFar } from '../../../state/usage.ts';
import { amount, count, map, orNull, record, text, version } from './parts.ts';

const NONE_TOLD = 'no call reported it';

const used = record<UsedSoFar>('Tokens and cost of the calls of the task, or of one of its stages', {
  calls: count('Number of paid calls'),
  unknown_calls: count('Number of calls with unknown token counts, which the sums of tokens do not include'),
  input_tokens: orNull(count('Number of input tokens, including those from a cache'), NONE_TOLD),
  cached_tokens: orNull(count('Number of input tokens that came from a cache'), NONE_TOLD),
  output_tokens: orNull(count('Number of output tokens'), NONE_TOLD),
  total_tokens: orNull(count('Number of all tokens'), NONE_TOLD),
  usd: orNull(
    amount('Cost in US dollars, as the CLI reported it or by the prices of tollgate.yaml'),
    'no price is known',
  ),
  unpriced_calls: count('Number of calls with an unknown price, which `usd` does not include'),
});

export const BUDGET = record<BudgetObject>('Output of tollgate budget TASK --json', {
  schema: version,
  task_id: text('Id of the task'),
  used: count('Number of paid calls since the last reset of the count'),
  total: count('Maximum number of paid calls of the task'),
  left: count('Number of paid calls that remain'),
  calls_by_stage: map(
    'Number of paid calls over the whole life of the task, by stage',
    count('Number of paid calls of this stage'),
  ),
  usage: record<TaskUsage>('Tokens and cost of all calls over the whole life of the task', {
    all: used,
    stages: map('Tokens and cost of the calls, by stage', used),
  }),
});
