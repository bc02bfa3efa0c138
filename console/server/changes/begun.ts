// Builds the paid runs that outlive the console: the words of the tollgate command, and the key of equal requests.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { WantedRun } from '../../../loops/report/carried-run.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { isRegular } from '../../../state/disk/regular-file.ts';
import { publishText } from '../../../state/disk/replace-file.ts';
import { projectState } from '../../../state/task-folder.ts';
import type { Actions } from '../../contract/page.ts';

/** @param words the command that continues the task, `run` or `supervise`, then the task and the flags. */
export const continueWanted = (
  [verb, task, ...flags]: readonly [verb: string, task: string, ...flags: string[]],
  project: { trustWorkspace: boolean },
): WantedRun => wanted(`${verb}-${task}`, task, [verb, task, ...flags, '--json', ...trust(project)]);

export const resumeWanted = (name: string, project: { trustWorkspace: boolean }, flags: readonly string[]): WantedRun =>
  wanted(`distill-${name}`, null, ['distill', 'resume', name, '--json', ...trust(project), ...flags]);

export const comparisonWanted = (id: string, project: { trustWorkspace: boolean }): WantedRun =>
  wanted(id, null, ['compare', `--resume=${id}`, '--json', ...trust(project)]);

export const newComparisonWanted = (
  { prompt, tools, access }: Actions['/api/compare/start'],
  project: { trustWorkspace: boolean },
): WantedRun => {
  const flags = [`--prompt=${prompt}`, ...tools.map((tool) => `--with=${tool}`), `--access=${access}`];
  return wanted(`compare-${hashOf(flags.join('\0')).slice(0, 16)}`, null, [
    'compare',
    ...flags,
    '--json',
    ...trust(project),
  ]);
};

export const batchWanted = (tasks: readonly string[], project: { trustWorkspace: boolean }): WantedRun =>
  wanted(`batch-${hashOf(tasks.join(' ')).slice(0, 16)}`, null, ['batch', ...tasks, '--json', ...trust(project)]);

/** @returns a message if the book does not exist, so that no run begins. */
export function bookWanted(
  { book, prompt }: { book: string; prompt: string | null },
  project: { cwd: string; environment: NodeJS.ProcessEnv; trustWorkspace: boolean },
  more: readonly string[],
): WantedRun | string {
  const file = path.resolve(project.cwd, book);
  if (!isRegular(file)) return `there is no book at ${file}; give the path of a PDF, an EPUB or a text`;
  const folder = path.join(projectState(project.cwd, project.environment), 'console', 'prompts');
  const promptFile = prompt === null ? null : path.join(folder, `${hashOf(prompt).slice(0, 16)}.md`);
  const flags = [...(promptFile === null ? [] : [`--prompt=${promptFile}`]), ...more, ...trust(project)];
  return {
    ...wanted(`distill-book-${hashOf(file).slice(0, 16)}`, null, ['distill', file, ...flags, '--json']),
    prepare() {
      if (promptFile === null || prompt === null) return;
      makeFolder(folder);
      publishText(promptFile, prompt);
    },
  };
}

const trust = ({ trustWorkspace }: { trustWorkspace: boolean }): string[] =>
  trustWorkspace ? ['--trust-workspace'] : [];

/** @param name begins the name of the run's files. */
export const wanted = (name: string, task: string | null, argv: string[]): WantedRun => ({
  ...{ what: 'run', task, tool: null, asks: hashOf(JSON.stringify(argv)), argv },
  ...{ name: `run.${name}`, answeredBy: 'running' },
  filesFor: () => null,
  prepare: () => {},
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
