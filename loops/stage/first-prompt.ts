// Builds the text to send: the prompt, and before it the tag's line, a hand-off note for a new session, and earlier findings.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { Failure } from '../../policies/report/task-failure.ts';
import { type EarlierTask, handOffNote } from '../../policies/session/hand-off.ts';
import { headerOf, tagOf } from '../../policies/session/session-entry.ts';
import { figure } from '../../policies/text/display.ts';
import { readJson } from '../../state/atomic-file.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { readHeadIfFit, readRegularOrNull } from '../../state/disk/regular-file.ts';
import { createDryRunJournal, JournalError } from '../../state/journal/journal.ts';
import { readManifest } from '../../state/project/manifest.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, manifestsIn, outputsOf } from '../../state/task-folder.ts';
import { quietly } from '../session/own-files.ts';
import type { AttemptRequest, SentText, StageSession } from '../task/attempt-request.ts';
import { feedbackFor } from '../task/feedback.ts';
import type { StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

/** The text of a request. The stage's prompt, which decides whether it is done, is neither changed nor written. */
export async function promptToSend(run: StageRun, request: AttemptRequest, session: StageSession): Promise<SentText> {
  const { prompt, resumeSession, isContinuation } = request;
  const found = isContinuation ? '' : feedbackFor(run, prompt.chars);
  if (found !== '')
    run.context.say(
      `stage ${run.stage.name}: its prompt gets what was found in its last work (${figure(found.length)} characters)`,
    );
  const first = resumeSession === null ? await beforeFirst(run, session) : '';
  return { before: `${first}${found}`, file: prompt.file };
}

interface Asking {
  open: OpenTask;
  stage: StageRun['stage'];
  context: StageRun['context'];
}

/** The beginning of a new session: the tag's line, and a hand-off note if the last session overflowed. */
export async function beforeFirst(
  run: Asking,
  { tag, overflowed }: { tag: string; overflowed: boolean },
): Promise<string> {
  return `${headerOf(tag)}\n\n${overflowed ? `${await handOff(run, tag)}\n` : ''}`;
}

async function handOff({ open, stage, context: { clock } }: Asking, tag: string): Promise<string> {
  const { task, plans, journal, hide } = open;
  const { ledger } = journal.read();
  const isDone = (name: string) => ledger.done.has(name) && name !== stage.name;
  const done = plans
    .filter((plan) => isDone(plan.stage.name))
    .map(({ stage: { name, tool } }) => {
      const answered = ledger.calls.get(ledger.done.get(name)?.call_id ?? '')?.reserved.tool ?? tool;
      return { stage: name, answer: hide(answerHead(outputsOf(task, { name, tool: answered }).out)) };
    });
  const failure = await quietly(() => readJson<Failure>(path.join(task.state, 'last_failure.json'), clock, 'in_place'));
  const standing = failure?.how === 'read' && failure.value.resolved_at === null ? failure.value : null;
  const earlier = (await earlierTasks(open, tag, clock)).map((one) => hiding(one, hide));
  const note = {
    goal: hide(open.manifest.goal),
    done,
    open: plans.map((plan) => plan.stage.name).filter((name) => !isDone(name)),
    failure: standing && {
      stage: standing.stage,
      why: hide([`${standing.class} (${standing.reason})`, standing.evidence?.text].filter(Boolean).join(': ')),
    },
  };
  return handOffNote(note, earlier);
}

/** Text from earlier tasks may contain what is a secret now. */
const hiding = ({ task, goal, done, open, failure }: EarlierTask, hide: (text: string) => string): EarlierTask => ({
  task,
  goal: hide(goal),
  done: done.map(({ stage, answer }) => ({ stage, answer: hide(answer) })),
  open,
  failure: failure && { ...failure, why: hide(failure.why) },
});

/** Each task costs a read of its manifest; of those with the tag, only so many are reported. */
const LOOKED_AT = 200;
const MAX_REPORTED = 3;

/** Returns the earlier tasks of a tag, newest first. A task that cannot be read is skipped. */
async function earlierTasks(open: OpenTask, tag: string, clock: () => Date): Promise<EarlierTask[]> {
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

function tasksIn({ stateFolder, task }: OpenTask): string[] {
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
  open: OpenTask,
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
const answerHead = (file: string): string => readHeadIfFit(file, HEAD_BYTES) ?? '';
