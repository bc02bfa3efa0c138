// Builds the text to send: the prompt, and before it the tag's line, a hand-off note for a new session, and earlier findings.

import path from 'node:path';
import type { Failure } from '../../policies/report/task-failure.ts';
import { type EarlierTask, handOffNote } from '../../policies/session/hand-off.ts';
import { headerOf } from '../../policies/session/session-entry.ts';
import { figure } from '../../policies/text/display.ts';
import { readJson } from '../../state/atomic-file.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { quietly } from '../session/own-files.ts';
import type { AttemptRequest, SentText } from '../task/attempt-request.ts';
import { feedbackFor } from '../task/feedback.ts';
import type { StageSession } from '../task/session-in-use.ts';
import type { StageRun } from '../task/stage-run.ts';
import { answerHead, earlierTasks } from './earlier-tasks.ts';

/**
 * Builds the text of a request. The stage's prompt, which decides whether the stage is done, is not changed, nor written again.
 */
export async function promptToSend(run: StageRun, request: AttemptRequest, session: StageSession): Promise<SentText> {
  const { prompt, resumeSession, isContinuation } = request;
  const found = isContinuation ? '' : feedbackFor(run, prompt.chars);
  if (found !== '')
    run.context.say(
      `stage ${run.stage.name}: its prompt is given what was found in its last work (${figure(found.length)} characters)`,
    );
  const first = resumeSession === null ? await beforeFirst(run, session) : '';
  return { before: `${first}${found}`, file: prompt.file };
}

type Asking = Pick<StageRun, 'open' | 'stage' | 'context'>;

/** The beginning of a new session: the tag's line, and a hand-off note if the last session overflowed. */
export async function beforeFirst(
  run: Asking,
  { tag, overflowed }: Pick<StageSession, 'tag' | 'overflowed'>,
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
