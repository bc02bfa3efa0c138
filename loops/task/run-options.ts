// Defines the flags of a run and their options: each row is shown in the help, parsed, and passed on to its use.

type Value = string | boolean;

/** `without` and `given`: the option's values without and with the flag. Of two rows for an option, the last wins. */
interface RunFlag {
  option: string;
  takes: 'nothing' | 'texts' | 'text' | 'choice';
  about: string;
  without?: Value;
  given?: Value;
  /** For a text: parsed as a duration in milliseconds; 0 if it is not given. */
  reads?: 'duration';
  choices?: readonly string[];
  default?: string;
}

/** A flag without a value. @param without the option without the flag. @param given the option with it. */
const toggle = <const Option extends string, const Without extends Value, const Given extends Value>(
  option: Option,
  without: Without,
  given: Given,
) => ({ option, without, given, takes: 'nothing' }) as const;

/** By the name of the flag. */
export const RUN_FLAGS = {
  'no-wait': {
    ...toggle('whenTaken', 'wait', 'refuse'),
    about: 'fail at once, instead of waiting, while another run has the task',
  },
  force: {
    ...toggle('whenTaken', 'wait', 'force'),
    about:
      'take over the task, and its open calls, from a run on a host or in a container that no longer exists, or one that a fleet has',
  },
  redo: {
    option: 'redo',
    takes: 'texts',
    about: 'run this stage again although it is done (repeatable; all: every stage that no --keep names)',
  },
  recheck: {
    ...toggle('finished', 'trusted', 'rechecked'),
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
    ...toggle('changed', 'refuse', 'redo'),
    about: 'run every stage whose prompt has changed again, except those that --keep names',
  },
  'keep-all': {
    ...toggle('changed', 'refuse', 'keep'),
    about: 'keep the answer of every stage whose prompt has changed, except those that --redo names',
  },
  'accept-changes': {
    ...toggle('otherChanges', 'refused', 'accepted'),
    about: 'continue although the manifest or the inputs changed while the agent of another task ran; check them first',
  },
  'retry-dirty': {
    ...toggle('dirtyRetries', 'never', 'allowed'),
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
    ...toggle('badVerdicts', 'reported', 'fail'),
    about: 'exit 1 if the verdict of a stage is FAIL, or a required verdict is missing, although every stage is done',
  },
  restore: {
    ...toggle('outOfScope', 'reported', 'restored'),
    about: 'restore what a stage changed out of scope; the files of the attempt keep the changed version',
  },
  commit: {
    ...toggle('commit', 'none', 'made'),
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
    ...toggle('repair', 'allowed', 'off'),
    about: 'do not repair a conversation that the service refuses; without this flag it is repaired once',
  },
  'trust-brief': {
    ...toggle('briefCommands', 'proposed', 'trusted'),
    about: 'let the gate run the verification commands that a brief proposes',
  },
  'keep-raw': {
    ...toggle('keepRaw', false, true),
    about: 'keep the unredacted output of the CLIs in state/attempts; otherwise it is removed once it is published',
  },
  'record-requests': {
    ...toggle('recordRequests', false, true),
    about:
      'relay the requests of the CLIs over the loopback, so that the log of API failures holds the failed one, without keys',
  },
  'ignore-hold': {
    ...toggle('ignoreHold', false, true),
    about: 'call although another call found that the service refuses this tool, account and model for now',
  },
  'trust-workspace': {
    ...toggle('trustWorkspace', false, true),
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
