// tollgate init: writes a task's folder to fill in.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultBranch } from '../../loops/git/default-branch.ts';
import { type Ignoring, ignoreState } from '../../loops/git/gitignore.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { isReview } from '../../policies/manifest/manifest-template.ts';
import { PIPELINES } from '../../policies/manifest/pipelines.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { writeNewTask } from '../../state/new-task.ts';
import { readProject } from '../../state/project/project.ts';
import { locateTask, projectRoot } from '../../state/task-folder.ts';
import { readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { refusalWithin } from './within-call.ts';

const SPEC: CommandSpec = {
  name: 'tollgate init',
  usage: 'ID|DIR [options]',
  about:
    'Writes the folder of a new task: a manifest with every field explained, and the inputs to fill in; with a pipeline that only reviews, the changes since the default branch as what is reviewed. Has git ignore .tmp/, where tasks and the output of the CLIs lie.',
  flags: {
    pipeline: { takes: 'text', about: `stages by a name: ${Object.keys(PIPELINES).join(', ')}, or one of the project` },
    supervise: { takes: 'nothing', about: 'in place of stages a worker that is told each step by a reasoner' },
    goal: { takes: 'text', about: 'what is to be achieved, in a sentence or two' },
    'no-gitignore': { takes: 'nothing', about: 'leave .gitignore as it is' },
  },
  words: { min: 1, max: 1, called: 'the task (an id, or a path with a /)' },
  examples: [
    ['tollgate init fix-login', 'the task .tmp/task/fix-login of this project'],
    ['tollgate init fix-login --supervise', 'a worker, and a reasoner that says each step'],
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
  if (located.how === 'invalid') return invalid(located.message);
  const { folder } = located;
  const mistake = text.pipeline === undefined ? null : await pipelineMistake(text.pipeline, folder.root);
  if (mistake !== null) return invalid(mistake);
  const supervised = given.has('supervise');
  if (supervised && text.pipeline !== undefined)
    return invalid('--supervise and --pipeline contradict each other; say one of them');
  const pipeline = text.pipeline ?? null;
  const base = isReview(pipeline) ? await defaultBranch(projectRoot(process.cwd())) : null;
  const written = writeNewTask(folder, { goal: text.goal ?? null, pipeline, base, supervised }, schemaFile());
  if (written.how === 'invalid') return invalid(written.message);
  const { files } = written;
  const ignoring = given.has('no-gitignore') ? null : await ignored();
  const err = ignoring?.how === 'refused' ? { err: `tollgate init: ${ignoring.message}\n` } : {};
  if (given.has('json')) {
    const object = { schema: 1, task_id: folder.id, folder: folder.root, files, gitignore: ignoring?.how ?? null };
    return { exit: 0, out: `${JSON.stringify(object)}\n`, ...err };
  }
  const shown = (file: string) => path.relative(process.cwd(), file) || '.';
  const next = [
    `\${EDITOR:-vi} ${files.map(shown).join(' ')}`,
    `tollgate ${supervised ? 'supervise' : 'run'} ${words[0]}`,
  ];
  const lines = [
    ...(ignoring?.how === 'added' ? [`Added .tmp/ to ${shown(ignoring.file)}.`] : []),
    `Wrote the task ${folder.id} in ${shown(folder.root)}. Next:`,
    ...next.map((line) => `  ${line}`),
  ];
  return { exit: 0, out: `${lines.join('\n')}\n`, ...err };
}

/** null where it is not ours to say: the state lies elsewhere, or an agent asks, whose changes to the tree are judged. */
async function ignored(): Promise<Ignoring | null> {
  if (process.env.TOLLGATE_STATE || refusalWithin(process.env, 'change .gitignore') !== null) return null;
  return ignoreState(projectRoot(process.cwd()));
}

async function pipelineMistake(name: string, folder: string): Promise<string | null> {
  const project = await readProject(projectRoot(process.env.TOLLGATE_STATE ? process.cwd() : folder));
  if (project.how === 'invalid') return project.message;
  const known = Object.keys({ ...PIPELINES, ...project.value.pipelines });
  if (known.includes(name)) return null;
  const near = nearest(name, known);
  return `there is no pipeline "${name}"; ${near === null ? `the pipelines are ${known.join(', ')}` : `did you mean ${near}?`}`;
}

/** In the package that this command is of. */
const schemaFile = (): string =>
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../docs/schemas/TASK_SCHEMA.json');

const invalid = badInputOf('tollgate init');
