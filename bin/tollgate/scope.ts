// Implements tollgate scope ask: reports to an agent what it may change, before it edits.

import { askTask } from '../../loops/stage/scope-question.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { namesOf } from '../../wrappers/processes/passed-variables.ts';
import { readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { columns } from '../wrap.ts';

const SPEC: CommandSpec = {
  name: 'tollgate scope',
  usage: 'ask PATH… [--task TASK]',
  about: 'Shows for each path whether the task may change it, and which part of the manifest decides that.',
  flags: {
    task: {
      takes: 'text',
      about: 'the task (an id, or a path with a /); not needed for an agent that Tollgate called',
    },
  },
  words: { min: 1, max: Number.MAX_SAFE_INTEGER, called: 'ask PATH…' },
  examples: [
    ['tollgate scope ask src/login.ts', 'as an agent, before it edits'],
    ['tollgate scope ask src/*.ts --task fix-login --json', 'one object on stdout'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'all of them may be changed'],
    [TOLLGATE_EXIT.failure, 'at least one may not'],
    [TOLLGATE_EXIT.badInput, 'usage, or no such task'],
  ],
};

/** The environment variable that names the task of a call. */
const TASK = 'TOLLGATE_TASK';

export async function run(argv: readonly string[]): Promise<Ran> {
  const { env } = process;
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, words, given } = read.args;
  const [verb, ...paths] = words;
  if (verb !== 'ask') return invalid(hintFor(verb!, paths));
  if (paths.length === 0) return invalid('ask takes at least one PATH: tollgate scope ask src/login.ts');
  const task =
    text.task ??
    namesOf(TASK)
      .map((name) => env[name])
      .find(Boolean);
  if (task === undefined) return invalid(`--task is required where ${TASK} does not name the task`);
  const reply = await askTask(task, paths, process.cwd(), env);
  if (reply.how === 'invalid') return invalid(reply.message);
  const { taskId, answers } = reply;
  const exit = answers.every(({ allowed }) => allowed) ? TOLLGATE_EXIT.ok : TOLLGATE_EXIT.failure;
  if (given.has('json')) return { exit, out: `${JSON.stringify({ task_id: taskId, paths: answers })}\n` };
  return {
    exit,
    out: `${columns(answers.map(({ path, allowed, why }) => [allowed ? 'yes' : 'no ', path, why])).join('\n')}\n`,
  };
}

const hintFor = (verb: string, paths: readonly string[]): string =>
  nearest(verb, ['ask']) === null
    ? `the word "ask" is missing: tollgate scope ask ${[verb, ...paths].join(' ')}`
    : `unknown word "${verb}"; did you mean ask?`;

const invalid = badInputOf('tollgate scope');
