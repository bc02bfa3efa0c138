// Implements tollgate init: writes a task's folder to fill in.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UNKNOWN_CALL } from '../../loops/attempt/restored-draft.ts';
import { startableCall } from '../../loops/call/check.ts';
import { launcherIn } from '../../loops/launcher.ts';
import { ignoreState } from '../../loops/tree/gitignore.ts';
import { defaultBranch } from '../../loops/tree/repository.ts';
import { EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { isReview, runsAcceptance } from '../../policies/manifest/new-task-files.ts';
import { PIPELINES } from '../../policies/manifest/pipelines.ts';
import type { Repository } from '../../policies/manifest/repository.ts';
import { nearest } from '../../policies/text/nearest.ts';
import { readRepository, writeNewTask } from '../../state/new-task.ts';
import { readProject } from '../../state/project/project.ts';
import { locateTask, projectRoot } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { findProgram } from '../../wrappers/find-binary.ts';
import { readArguments } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { printing } from '../printing.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { refusalWithin } from './within-call.ts';

const SPEC: CommandSpec = {
  name: 'tollgate init',
  usage: 'ID|DIR [options]',
  about:
    'Writes the folder of a new task: a manifest that explains every field, and the inputs to fill in. With a pipeline that only reviews, the inputs are the changes since the default branch. Adds .tmp/ to .gitignore: tasks and the output of the CLIs are stored there. On a terminal it prompts for missing values. It reads the repository for proposals, and runs nothing in it.',
  flags: {
    pipeline: {
      takes: 'text',
      about: `a named list of stages: ${Object.keys(PIPELINES).join(', ')}, or one of the project`,
    },
    supervise: { takes: 'nothing', about: 'instead of stages: a worker that gets each step from a reasoner' },
    goal: { takes: 'text', about: 'the goal of the task, in a sentence or two' },
    budget: { takes: 'number', min: 1, about: 'the maximum of paid calls, retries included; default: 10' },
    acceptance: {
      takes: 'text',
      about: 'the command that must succeed in the end; default: the test command of the repository',
    },
    'no-ask': { takes: 'nothing', about: 'on a terminal: accept all proposals without prompts' },
    'no-gitignore': { takes: 'nothing', about: 'do not change .gitignore' },
  },
  words: { min: 0, max: 1, called: 'the task (an id, or a path with a /)' },
  examples: [
    ['tollgate init fix-login', 'the task .tmp/task/fix-login of this project'],
    ['tollgate init fix-login --supervise', 'a worker, and a reasoner that says each step'],
    ['tollgate init ./tasks/fix-login --pipeline safe_impl --goal "Fix the login."', 'a folder of your own'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'written'],
    [TOLLGATE_EXIT.badInput, 'usage, a task that is there already, or a folder that cannot be written'],
    [130, 'cancelled at a question; nothing was written'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { given } = read.args;
  const repository = readRepository(projectRoot(process.cwd()));
  const chosen = await settingsOf(read.args, repository);
  if (chosen.how === 'stopped')
    return { exit: EXIT_BY_SIGNAL.SIGINT, err: 'tollgate init: cancelled; nothing was written\n' };
  const { id, goal, pipeline, budget, acceptance } = chosen.settings;
  if (id === null) return invalid(`${SPEC.words.called} is missing`);
  const located = locateTask(id, process.cwd(), process.env);
  if (located.how === 'invalid') return invalid(located.message);
  const { folder } = located;
  const mistake = pipeline === null ? null : await pipelineMistake(pipeline, folder.root);
  if (mistake !== null) return invalid(mistake);
  const supervised = given.has('supervise');
  if (supervised && pipeline !== null)
    return invalid('--supervise and --pipeline contradict each other; say one of them');
  const base = isReview(pipeline) ? await defaultBranch(projectRoot(process.cwd())) : null;
  const here = installed();
  const tool = supervised || pipeline !== null ? null : firstReady(here);
  const values: Record<string, string> = tool === null ? {} : { 'stages[].tool': tool };
  const commands = acceptance === null ? [] : [acceptance];
  const content = { goal, pipeline, base, supervised, budget, acceptance: commands, values };
  const written = writeNewTask(folder, content, schemaFile());
  if (written.how === 'invalid') return invalid(written.message);
  const { files } = written;
  const ignoring = given.has('no-gitignore') ? null : await ignored();
  const err = ignoring?.how === 'refused' ? { err: `tollgate init: ${ignoring.message}\n` } : {};
  if (given.has('json')) {
    const object = {
      schema: 1,
      task_id: folder.id,
      folder: folder.root,
      files,
      gitignore: ignoring?.how ?? null,
      repository,
    };
    return { exit: 0, out: `${JSON.stringify(object)}\n`, ...err };
  }
  const shown = (file: string) => path.relative(process.cwd(), file) || '.';
  const launcher = launcherIn(process.env);
  const next = [
    ...files.map((file) => `fill in  ${shown(file)}`),
    ...(supervised ? [] : [`preview  ${launcher} run ${id} --dry-run`]),
    `run      ${launcher} ${supervised ? 'supervise' : 'run'} ${id}`,
  ];
  const lines = [
    ...(ignoring?.how === 'added' ? [`Added .tmp/ to ${shown(ignoring.file)}.`] : []),
    ...proposed(repository, acceptance, supervised || runsAcceptance(pipeline)),
    ...missing(pipeline, here),
    `Wrote the task ${folder.id} in ${shown(folder.root)}.`,
    ...(tool === null ? [] : [`Its stage calls ${tool}, which is installed here.`]),
    'Next:',
    ...next.map((line) => `  ${line}`),
  ];
  return { exit: 0, out: `${lines.join('\n')}\n`, ...err };
}

interface TaskSettings {
  id: string | null;
  goal: string | null;
  pipeline: string | null;
  budget: number | null;
  acceptance: string | null;
}

/** Values from the command line are used. On a terminal the user is prompted for the rest; otherwise it is proposed. */
async function settingsOf(
  { text, number, given, words }: Arguments,
  repository: Repository,
): Promise<{ how: 'answered'; settings: TaskSettings } | { how: 'stopped' }> {
  const { goal = null, pipeline = null, acceptance = null } = text;
  const specified: TaskSettings = { id: words[0] ?? null, goal, pipeline, budget: number.budget ?? null, acceptance };
  if (!mayAsk(given))
    return { how: 'answered', settings: { ...specified, acceptance: acceptance ?? repository.tests?.command ?? null } };
  const { askTask } = await import('./new-task/ask-task.ts');
  const answers = await askTask(specified, repository, installed());
  if (answers.how === 'stopped') return answers;
  const { settings } = answers;
  return {
    how: 'answered',
    settings: { ...settings, pipeline: settings.pipeline || null, acceptance: settings.acceptance || null },
  };
}

const installed = () => TOOLS.filter((tool) => findProgram(tool, projectRoot(process.cwd()), process.env) !== null);

/** One that is signed in comes before one that is only installed. Trust may be given later. */
function firstReady(here: ReturnType<typeof installed>): (typeof here)[number] | null {
  const call = { ...UNKNOWN_CALL, cwd: process.cwd(), environment: process.env, trustWorkspace: true };
  return here.find((tool) => startableCall(adapterOf(tool), call).how === 'ready') ?? here[0] ?? null;
}

function missing(pipeline: string | null, here: readonly string[]): string[] {
  const stages = Object.entries(PIPELINES).find(([name]) => name === pipeline)?.[1] ?? [];
  const absent = [...new Set(stages.map(({ tool }) => tool))].filter((tool) => !here.includes(tool));
  if (absent.length === 0) return [];
  return [
    `${pipeline} calls ${absent.join(' and ')}, not installed here: \`${launcherIn(process.env)} doctor\` gives the commands.`,
  ];
}

/** No prompts for an agent, a machine, or a user who wants no notes. */
const mayAsk = (given: ReadonlySet<string>): boolean =>
  !['json', 'quiet', 'no-ask', 'supervise'].some((flag) => given.has(flag)) &&
  process.stdin.isTTY === true &&
  printing('stderr').isTTY === true;

/** Describes the proposed acceptance command, its source, and whether the task runs it. */
function proposed({ tests }: Repository, command: string | null, isRun: boolean): string[] {
  if (command === null) return [];
  const source = 'acceptance.commands of the manifest';
  if (isRun)
    return tests?.command === command
      ? [`\`${command}\` must succeed in the end (${tests.file} says so; ${source}).`]
      : [`\`${command}\` must succeed in the end (${source}).`];
  return [
    `No stage runs \`${command}\`: only a verify stage does, as --pipeline one_shot_impl has one. The manifest has it as a comment (acceptance.commands).`,
  ];
}

/** @returns null if it must not change: its state is elsewhere, or an agent runs this, whose changes are checked. */
async function ignored() {
  if (process.env.TOLLGATE_STATE || (await refusalWithin('gitignore')) !== null) return null;
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

/** The schema in the package that contains this command. */
export const schemaFile = (): string =>
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../docs/schemas/TASK_SCHEMA.json');

const invalid = badInputOf('tollgate init');
