// Gives next actions for temporary failures: when to run again, and which of our own limits was reached.

import { type CalledAs, goOnLine, type NextAction, toDo, toType } from '../facts/next-action.ts';
import { change, isOwnCall, later, preflight, rerun, thenRerun, type WayOut } from './situation.ts';

const waits: WayOut = (situation) => [later(situation)];

/** The same incomplete answer twice is rarely chance. */
const shorter: WayOut = (situation) => [
  later(situation),
  toDo(
    'if it fails the same way again, request less at once (a smaller task, a shorter answer), or set another model for the stage',
  ),
];

export const callElsewhere = (called: CalledAs): NextAction[] => [
  toType('wait for that call, and use its answer', goOnLine(called)),
  toType('if that machine or container no longer exists, call again', goOnLine(called, '--force'), 'pays'),
];

export const TEMPORARY_ACTIONS = {
  network: (situation) => [preflight(situation), later(situation)],
  overloaded: (situation) => [
    later(situation),
    toDo(`or use another model or CLI than ${situation.tool} for the stage`),
  ],
  rate_limit: waits,
  server_error: waits,
  conflict: waits,
  inner_retry: waits,
  timeout: (situation) => {
    if (situation.ending !== 'timed_out') return [later(situation)];
    const isOfTask = situation.verdict.evidence?.limit?.name === 'rest_of_task_time';
    return [
      isOfTask
        ? toDo('if the work needs longer, raise `budgets.max_wallclock_sec` in the manifest')
        : change(situation, 'timeout_ms', 'if the work needs longer, raise', 'if the work needs longer, set'),
      rerun(situation),
    ];
  },
  idle: (situation) => [
    change(situation, 'idle_timeout_ms', 'if the CLI may be silent for longer, raise', 'set'),
    rerun(situation),
  ],
  silent_start: (situation) => {
    const field = situation.verdict.evidence?.limit?.name === 'idle_timeout' ? 'idle_timeout_ms' : 'start_timeout_ms';
    return [
      preflight(situation),
      change(situation, field, 'if the CLI is only slow to start, raise', 'if the CLI is only slow to start, set'),
      rerun(situation),
    ];
  },
  cut_answer: shorter,
  empty_answer: shorter,
  malformed_call: shorter,
  garbled_response: waits,
  loop: (situation) => [
    toDo('make the request more precise, or set another model for the stage'),
    thenRerun(situation),
  ],
  killed: (situation) => [
    toDo(
      'free memory, or run fewer calls at once (--concurrency): SIGKILL mostly comes from a system that is out of memory',
    ),
    thenRerun(situation),
  ],
  interrupted: (situation) => [rerun(situation, `call ${situation.tool} again: the call was ended from outside`)],
  cancelled: (situation) => {
    const { retry_at } = situation.verdict;
    return [
      rerun(
        situation,
        `${retry_at === null ? '' : `not before ${retry_at}, `}${isOwnCall(situation) ? `call ${situation.tool} again` : 'continue from where it stopped'}`,
      ),
    ];
  },
  call_elsewhere: ({ called }) => callElsewhere(called),
} as const satisfies Record<string, WayOut>;
