// Decides whether to run a stage: a finished one is not paid again, unless its prompt changed and the user chose so.

import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { type Judging, stoppingVerdict } from '../../policies/gate/answer-verdict.ts';
import type { ChangedPrompt } from '../../policies/verdict/changed-prompt.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { type Call, isKeptFor, type Ledger } from '../../state/journal/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Prompt } from './prompt.ts';
import type { RunOptions } from './run-options.ts';
import { keptVerdict } from './stage-facts.ts';
import { ALL_STAGES } from './stage-plan.ts';

/** `changed`: the answer belongs to another prompt, whose hash is `answered`, and the user has not decided about it. */
export type StageStatus =
  /** `choice`: the user's decision about the existing answer; null if there is none, or if none is needed. */
  | { how: 'open' | 'done_earlier'; choice: StageChoice | null; isAnswered: boolean }
  | { how: 'changed'; answer: ChangedPrompt['answer']; answered: string | null };

type StageChoice = 'redo' | 'keep';

type StageChoices = Pick<RunOptions, 'redo' | 'keep' | 'changed'>;

/** Uses only the journal. Throws JournalError. */
export function stageStatusOf(plan: Planned, prompt: Prompt, journal: Journal, choices: StageChoices): StageStatus {
  const stage = plan.stage.name;
  const { ledger } = journal.read();
  const finished = ledger.done.get(stage);
  const answered = finished ?? lastAnswered(stage, ledger);
  const isChanged =
    answered !== null &&
    answered.prompt_sha256 !== prompt.sha256 &&
    !isKeptFor(ledger, { stage, call_id: answered.call_id }, prompt.sha256);
  const choice = choiceFor(stage, choices, isChanged) ?? (ledger.redo.has(stage) ? 'redo' : null);
  if (isChanged && choice === null)
    return { how: 'changed', answer: finished === undefined ? 'not_passed' : 'done', answered: answered.prompt_sha256 };
  const isOpen = finished === undefined || choice === 'redo' || isStopped(plan, ledger);
  return { how: isOpen ? 'open' : 'done_earlier', choice, isAnswered: answered !== null };
}

type Planned = Judging & { stage: { name: string } };

/** The stage was finished while its verdict stopped nothing. If the verdict stops it now, its gate checks the answer again. */
function isStopped(plan: Planned, ledger: Ledger): boolean {
  const said = keptVerdict(ledger, plan.stage.name);
  return said !== undefined && stoppingVerdict(said, plan) !== null;
}

/** A choice for a named stage takes precedence over a choice for all. */
function choiceFor(stage: string, { redo, keep, changed }: StageChoices, isChanged: boolean): StageChoice | null {
  if (redo.includes(stage)) return 'redo';
  if (keep.includes(stage)) return 'keep';
  if (redo.includes(ALL_STAGES)) return 'redo';
  return isChanged && changed !== 'refuse' ? changed : null;
}

/** The call whose answer finished the stage, or has passed its gate before; null if there is none. */
export function passedCall(ledger: Ledger, stage: string): Call | null {
  const finished = ledger.done.get(stage);
  if (finished !== undefined) return ledger.calls.get(finished.call_id ?? '') ?? null;
  const answered = lastAnswered(stage, ledger);
  return answered !== null && ledger.passed.has(answered.call_id) ? ledger.calls.get(answered.call_id)! : null;
}

/** The last call of a run for the stage, if it was answered and its answer counts. */
function lastAnswered(stage: string, { calls, disregarded }: Ledger) {
  const last = [...calls.values()].findLast((call) => isOfRun(call, stage));
  if (last?.verdict?.class !== null || disregarded.has(last.reserved.call_id)) return null;
  return { call_id: last.reserved.call_id, prompt_sha256: last.reserved.for_prompt };
}

const isOfRun = ({ granted, reserved }: Call, stage: string): boolean =>
  granted && reserved.stage === stage && reserved.run_id !== null;

/** Notes that the user keeps the answer of a stage for this prompt, so that the next run does not require the choice again. */
export async function keepAnswer(journal: Journal, stage: string, { sha256 }: Prompt): Promise<void> {
  const { ledger } = journal.read();
  const answered = [...ledger.calls.values()].findLast(
    (call) => isOfRun(call, stage) && call.verdict?.class === null,
  )?.reserved;
  const answer = ledger.done.get(stage) ?? answered;
  if (answer === undefined) return;
  if (isKeptFor(ledger, answer, sha256) && !ledger.disregarded.has(answer.call_id ?? '')) return;
  await journal.note({ fact: 'kept', stage, call_id: answer.call_id, prompt_sha256: sha256 });
}

/** A stage that is to be run or checked again counts as open, whatever the result will be. */
export function reopen(journal: Journal, stage: string): void {
  if (journal.read().ledger.done.has(stage)) journal.append({ fact: 'reopened', stage });
}

/** Called before any stage is called: a run that ends before a stage's turn must not lose the user's request. */
export function noteRedo(journal: Journal, stages: readonly string[], { redo, keep }: StageChoices): void {
  if (redo.length === 0) return;
  const { calls } = journal.read().ledger;
  const called = stages.filter((name) => [...calls.values()].some((call) => isOfRun(call, name)));
  for (const stage of called)
    if (choiceFor(stage, { redo, keep, changed: 'refuse' }, false) === 'redo') reopenForRedo(journal, stage);
}

/** Does nothing if this is already noted and no call was made since. */
export function reopenForRedo(journal: Journal, stage: string): void {
  if (!journal.read().ledger.redo.has(stage)) journal.append({ fact: 'reopened', stage, redo: true });
}

/** A run that was killed between a fact and its marker leaves them inconsistent; the journal is right. */
export async function repairMarker(task: TaskFolder, journal: Journal, stage: string): Promise<void> {
  const finished = journal.read().ledger.done.get(stage);
  const file = markerIn(task, stage);
  if (finished === undefined) return remove(file);
  const text = markerOf(finished);
  if (readIfFit(file) !== text) await writeAtomic(file, text, 'renamed');
}

const markerIn = (task: TaskFolder, stage: string) => path.join(task.done, `${stage}.done`);

const markerOf = ({ stage, call_id, prompt_sha256 }: Done) =>
  `${JSON.stringify({ stage, call_id, prompt_sha256 }, null, 2)}\n`;

type Done = Omit<Extract<Fact, { fact: 'done' }>, 'fact'>;

/** Something that cannot be removed, such as a folder of that name, is not a marker. */
function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** Writes the fact first, then the marker that users and waiting processes see. */
export async function markDone(
  task: TaskFolder,
  journal: Journal,
  stage: string,
  callId: string,
  prompt: { sha256: string },
): Promise<void> {
  const done = { stage, call_id: callId, prompt_sha256: prompt.sha256 };
  await journal.note({ ...done, fact: 'done' });
  await writeAtomic(markerIn(task, stage), markerOf(done), 'renamed');
}
