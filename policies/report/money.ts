// Gives next actions for the service's quotas and for the task's own budget.

import { goOnLine, toDo, toType } from '../facts/next-action.ts';
import { KEY_ACTIONS } from './keys.ts';
import { goOn, isOwnCall, later, raiseBudget, rerun, type Situation, thenRerun, type WayOut } from './situation.ts';

const awaited: WayOut = (situation) =>
  situation.verdict.retry_at === null || situation.again !== undefined || isOwnCall(situation)
    ? []
    : [
        toType(
          'or let the run wait for that time, at most 24 hours, and ask then',
          goOnLine(situation.called, '--wait-for-reset 24h'),
          'pays',
        ),
      ];

const otherTool = (situation: Situation): string =>
  isOwnCall(situation)
    ? `or call another CLI than ${situation.tool}`
    : `or give the stage another tool than ${situation.tool} (\`tool\`, or \`fallback\`)`;

const resets: WayOut = (situation) => {
  const { verdict, tool } = situation;
  const again =
    verdict.retry_at === null
      ? rerun(situation, `once the limit of ${tool} is reset (it did not say when), ask ${tool} again`)
      : later(situation);
  return [again, ...awaited(situation), toDo(`${otherTool(situation)}, or raise the plan`)];
};

/** Waiting does not reset these. */
const paidFor: WayOut = (situation) => [
  toDo(`pay or top up at the provider of ${situation.tool}; no waiting mends it`),
  thenRerun(situation),
  toDo(otherTool(situation)),
];

export const MONEY_ACTIONS = {
  plan: resets,
  period: resets,
  long_reset: resets,
  balance: paidFor,
  billing: paidFor,
  // A batch also pauses for a refused key.
  paused: (situation) =>
    situation.verdict.class === 'auth'
      ? KEY_ACTIONS.bad_credentials(situation)
      : [later(situation), ...awaited(situation), toDo(`${otherTool(situation)}, or raise the plan`)],
  own_limit: (situation) => [
    situation.verdict.retry_at === null
      ? rerun(situation, `once the calls that are made end, ask ${situation.tool} again`)
      : later(situation),
    ...awaited(situation),
    toType('look at all limits, and how much of each is used', `${situation.called.launcher} budget`),
    toDo(otherTool(situation)),
  ],
  held: (situation) => [
    later(situation),
    ...awaited(situation),
    toType('look at what is held, and since when', `${situation.called.launcher} budget`),
    goOn(situation, 'or ask all the same', situation.called, '--ignore-hold'),
    toDo(otherTool(situation)),
  ],
  budget: (situation) => [
    toDo('ask the user whether this task may pay for more calls: all that it was allowed are used'),
    raiseBudget(situation),
    rerun(situation, 'then go on'),
  ],
} as const satisfies Record<string, WayOut>;
