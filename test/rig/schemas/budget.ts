// Defines the schema of what `tollgate budget` prints with --json.

import type { BudgetObject } from '../../../bin/tollgate/budget.ts';
import type { TaskUsage, UsedSoFar } from '../../../state/usage.ts';
import { amount, count, map, orNull, record, text, version } from './parts.ts';

const NONE_TOLD = 'no call reported it';

const used = record<UsedSoFar>('Sums over calls', {
  calls: count('Paid calls'),
  unknown_calls: count('Of them those whose tokens are not known: they come on top'),
  input_tokens: orNull(count('Tokens that were sent'), NONE_TOLD),
  cached_tokens: orNull(count('Of them those that were cached'), NONE_TOLD),
  output_tokens: orNull(count('Tokens that were answered'), NONE_TOLD),
  total_tokens: orNull(count('All tokens'), NONE_TOLD),
  usd: orNull(amount('Dollars, by the prices of tollgate.yaml'), 'no price is known'),
  unpriced_calls: count('Calls whose price is not known: they come on top'),
});

export const BUDGET = record<BudgetObject>('What tollgate budget --json prints', {
  schema: version,
  task_id: text('The task'),
  used: count('Paid calls so far, since the last reset'),
  total: count('Paid calls that are allowed in all'),
  left: count('Paid calls that remain'),
  calls_by_stage: map('Paid calls ever, by stage', count('Of this stage')),
  usage: record<TaskUsage>('What the calls of the whole life have used', {
    all: used,
    stages: map('By stage', used),
  }),
});
