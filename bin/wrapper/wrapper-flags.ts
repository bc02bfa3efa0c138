// Defines the flags of the wrapper commands: the shared ones, and those in the adapter's row.

import { MAX_TIMEOUT_MS } from '../../policies/facts/deadline.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { exitCodesOf } from '../../wrappers/adapter.ts';
import type { OwnValues } from '../../wrappers/own-flags.ts';
import type { Arguments, CommandSpec, FlagRow } from '../command-line.ts';

const GIB = 1024 ** 3;

export const WRAPPER_FLAGS = {
  'prompt-file': {
    takes: 'text',
    short: 'f',
    about: 'the file of the prompt, instead of PROMPT; without both, the prompt comes from stdin',
  },
  out: {
    takes: 'text',
    about: 'the file for the answer alone, with the event stream beside it as .raw (default: stdout)',
  },
  err: { takes: 'text', about: "the file for the CLI's stderr, with secrets redacted" },
  'no-files': {
    takes: 'nothing',
    about: 'keep no files in .tmp/calls/<id>/, the folder for files that no flag names',
  },
  model: { takes: 'text', about: 'the model' },
  account: { takes: 'text', about: 'the login to use: an account of your settings (tollgate accounts)' },
  'idle-timeout-ms': {
    takes: 'number',
    min: 1,
    max: MAX_TIMEOUT_MS,
    about: 'end the call after this time without output',
  },
  'start-timeout-ms': {
    takes: 'number',
    min: 0,
    max: MAX_TIMEOUT_MS,
    default: 120_000,
    about: 'end the call if it has written nothing this long after its start; 0: never',
  },
  'timeout-mode': {
    takes: 'choice',
    choices: ['enforce', 'wait_done'],
    default: 'enforce',
    about: 'wait_done: the deadline only causes a warning; the call is ended after twice the time',
  },
  session: {
    takes: 'text',
    about: 'resume the session of this name, or begin it; calls that share it wait for each other',
  },
  last: { takes: 'nothing', about: 'resume the session of the previous call, as .tmp/calls/ holds it' },
  'resume-session': { takes: 'text', about: 'resume the session of this id' },
  'session-id-out': { takes: 'text', about: 'the file for the session id' },
  'done-marker': { takes: 'text', about: 'the file that is written last, with exit code, class and reason' },
  'pid-file': { takes: 'text', about: 'the file for the pid of this wrapper' },
  result: { takes: 'text', about: 'the file for the call record (JSON)' },
  task: { takes: 'text', about: 'charge the budget of this task (a folder, or an id of this project)' },
  'new-task': {
    takes: 'nothing',
    about: '--task may name a task that does not exist yet; it may pay 10 calls',
  },
  stage: { takes: 'text', about: 'the stage that is charged; default: <tool>_adhoc' },
  cwd: { takes: 'text', about: 'where the CLI runs; default: this folder' },
  access: {
    takes: 'choice',
    choices: ['read', 'write', 'full'],
    default: 'read',
    about: 'what the agent may do: read, change the working folder, or anything',
  },
  'max-turns': { takes: 'number', min: 1, about: 'end the call when it makes more model requests' },
  'max-tokens': {
    takes: 'number',
    min: 1,
    about: 'end the call before its next model request once it has used this many tokens',
  },
  'max-usd': {
    takes: 'text',
    about:
      'the same in US dollars; needs the price of the model (`prices` in tollgate.yaml), unless the CLI keeps such a cap itself',
  },
  'max-output-bytes': { takes: 'number', min: 1, default: GIB, about: 'end the call when its output is larger' },
  'inner-retries': {
    takes: 'choice',
    choices: ['cut', 'allow'],
    default: 'cut',
    about: "cut: end the call at the CLI's own retry, which would be paid; allow: let it retry",
  },
  'keep-raw': {
    takes: 'nothing',
    about: 'keep the unredacted output of the CLI in a private folder; otherwise it is removed once it is published',
  },
  'record-requests': {
    takes: 'nothing',
    about:
      'relay the requests of the CLI over the loopback, so that the log of API failures holds the failed one, without keys',
  },
  'ignore-hold': {
    takes: 'nothing',
    about: 'call although another call found that the service refuses this tool, account and model for now',
  },
  'require-mcp': {
    takes: 'texts',
    about:
      'fail (tooling, mcp_server) unless this MCP server works, before the first request if the CLI allows it; all: every server (repeatable)',
  },
  'json-schema': {
    takes: 'text',
    about:
      'a JSON Schema as a file or as JSON: the answer is JSON that fits it, else the call fails (contract_violation)',
  },
  'fail-on-denied': {
    takes: 'nothing',
    about: 'fail (contract_violation, tool_denied) when a tool of the agent is denied, instead of a warning',
  },
  'trust-workspace': { takes: 'nothing', about: 'let the CLI use the hooks and servers of this folder' },
  'exit-by-class': { takes: 'nothing', about: 'exit with 75 quota, 76 budget, 77 auth, 65 gate, 66 prompt too large' },
} as const satisfies Record<string, FlagRow>;

/** The most used ones. */
export const COMMON_FLAGS: readonly string[] = [
  'prompt-file',
  'out',
  'model',
  'session',
  'access',
  'timeout-ms',
  'task',
  'trust-workspace',
];

/** Returns the given flags that only this CLI has. */
export const ownGiven = ({ own }: Adapter, { text, texts, given }: Arguments): OwnValues =>
  Object.fromEntries(
    Object.keys(own)
      .filter((name) => given.has(name))
      .map((name) => [name, texts[name] ?? text[name] ?? true]),
  );

export function wrapperSpec(adapter: Adapter): CommandSpec {
  const codes = exitCodesOf(adapter);
  const { command } = adapter;
  return {
    name: command,
    usage: '[PROMPT] [-f FILE] [--out FILE] [--err FILE] [options]',
    about: `Runs ${adapter.binary} once, headless, with a fixed exit code, a true verdict, and no remaining process.`,
    flags: {
      ...WRAPPER_FLAGS,
      'timeout-ms': {
        takes: 'number',
        min: 1,
        max: MAX_TIMEOUT_MS,
        default: adapter.defaultTimeoutMs,
        about: 'end the call after this time (at most 12 days)',
      },
      ...adapter.own,
    },
    common: COMMON_FLAGS,
    words: { min: 0, max: 1, called: 'PROMPT' },
    examples: [
      [`${command} "what is this repository"`, 'the answer on stdout'],
      [`${command} -f ask.md --out answer.md --err log.txt`, 'the same with files'],
      [
        `${command} --prompt-file ask.md --out a.out --err a.err --result a.json --task fix-login`,
        "charge a task's budget",
      ],
    ],
    exits: [
      [codes.ok, "the CLI's terminal event reports success, and the answer is not empty"],
      [codes.timeout, 'timeout (wall, idle, or a silent start)'],
      [codes.failure, 'any other failure; the record names it'],
      [codes.missingBinary, `${adapter.binary} is not installed`],
      [codes.badInput, 'missing or bad input; nothing was paid'],
      ...(codes.refusedInput === null || codes.refusedInput === codes.badInput
        ? []
        : [[codes.refusedInput, `${adapter.binary} itself refused its input`] as const]),
      ['130, 143', 'stopped by INT, TERM; the record is written first'],
      [70, 'an internal error'],
    ],
  };
}
