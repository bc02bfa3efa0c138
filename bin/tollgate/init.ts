// tollgate init: writes a task's folder to fill in.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { writeNewTask } from '../../state/new-task.ts';
import { locateTask } from '../../state/task-folder.ts';
import { type Ran, readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';

/** The built-in pipelines, by name. */
const PIPELINES = ['safe_impl', 'one_shot_impl', 'design_only', 'review_only', 'review_cross', 'post_impl_review'];

const SPEC: CommandSpec = {
  name: 'tollgate init',
  usage: 'ID|DIR [options]',
  about: 'Writes the folder of a new task: a manifest with every field explained, and the inputs to fill in.',
  flags: {
    pipeline: { takes: 'choice', choices: PIPELINES, about: 'stages by a name, in place of stages of its own' },
    goal: { takes: 'text', about: 'what is to be achieved, in a sentence or two' },
  },
  words: { min: 1, max: 1, called: 'the task (an id, or a path with a /)' },
  examples: [
    ['tollgate init fix-login', 'the task .tmp/task/fix-login of this project'],
    ['tollgate init ./tasks/fix-login --pipeline safe_impl --goal "Mend the login."', 'a folder of your own'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'written'],
    [TOLLGATE_EXIT.badInput, 'usage, a task that is there already, or a folder that cannot be written'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const located = locateTask(words[0]!, process.cwd(), process.env);
  if (located.how === 'mistaken') return mistaken(located.message);
  const { folder } = located;
  const written = writeNewTask(folder, { goal: text.goal ?? null, pipeline: text.pipeline ?? null }, schemaFile());
  if (written.how === 'mistaken') return mistaken(written.message);
  const { files } = written;
  if (given.has('json'))
    return { exit: 0, out: `${JSON.stringify({ schema: 1, task_id: folder.id, folder: folder.root, files })}\n` };
  if (given.has('quiet')) return { exit: 0 };
  const shown = (file: string) => path.relative(process.cwd(), file) || '.';
  const next = [`\${EDITOR:-vi} ${files.map(shown).join(' ')}`, `tollgate run ${words[0]}`];
  return {
    exit: 0,
    out: `${[`Wrote the task ${folder.id} in ${shown(folder.root)}. Next:`, ...next.map((line) => `  ${line}`)].join('\n')}\n`,
  };
}

/** In the package that this command is of. */
const schemaFile = (): string =>
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../docs/schemas/TASK_SCHEMA.json');

const mistaken = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate init: ${message}\n` });
