// Defines how a call can end. Each call has one ending; the first cause wins.

export const ENDINGS = {
  exited: 'the CLI ended by itself',
  signalled: 'a signal that was not ours ended the CLI',
  timed_out: 'the wall deadline passed',
  idle: 'no byte of output for the idle limit',
  max_turns: 'the limit of turns was reached',
  overflowed: 'the output grew over its limit',
  retry_cut: 'the CLI announced a retry of its own, which would be paid again',
  requirement_unmet: 'the call lacked what it must have (a server, a permission, a sign-in), and was ended',
  lingered: 'the CLI reported its result but did not exit',
  cancelled: 'the wrapper was stopped',
  lost: 'no process saw how the CLI ended',
  not_started: 'the CLI was never started',
} as const;

export type Ending = keyof typeof ENDINGS;
