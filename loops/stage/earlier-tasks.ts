// Summarises the earlier tasks of a tag, newest first: their goals, their results, and their unfinished stages.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { Failure } from '../../policies/report/task-failure.ts';
import type { EarlierTask } from '../../policies/session/hand-off.ts';
import { tagOf } from '../../policies/session/session-entry.ts';
import { readJson } from '../../state/atomic-file.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { readHead, readRegularOrNull } from '../../state/disk/regular-file.ts';
import { createDryRunJournal, JournalError } from '../../state/journal/journal.ts';
import { readManifest } from '../../state/project/manifest.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, manifestsIn, outputsOf } from '../../state/task-folder.ts';
import type { OpenTask } from '../task/task.ts';

/** Each task costs a read of its manifest; of those with the tag, only so many are reported. */
const LOOKED_AT = 200;
const MAX_REPORTED = 3;

type Asking = Pick<OpenTask, 'stateFolder' | 'task' | 'project'>;

/** A task that cannot be read is skipped. */
export async function earlierTasks(open: Asking, tag: string, clock: () => Date): Promise<EarlierTask[]> {
  const tasks: EarlierTask[] = [];
  for (const folder of tasksIn(open)) {
    const task = await readEarlierTask(folder, open, tag, clock).catch((error: Error) => {
      if (isSystemError(error) || error instanceof JournalError) return null;
      throw error;
    });
    if (task !== null) tasks.push(task);
    if (tasks.length === MAX_REPORTED) break;
  }
  return tasks;
}

function tasksIn({ stateFolder, task }: Asking): string[] {
  const folder = path.join(stateFolder, 'task');
  return namesIfAny(folder)
    .map((name) => path.join(folder, name))
    .filter((root) => root !== task.root)
    .flatMap((root) => {
      const journal = lstatSync(path.join(root, 'state', 'journal.jsonl'), { throwIfNoEntry: false });
      return journal?.isFile() ? [{ root, changedAtMs: journal.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAtMs - a.changedAtMs)
    .slice(0, LOOKED_AT)
    .map(({ root }) => root);
}

async function readEarlierTask(
  root: string,
  open: Asking,
  tag: string,
  clock: () => Date,
): Promise<EarlierTask | null> {
  const [file] = manifestsIn(root);
  const id = path.basename(root);
  // Most tasks have other tags, so their manifests need not be parsed.
  if (file === undefined || (id !== tag && !readRegularOrNull(file)?.includes(tag))) return null;
  const read = await readManifest(file, open.project, 'untrusted');
  if (read.how === 'invalid' || tagOf(read.manifest.meta.feature, id) !== tag) return null;
  const located = locateTask(root, root, {});
  if (located.how === 'invalid') return null;
  const { folder: task } = located;
  const { ledger } = createDryRunJournal(root, clock).read();
  const failure = await readJson<Failure>(path.join(task.state, 'last_failure.json'), clock, 'in_place');
  const standing = failure.how === 'read' && failure.value.resolved_at === null ? failure.value : null;
  return {
    task: id,
    goal: read.manifest.goal,
    done: read.stages
      .filter(({ name }) => ledger.done.has(name))
      .map(({ name, tool }) => {
        const answered = ledger.calls.get(ledger.done.get(name)?.call_id ?? '')?.reserved.tool ?? tool;
        return { stage: name, answer: answerHead(outputsOf(task, { name, tool: answered }).out) };
      }),
    open: read.stages.map(({ name }) => name).filter((name) => !ledger.done.has(name)),
    failure: standing && {
      stage: standing.stage,
      why: [`${standing.class} (${standing.reason})`, standing.evidence?.text].filter(Boolean).join(': '),
    },
  };
}

const HEAD_BYTES = 4096;

/** If an answer is gone, its head is empty, but its stage is still named. */
export function answerHead(file: string): string {
  try {
    return readHead(file, HEAD_BYTES).text;
  } catch {
    return '';
  }
}
