// What is sent of a prompt: before the first of a session the tag's line, and where the work stands after one that grew too long; what was found in the stage's last work.

import path from 'node:path';
import type { Failure } from '../../policies/record/task-failure.ts';
import { type EarlierTask, handOffNote } from '../../policies/session/hand-off.ts';
import { headerOf } from '../../policies/session/session-tag.ts';
import { figure } from '../../policies/text/figure.ts';
import { readJson, writeAtomic } from '../../state/atomic-file.ts';
import { readHead } from '../../state/disk/file-head.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { quietly } from '../session/own-files.ts';
import type { AttemptRequest } from '../task/attempt-request.ts';
import { feedbackFor } from '../task/feedback.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageSession } from '../task/session-in-use.ts';
import type { StageRun } from '../task/stage-run.ts';
import { answerHead, earlierTasks } from './earlier-tasks.ts';

/** The file to send. The stage's prompt, by which it counts as done, stays as it is. */
export async function fileToSend(run: StageRun, request: AttemptRequest, session: StageSession): Promise<string> {
  const found = request.isContinuation ? '' : feedbackFor(run, request.prompt.chars);
  if (found !== '')
    run.context.say(
      `stage ${run.stage.name}: its prompt is given what was found in its last work (${figure(found.length)} characters)`,
    );
  if (request.resumeSession === null) return firstPromptFile(run, request.prompt, session, found);
  if (found === '') return request.prompt.file;
  const file = path.join(run.open.task.inputs, 'prompt', `${run.stage.name}.again.md`);
  await writeAtomic(file, `${found}${readHead(request.prompt.file, MAX_BYTES).text}`, 'renamed');
  return file;
}

async function firstPromptFile(run: StageRun, prompt: Prompt, session: StageSession, found: string): Promise<string> {
  const { open, stage } = run;
  const file = path.join(open.task.inputs, 'prompt', `${stage.name}.first.md`);
  const text = `${found}${readHead(prompt.file, MAX_BYTES).text}`;
  await writeAtomic(file, await firstPromptText(run, text, session), 'renamed');
  return file;
}

type Asking = Pick<StageRun, 'open' | 'stage' | 'context'>;

/** The prompt behind the tag's line, with a hand-off note where the last session overflowed. */
export async function firstPromptText(
  run: Asking,
  prompt: string,
  { tag, overflowed }: Pick<StageSession, 'tag' | 'overflowed'>,
): Promise<string> {
  return `${headerOf(tag)}\n\n${overflowed ? `${await handOff(run, tag)}\n` : ''}${prompt}`;
}

/** No CLI takes more. */
const MAX_BYTES = 64 * 1024 * 1024;

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
  const failure = await quietly(() => readJson<Failure>(path.join(task.state, 'last_failure.json'), clock, 'left'));
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

/** What was said then may hold what is a secret now. */
const hiding = ({ task, goal, done, open, failure }: EarlierTask, hide: (text: string) => string): EarlierTask => ({
  task,
  goal: hide(goal),
  done: done.map(({ stage, answer }) => ({ stage, answer: hide(answer) })),
  open,
  failure: failure && { ...failure, why: hide(failure.why) },
});
