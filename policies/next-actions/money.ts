// Quotas of the service, and the task's own budget.

import { KEY_ACTIONS } from './keys.ts';
import { later, raiseBudget, rerun, type Situation, type WayOut } from './situation.ts';

const awaited: WayOut = ({ taskId, verdict: { retry_at } }) =>
  retry_at === null ? [] : [`or let it wait: tollgate run ${taskId} --wait-for-reset 24h (at most that long)`];

const otherTool = ({ tool }: Situation): string =>
  `or give the stage another tool than ${tool} (\`tool\`, or \`fallback\`)`;

const resets: WayOut = (situation) => {
  const { verdict, tool } = situation;
  const again =
    verdict.retry_at === null
      ? rerun(situation, `once the limit of ${tool} is reset; it did not say when`)
      : later(situation);
  return [again, ...awaited(situation), `${otherTool(situation)}, or raise the plan`];
};

/** No time resets these. */
const paidFor: WayOut = (situation) => [
  `pay or top up at the provider of ${situation.tool}; no waiting mends it`,
  rerun(situation),
  otherTool(situation),
];

export const MONEY_ACTIONS = {
  plan: resets,
  period: resets,
  long_reset: resets,
  balance: paidFor,
  billing: paidFor,
  // A batch pauses for a refused key too.
  paused: (situation) =>
    situation.verdict.class === 'auth'
      ? KEY_ACTIONS.bad_credentials(situation)
      : [later(situation), ...awaited(situation), `${otherTool(situation)}, or raise the plan`],
  own_limit: (situation) => [
    situation.verdict.retry_at === null ? rerun(situation, 'once the calls that are made end') : later(situation),
    ...awaited(situation),
    'or raise the limit: tollgate budget shows all of them, and where each stands',
    otherTool(situation),
  ],
  held: (situation) => [
    later(situation),
    ...awaited(situation),
    'or ask all the same: --ignore-hold (tollgate budget shows what is held, and since when)',
    otherTool(situation),
  ],
  budget: (situation) => [
    'ask the user whether this task may pay for more calls: all that it was allowed are used',
    raiseBudget(situation),
    `then: tollgate run ${situation.taskId}`,
  ],
} as const satisfies Record<string, WayOut>;
