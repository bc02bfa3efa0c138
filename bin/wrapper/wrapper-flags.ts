// Defines the flags of the wrapper commands: the shared ones, and those in the adapter's row.

import { MAX_TIMEOUT_MS } from '../../policies/time/longest-timeout.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { exitCodesOf } from '../../wrappers/own/exit-codes.ts';
import type { OwnValues } from '../../wrappers/own-flags.ts';
import type { Arguments, CommandSpec, FlagRow } from '../command-line.ts';

const GIB = 1024 ** 3;

/** The flags of every wrapper. */
export const WRAPPER_FLAGS = {
  'prompt-file': {
    takes: 'text',
    short: 'f',
    about: 'the file of the prompt, in place of PROMPT; without both, the prompt is read from stdin',
  },
  out: {
    takes: 'text',
    about: 'where the answer alone goes; the event stream goes beside it as .raw (default: the answer goes to stdout)',
  },
  err: { takes: 'text', about: "where the CLI's stderr goes, secrets redacted" },
  'no-files': {
    takes: 'nothing',
    about: 'keep no files in .tmp/calls/<id>/, where the files go that no flag names',
  },
  model: { takes: 'text', about: 'the model' },
  'idle-timeout-ms': {
    takes: 'number',
    min: 1,
    max: MAX_TIMEOUT_MS,
    about: 'end the call after so long without a byte of output',
  },
  'start-timeout-ms': {
    takes: 'number',
    min: 0,
    max: MAX_TIMEOUT_MS,
    default: 120_000,
    about: 'end the call if so long after its start it has not written a single byte; 0 is never',
  },
  'timeout-mode': {
    takes: 'choice',
    choices: ['enforce', 'wait_done'],
    default: 'enforce',
    about: 'wait_done only notes the deadline; twice its length kills',
  },
  'resume-session': { takes: 'text', about: 'go on in this session' },
  'session-id-out': { takes: 'text', about: "where the session's id goes" },
  'done-marker': { takes: 'text', about: 'a file that appears last of all, with exit code, class and reason' },
  'pid-file': { takes: 'text', about: "where this wrapper's pid goes" },
  result: { takes: 'text', about: 'where the call record (JSON) goes' },
  task: { takes: 'text', about: "charge this task's budget (a folder, or an id of this project)" },
  'new-task': {
    takes: 'nothing',
    about: 'let --task name a task that is not there yet: it may pay 10 calls',
  },
  stage: { takes: 'text', about: 'the stage that is charged; default: <tool>_adhoc' },
  cwd: { takes: 'text', about: 'where the CLI runs; default: this folder' },
  access: {
    takes: 'choice',
    choices: ['read', 'write', 'full'],
    default: 'read',
    about: 'what the agent may do: look, change the working folder, anything',
  },
  'max-turns': { takes: 'number', min: 1, about: 'end the call when it asks the model more often' },
  'max-output-bytes': { takes: 'number', min: 1, default: GIB, about: 'end the call when its output is larger' },
  'inner-retries': {
    takes: 'choice',
    choices: ['cut', 'allow'],
    default: 'cut',
    about: "cut the CLI's own retries, which would each be paid, or leave them alone",
  },
  'keep-raw': {
    takes: 'nothing',
    about:
      'keep what the CLI wrote as it came, secrets and all, in a private folder; else it goes once it is published',
  },
  'record-requests': {
    takes: 'nothing',
    about:
      "pass the CLI's requests through a relay on the loopback, so that the log of API failures has the one that failed as it was sent, without keys",
  },
  'ignore-hold': {
    takes: 'nothing',
    about: 'ask though another call learnt that the service refuses this tool, account and model until later',
  },
  'require-mcp': {
    takes: 'texts',
    about:
      'fail (tooling, mcp_server) unless this MCP server serves, before the first request where the CLI allows it; all: every one (repeatable)',
  },
  'fail-on-denied': {
    takes: 'nothing',
    about: 'fail (contract_violation, tool_denied) when a tool of the agent is denied, instead of a warning',
  },
  'trust-workspace': { takes: 'nothing', about: 'let the CLI use the hooks and servers that this folder configures' },
  'exit-by-class': { takes: 'nothing', about: 'exit with 75 quota, 76 budget, 77 auth, 65 gate, 66 prompt too large' },
} as const satisfies Record<string, FlagRow>;

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
        about: 'end the call after so long (12 days at the most)',
      },
      ...adapter.own,
    },
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
      [codes.ok, "the CLI's own terminal event says success, and the answer is not empty"],
      [codes.timeout, 'timeout (wall, idle, or a silent start)'],
      [codes.failure, 'any other failure; --result says which'],
      [codes.missingBinary, `${adapter.binary} is not installed`],
      [codes.badInput, 'missing or bad input; nothing was paid'],
      ...(codes.refusedInput === null || codes.refusedInput === codes.badInput
        ? []
        : [[codes.refusedInput, `${adapter.binary} itself refused its input`] as const]),
      ['130, 143', 'stopped by INT, TERM; the record is written first'],
      [70, 'a bug of ours'],
    ],
  };
}
