// Defines the flags of a run and their options: each row is shown in the help, parsed, and passed on to its use.

/** `without` and `given`: the option's values without and with the flag. Of two rows for an option, the last wins. */
interface RunFlag {
  option: string;
  takes: 'nothing' | 'texts' | 'text' | 'choice';
  about: string;
  without?: string | boolean;
  given?: string | boolean;
  /** For a text: parsed as a duration in milliseconds; 0 if it is not given. */
  reads?: 'duration';
  choices?: readonly string[];
  default?: string;
}

/** By the name of the flag. */
export const RUN_FLAGS = {
  'no-wait': {
    option: 'whenTaken',
    without: 'wait',
    given: 'refuse',
    takes: 'nothing',
    about: 'fail at once, instead of waiting, while another run has the task',
  },
  force: {
    option: 'whenTaken',
    without: 'wait',
    given: 'force',
    takes: 'nothing',
    about: 'take over the task, and its open calls, from a run on a host or in a container that no longer exists',
  },
  redo: {
    option: 'redo',
    takes: 'texts',
    about: 'run this stage again although it is done (repeatable; all: every stage that no --keep names)',
  },
  recheck: {
    option: 'finished',
    without: 'trusted',
    given: 'rechecked',
    takes: 'nothing',
    about:
      'pay for nothing: check the existing answers again, and run the acceptance commands on the tree as it is now',
  },
  keep: {
    option: 'keep',
    takes: 'texts',
    about: 'keep the paid answer of this stage although its prompt has changed since (repeatable)',
  },
  // For stages whose prompt has changed, and which neither of the two flags above names.
  'redo-all': {
    option: 'changed',
    without: 'refuse',
    given: 'redo',
    takes: 'nothing',
    about: 'run every stage whose prompt has changed again, except those that --keep names',
  },
  'keep-all': {
    option: 'changed',
    without: 'refuse',
    given: 'keep',
    takes: 'nothing',
    about: 'keep the answer of every stage whose prompt has changed, except those that --redo names',
  },
  'accept-changes': {
    option: 'otherChanges',
    without: 'refused',
    given: 'accepted',
    takes: 'nothing',
    about: 'continue although the manifest or the inputs changed while the agent of another task ran; check them first',
  },
  'retry-dirty': {
    option: 'dirtyRetries',
    without: 'never',
    given: 'allowed',
    takes: 'nothing',
    about:
      'start again in a new session although an attempt ran tools or changed the tree, and its session cannot be resumed',
  },
  'wait-for-reset': {
    option: 'waitForResetMs',
    takes: 'text',
    reads: 'duration',
    about: 'wait for the reset of a usage limit, if it takes no longer than this (30m, 5h, 2d)',
  },
  'fail-on-verdict': {
    option: 'badVerdicts',
    without: 'reported',
    given: 'fail',
    takes: 'nothing',
    about: 'exit 1 if the verdict of a stage is FAIL, or a required verdict is missing, although every stage is done',
  },
  restore: {
    option: 'outOfScope',
    without: 'reported',
    given: 'restored',
    takes: 'nothing',
    about: 'restore what a stage changed out of scope; the files of the attempt keep the changed version',
  },
  commit: {
    option: 'commit',
    without: 'none',
    given: 'made',
    takes: 'nothing',
    about:
      'when every stage is done: commit what the stages changed in scope, without what was uncommitted before; exit 1 if this is impossible',
  },
  'when-open': {
    option: 'whenOpen',
    takes: 'choice',
    choices: ['wait', 'fresh'],
    default: 'wait',
    about:
      'while the session is open in its CLI: wait until it is closed (at most max_wallclock_sec), or continue in a fresh session',
  },
  'no-repair': {
    option: 'repair',
    without: 'allowed',
    given: 'off',
    takes: 'nothing',
    about: 'do not repair a conversation that the service refuses; without this flag it is repaired once',
  },
  'trust-brief': {
    option: 'briefCommands',
    without: 'proposed',
    given: 'trusted',
    takes: 'nothing',
    about: 'let the gate run the verification commands that a brief proposes',
  },
  'keep-raw': {
    option: 'keepRaw',
    without: false,
    given: true,
    takes: 'nothing',
    about: 'keep the unredacted output of the CLIs in state/attempts; otherwise it is removed once it is published',
  },
  'record-requests': {
    option: 'recordRequests',
    without: false,
    given: true,
    takes: 'nothing',
    about:
      'relay the requests of the CLIs over the loopback, so that the log of API failures holds the failed one, without keys',
  },
  'ignore-hold': {
    option: 'ignoreHold',
    without: false,
    given: true,
    takes: 'nothing',
    about: 'call although another call found that the service refuses this tool, account and model for now',
  },
  'trust-workspace': {
    option: 'trustWorkspace',
    without: false,
    given: true,
    takes: 'nothing',
    about: 'let the CLIs use the hooks and servers of the folder',
  },
} as const satisfies Record<string, RunFlag>;

type Row = (typeof RUN_FLAGS)[keyof typeof RUN_FLAGS];

type Chosen<R> = R extends { without: infer Without; given: infer Given }
  ? Without | Given
  : R extends { choices: readonly (infer Choice)[] }
    ? Choice
    : R extends { reads: 'duration' }
      ? number
      : readonly string[];

/** The user's choices for a run, from its flags; passed on unchanged. */
export type RunOptions = { [R in Row as R['option']]: Chosen<R> };

/** The options of a run without any flags. */
export const plainOptions = (): RunOptions =>
  Object.fromEntries(Object.values(RUN_FLAGS).map((row) => [row.option, plain(row)])) as RunOptions;

function plain(row: RunFlag): unknown {
  if (row.reads === 'duration') return 0;
  return row.takes === 'texts' ? [] : (row.without ?? row.default);
}
