// Checks and creates new tasks, by the functions of `tollgate run --dry-run` and of `tollgate init`.

import { readTask } from '../../../loops/task/task.ts';
import { ignoreState } from '../../../loops/tree/gitignore.ts';
import { defaultBranch } from '../../../loops/tree/repository.ts';
import { isReview } from '../../../policies/manifest/new-task-files.ts';
import { newTaskText, writeNewTask } from '../../../state/new-task.ts';
import { locateTask, projectRoot, type TaskFolder } from '../../../state/task-folder.ts';
import { adapterOf } from '../../../wrappers/adapters.ts';
import type { DraftShown, NewTask } from '../../contract/task.ts';
import { answerWith, type Reply, refused, type ServedProject } from '../project.ts';
import { isTrusted, standingOf } from '../reads/overviews.ts';

/** What a run of a task that does not exist yet would do. */
export async function checkNew(wish: NewTask, project: ServedProject): Promise<Reply> {
  const made = await draftOf(wish, project);
  return 'how' in made ? made : answerWith(await checked(made.folder, made.text, project));
}

/** @returns a sentence without its full stop if the task was created. */
export async function createTask(wish: NewTask, project: ServedProject): Promise<string | Reply> {
  const made = await draftOf(wish, project);
  if ('how' in made) return made;
  const { folder, content } = made;
  const { problems, lacking } = await checked(folder, made.text, project);
  const [mistake] = [...problems.map(({ message }) => message), ...lacking];
  if (mistake !== undefined) return refused(409, `${mistake}; nothing was written`);
  const written = writeNewTask(folder, content, project.schemaFile);
  if (written.how === 'invalid') return refused(409, written.message);
  const { cwd, environment } = project;
  const ignoring = environment.TOLLGATE_STATE ? null : await ignoreState(projectRoot(cwd));
  return `${wish.id} was created${ignoring?.how === 'refused' ? ` (${ignoring.message})` : ''}`;
}

/** The manifest of the new task as text, and where it would be. Nothing is written. */
async function draftOf(wish: NewTask, { cwd, environment, schemaFile }: ServedProject) {
  const { id, goal, pipeline, stages, calls, usd, wallclock_sec, commands, criteria, allow, deny } = wish;
  if (pipeline === null && stages.length === 0)
    return refused(409, 'the task has neither a pipeline nor a stage; nothing was written', 'give it one of them');
  const located = locateTask(id, cwd, environment);
  if (located.how === 'invalid') return refused(409, located.message);
  const { folder } = located;
  const content = {
    ...{ goal: goal.trim(), pipeline, stages, budget: calls, acceptance: commands },
    base: isReview(pipeline) ? await defaultBranch(projectRoot(cwd)) : null,
    values: {
      ...(usd === null ? {} : { 'budgets.max_usd': usd }),
      ...(wallclock_sec === null ? {} : { 'budgets.max_wallclock_sec': wallclock_sec }),
      ...(criteria.length === 0 ? {} : { 'acceptance.criteria': criteria }),
      ...(allow.length === 0 ? {} : { 'scope.allow': allow }),
      ...(deny.length === 0 ? {} : { 'scope.deny': deny }),
    },
  };
  const made = newTaskText(folder, content, schemaFile);
  return made.how === 'invalid' ? refused(409, made.message) : { folder, content, text: made.text };
}

/** `lacking`: the CLIs of its stages that cannot be called here, each as a sentence without its full stop. */
export async function checked(
  { id, root, manifest }: TaskFolder,
  draft: string,
  project: ServedProject,
): Promise<DraftShown & { lacking: string[] }> {
  const { cwd, environment } = project;
  const file = manifest ?? `${root}/manifest.yaml`;
  const wrong = (message: string) => ({ problems: problemsIn(message, file), forecast: null, notes: [], lacking: [] });
  const read = await readTask({ word: id, cwd, environment, trustWorkspace: isTrusted(project), draft });
  if (read.how === 'invalid') return wrong(read.message);
  const tools = [...new Set(read.plans.map(({ stage }) => stage.tool))];
  const lacking = tools.flatMap((tool) => {
    const { lacks } = standingOf(adapterOf(tool), project);
    return lacks === null ? [] : [`${tool} ${lacks}`];
  });
  if (read.manifest.supervise !== undefined)
    return { problems: [], forecast: null, notes: [...lacking, ...read.notes], lacking };
  const foreseen = await project.foresee(id, draft);
  if (foreseen.how !== 'done') return wrong(foreseen.message);
  const { stages, budget, notes } = foreseen.forecast;
  const toolOf = new Map(read.plans.map(({ stage: { name, tool } }) => [name, tool]));
  return {
    problems: [],
    forecast: {
      stages: stages.map(({ stage, state, prompt_chars, acceptance_commands: commands, warnings }) => ({
        ...{ stage, tool: toolOf.get(stage)!, calls: state === 'to_run', prompt_chars, commands, warnings },
      })),
      budget,
      retries: read.manifest.budgets.retry_budget,
    },
    notes: [...lacking, ...notes],
    lacking,
  };
}

/** Each line that names the file: the place in it, and what is wrong there. */
const problemsIn = (message: string, file: string): DraftShown['problems'] =>
  message.split('\n').map((line) => {
    const rest = line.startsWith(`${file}:`) ? line.slice(file.length + 1) : null;
    const [, at, what] = /^(\d+): (.*)$/s.exec(rest ?? '') ?? [];
    return at === undefined ? { line: null, message: rest?.trim() ?? line } : { line: Number(at), message: what! };
  });
