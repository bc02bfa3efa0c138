// The flags that a run has, alone or in a batch, and the options that they stand for.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pauseFor } from '../../loops/stage/pauses.ts';
import type { RunContext } from '../../loops/task/run-context.ts';
import type { RunOptions } from '../../loops/task/run-options.ts';
import { wholeDuration } from '../../policies/time/duration.ts';
import type { Arguments, FlagRow } from '../command-line.ts';
import { refusalWithin } from './within-call.ts';

export const RUN_FLAGS = {
  'no-wait': { takes: 'nothing', about: 'refuse, instead of waiting, while another run has the task' },
  force: {
    takes: 'nothing',
    about: 'take the task, and its open calls, from a run on another host or in another container that is gone',
  },
  redo: { takes: 'texts', about: 'run this stage again though it is done (repeatable)' },
  keep: {
    takes: 'texts',
    about: 'keep the answer that was paid for this stage though its prompt has changed since (repeatable)',
  },
  'redo-all': {
    takes: 'nothing',
    about: 'run every stage again whose prompt has changed since it was answered, save those that --keep names',
  },
  'keep-all': {
    takes: 'nothing',
    about: 'keep the answer of every stage whose prompt has changed since, save those that --redo names',
  },
  'accept-changes': {
    takes: 'nothing',
    about:
      'go on with a task whose manifest or inputs were changed while the agent of another task ran: look at them first',
  },
  'retry-dirty': {
    takes: 'nothing',
    about: 'begin anew even where an attempt ran tools or changed the tree, and its session cannot be gone on with',
  },
  'wait-for-reset': {
    takes: 'text',
    about: 'wait for the reset of a usage limit, if it is no further than this (30m, 5h, 2d)',
  },
  'fail-on-verdict': {
    takes: 'nothing',
    about: 'exit 1 when the verdict of a stage is FAIL, or one that it owes is missing, though every stage is done',
  },
  restore: {
    takes: 'nothing',
    about: 'put back what a stage changed out of scope; what stood there is kept beside the attempt',
  },
  'when-open': {
    takes: 'choice',
    choices: ['wait', 'fresh'],
    default: 'wait',
    about:
      'while a person has the session open in its CLI: wait until it is closed (no longer than max_wallclock_sec), or go on with its work in a fresh one',
  },
  'no-repair': {
    takes: 'nothing',
    about: 'leave a conversation as it is that the service refuses, instead of mending it once',
  },
  'trust-brief': { takes: 'nothing', about: 'let the gate run the verification commands that a brief proposes' },
  'keep-raw': {
    takes: 'nothing',
    about: 'keep what the CLIs wrote as it came, secrets and all, in state/attempts; else it goes once it is published',
  },
  'record-requests': {
    takes: 'nothing',
    about:
      "pass the CLIs' requests through a relay on the loopback, so that the log of API failures has the one that failed as it was sent, without keys",
  },
  'trust-workspace': { takes: 'nothing', about: 'let the CLIs use the hooks and servers that the folder configures' },
} as const satisfies Record<string, FlagRow>;

/** What they choose, or what is wrong with it. */
export function optionsOf({ text, texts, given }: Arguments): RunOptions | string {
  const wait = text['wait-for-reset'];
  const waitForResetMs = wait === undefined ? 0 : wholeDuration(wait);
  if (given.has('redo-all') && given.has('keep-all'))
    return '--redo-all and --keep-all contradict each other; say one of them, and --keep STAGE or --redo STAGE for the others';
  if (waitForResetMs === null) return `--wait-for-reset takes a duration such as 30m, 5h or 2d, not "${wait}"`;
  const within = given.has('accept-changes') ? refusalWithin(process.env, 'accept what was changed') : null;
  if (within !== null) return within;
  return {
    whenTaken: given.has('force') ? 'force' : given.has('no-wait') ? 'refuse' : 'wait',
    redo: texts.redo ?? [],
    keep: texts.keep ?? [],
    changed: given.has('redo-all') ? 'redo' : given.has('keep-all') ? 'keep' : 'refuse',
    otherChanges: given.has('accept-changes') ? 'accepted' : 'refused',
    dirtyRetries: given.has('retry-dirty') ? 'allowed' : 'never',
    trustWorkspace: given.has('trust-workspace'),
    keepRaw: given.has('keep-raw'),
    recordRequests: given.has('record-requests'),
    outOfScope: given.has('restore') ? 'restored' : 'reported',
    briefCommands: given.has('trust-brief') ? 'trusted' : 'proposed',
    badVerdicts: given.has('fail-on-verdict') ? 'fail' : 'reported',
    waitForResetMs,
    whenOpen: text['when-open'] === 'fresh' ? 'fresh' : 'wait',
    repair: given.has('no-repair') ? 'off' : 'allowed',
  };
}

/** Where a run is begun by a person, who is told as `telling` says. */
export const contextOf = (stop: AbortSignal, telling: Pick<RunContext, 'say' | 'watch'> = SILENT): RunContext => ({
  cwd: process.cwd(),
  environment: process.env,
  // Beside this very file, however the command was found: npm puts a link to it elsewhere.
  commandFolder: path.dirname(fileURLToPath(import.meta.url)),
  stop,
  clock: () => new Date(),
  random: Math.random,
  pause: pauseFor,
  ...telling,
});

const SILENT = { say: () => {}, watch: () => {} };

/** As they were given. */
export function flagsOf({ text, texts, given }: Arguments): string[] {
  return Object.keys(RUN_FLAGS).flatMap((name) => {
    if (!given.has(name)) return [];
    const values = texts[name] ?? (text[name] === undefined ? [] : [text[name]]);
    return values.length === 0 ? [`--${name}`] : values.map((value) => `--${name}=${value}`);
  });
}
