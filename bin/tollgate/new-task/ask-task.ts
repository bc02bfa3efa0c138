// Prompts for a new task (the second importer of @clack/prompts): each answer has a default; the last one comes before any write.

import { intro, isCancel, log, select, text } from '@clack/prompts';
import { runsAcceptance } from '../../../policies/manifest/new-task-files.ts';
import { PIPELINES } from '../../../policies/manifest/pipelines.ts';
import type { Repository } from '../../../policies/manifest/repository.ts';
import { checkTaskId } from '../../../state/task-folder.ts';
import { printing } from '../../printing.ts';

/** What the user is prompted for, unless the command line gives it. */
interface GivenSettings {
  id: string | null;
  goal: string | null;
  /** '' means none: the user defines the stages. */
  pipeline: string | null;
  budget: number | null;
  /** '' means none. */
  acceptance: string | null;
}

type TaskAnswers =
  | { how: 'answered'; settings: { [Name in keyof GivenSettings]: NonNullable<GivenSettings[Name]> } }
  | { how: 'stopped' };

/** @param tools the CLIs that are on the PATH. */
export async function askTask(
  given: GivenSettings,
  { languages, tests }: Repository,
  tools: readonly string[],
): Promise<TaskAnswers> {
  const output = printing('stderr');
  intro('A new task', { output });
  const written = languages.length === 0 ? '' : `written in ${languages.join(', ')}`;
  const tested = tests === null ? '' : `tested by ${tests.command} (${tests.file})`;
  const seen = [written, tested].filter(Boolean).join(', ');
  log.info(`${seen === '' ? '' : `This project: ${seen}.\n`}Installed CLIs: ${tools.join(', ') || 'none'}.`, {
    output,
  });
  const line = async (message: string, proposal: string, mistake: (value: string) => string | null) =>
    text({
      message,
      defaultValue: proposal,
      placeholder: proposal,
      output,
      validate: (value) => mistake(value || proposal) ?? undefined,
    });

  const id = given.id ?? (await line('Name of the task (Enter: fix-1)', 'fix-1', checkTaskId));
  if (isCancel(id)) return CANCELLED;
  const goal =
    given.goal ??
    (await line('What is to be achieved, in a sentence or two', '', (value) =>
      value.trim() === '' ? 'a task has a goal' : null,
    ));
  if (isCancel(goal)) return CANCELLED;
  const pipeline = given.pipeline ?? (await select({ message: 'Its stages', options: pipelines(tools), output }));
  if (isCancel(pipeline)) return CANCELLED;
  const budget = given.budget ?? (await line('Paid calls at most, retries included', '10', callsMistake));
  if (isCancel(budget)) return CANCELLED;
  const acceptance =
    given.acceptance ??
    (runsAcceptance(pipeline)
      ? await line('The command that must succeed in the end (- for none)', tests?.command ?? '-', () => null)
      : '');
  if (isCancel(acceptance)) return CANCELLED;
  return {
    how: 'answered',
    settings: {
      id,
      goal: goal.trim(),
      pipeline,
      budget: Number(budget),
      acceptance: acceptance === '-' ? '' : acceptance,
    },
  };
}

const CANCELLED: TaskAnswers = { how: 'stopped' };

const callsMistake = (value: string): string | null =>
  /^\d{1,6}$/.test(value) && Number(value) > 0 ? null : 'a whole number from 1';

/** Pipelines whose CLIs are all installed come first. */
function pipelines(tools: readonly string[]) {
  const rows = Object.entries(PIPELINES).map(([value, stages]) => {
    const lacks = [...new Set(stages.map(({ tool }) => tool))].filter((tool) => !tools.includes(tool));
    const walk = stages.map(({ tool, role }) => `${tool} ${role}`).join(' → ');
    return {
      lacks,
      option: { value, label: value, hint: lacks.length === 0 ? walk : `${walk}; not here: ${lacks.join(', ')}` },
    };
  });
  const own = { value: '', label: 'stages of your own', hint: 'to be filled in' };
  const ready = rows.filter(({ lacks }) => lacks.length === 0);
  return [...ready, ...rows.filter((row) => !ready.includes(row))].map(({ option }) => option).concat(own);
}
