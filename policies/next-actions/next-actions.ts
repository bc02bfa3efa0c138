// What a person or an agent does next when a call has failed.

import type { ErrorClass } from '../facts/classes.ts';
import { inOrder, type NextAction, toDo, toType } from '../facts/next-action.ts';
import type { CallReason } from '../verdict/reasons.ts';
import { ASKED_ACTIONS } from './asked.ts';
import { KEY_ACTIONS } from './keys.ts';
import { MACHINE_ACTIONS } from './machine.ts';
import { MONEY_ACTIONS } from './money.ts';
import { PASSING_ACTIONS } from './passing.ts';
import { SERVER_ACTIONS } from './servers.ts';
import { SESSION_ACTIONS } from './sessions.ts';
import { later, preflight, raiseBudget, rerun, type Situation, thenRerun, type WayOut } from './situation.ts';

export type { Situation } from './situation.ts';

/** Never empty for a failure. */
export function nextActions(situation: Situation): NextAction[] {
  const { class: errorClass, reason } = situation.verdict;
  if (errorClass === null) return [];
  const wayOut = isKnown(reason) ? BY_REASON[reason](situation) : BY_CLASS[errorClass](situation);
  if (reason === 'budget') return wayOut;
  return situation.callsLeft === 0 ? [NO_CALLS, raiseBudget(situation), ...wayOut] : inOrder(wayOut);
}

/** Any line that asks again would be refused. */
const NO_CALLS = toDo(
  'ask the user whether this task may pay for more calls: none is left, and each line that asks again needs one',
);

const isKnown = (reason: string | null): reason is CallReason => reason !== null && Object.hasOwn(BY_REASON, reason);

/** What is told of an unknown failure is all that there is to go by. */
const unmatched: WayOut = (situation) => [
  ...(situation.stderrFile
    ? [toDo(`read ${situation.stderrFile}, the whole of what ${situation.tool} said on stderr`)]
    : []),
  ...(situation.eventsFile ? [toDo(`read ${situation.eventsFile}, the events of the call`)] : []),
  rerun(situation, `mend what the evidence names, if it names something, then ask ${situation.tool} again`),
  toType(
    'to have it classified next time, write a row for its words into tollgate.yaml; this says how',
    `${situation.called.launcher} triage --help`,
  ),
];

/** Of the reasons that only a project's own rows give. */
const BY_CLASS = {
  transient: (situation) => [later(situation)],
  prompt_too_large: ASKED_ACTIONS.over_limit,
  auth: KEY_ACTIONS.bad_credentials,
  quota: MONEY_ACTIONS.plan,
  tooling: (situation) => [preflight(situation), rerun(situation)],
  scope_violation: () => [toDo('review `scope.deny` in the manifest, and the changes named above')],
  contract_violation: (situation) => [
    toDo('fix the prompt, or split the task into smaller ones'),
    thenRerun(situation),
  ],
  unknown: unmatched,
} as const satisfies Record<ErrorClass, WayOut>;

const BY_REASON: Record<CallReason, WayOut> = {
  ...PASSING_ACTIONS,
  ...KEY_ACTIONS,
  ...MONEY_ACTIONS,
  ...ASKED_ACTIONS,
  ...SERVER_ACTIONS,
  ...SESSION_ACTIONS,
  ...MACHINE_ACTIONS,
  unmatched,
};
