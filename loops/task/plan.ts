// Checks all stages of a run before anything is paid: each stage with its role, and whether it is already done.

import { changedParts } from '../../policies/prompt/part.ts';
import type { ChangedPrompt } from '../../policies/verdict/changed-prompt.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { checkSchema } from '../gate/schema.ts';
import { elsewhereMistake, worksElsewhere } from '../session/own-files.ts';
import { sentHash } from './compose.ts';
import { type ComposedPrompt, type Composing, composePrompt, type Prompt } from './prompt.ts';
import { choiceMistake } from './stage-plan.ts';
import { type StageStatus, stageStatusOf } from './stage-status.ts';

/** The state of the stages before anything is paid. */
export type Planned =
  | ({ how: 'planned' } & CheckedStages)
  | { how: 'invalid'; message: string }
  | { how: 'stopped' }
  /** Stages whose answers belong to another prompt than the current one; at least one. */
  | { how: 'changed'; changed: ChangedPrompt[] };

export interface CheckedStages {
  /** The first stage to run whose prompt is too large, whatever the earlier stages will answer. */
  tooLarge: LargeStage | null;
  /** The prompts of the first stage to run and of those before it: their inputs are complete. */
  composed: ReadonlyMap<string, Composed>;
  /** The size of the journal in bytes when the prompts were composed. */
  offset: number;
  /** Stages with an answer that will be paid again, as far as this is known in advance. */
  repeated: string[];
}

type Composed = ComposedPrompt & { how: 'done' };

interface LargeStage {
  stage: Stage;
  prompt: Prompt;
}

/** Finds the mistakes of all stages before any call is paid. @param from stages before this one are skipped. */
export async function checkStages(composing: Composing, from: string | null = null): Promise<Planned> {
  const { open, options } = composing;
  const wrong = choiceMistake(open.plans, options);
  if (wrong !== null) return invalid(wrong);
  // An accepted answer is checked against its gate and the tree, whatever its prompt would be now.
  if (options.finished === 'rechecked')
    return { how: 'planned', tooLarge: null, composed: new Map(), offset: open.journal.read().offset, repeated: [] };
  // After a stage that is to be run, the prompts of later stages may still change.
  let isSettled = true;
  let tooLarge: LargeStage | null = null;
  const prompts = new Map<string, Composed>();
  const { offset } = open.journal.read();
  const changed: ChangedPrompt[] = [];
  const repeated: string[] = [];
  const isStopped = () => composing.context.stop.aborted;
  const first = open.plans.findIndex(({ stage }) => stage.name === from);
  for (const plan of open.plans.slice(Math.max(0, first))) {
    const { stage } = plan;
    const schema = stage.schema === undefined ? null : await checkSchema(stage.schema);
    if (schema !== null) return invalid(`stage ${stage.name}: its schema is not a JSON Schema: ${schema}`);
    const elsewhere = await sessionMistake(composing, stage);
    if (elsewhere !== null) return invalid(elsewhere);
    const composed = await composePrompt(composing, plan, open.manifest.context.digest_policy);
    if (isStopped()) return { how: 'stopped' };
    if (composed.how === 'invalid') return invalid(composed.message);
    if (isSettled) prompts.set(stage.name, composed);
    const status = stageStatusOf(plan, composed.prompt, open.journal, options);
    if (status.how === 'changed' && isSettled) {
      changed.push(changedOf(stage, composed, status));
    }
    if (status.how === 'open' && status.choice === 'redo' && status.isAnswered) repeated.push(stage.name);
    // The user may keep the answer of a finished stage, so later stages are checked as if it were kept.
    if (status.how === 'done_earlier' || (status.how === 'changed' && status.answer === 'done')) continue;
    if (isTooLarge(composed.prompt, isSettled)) tooLarge ??= { stage, prompt: composed.prompt };
    isSettled = false;
  }
  if (changed.length > 0) return { how: 'changed', changed };
  return { how: 'planned', tooLarge, composed: prompts, offset, repeated };
}

/** Compares with the earlier prompt, as long as its file is the one that was answered. */
export function changedOf(
  { name, tool }: Stage,
  { prompt, text }: Composed,
  { answer, answered }: Extract<StageStatus, { how: 'changed' }>,
): ChangedPrompt {
  const before = readIfFit(prompt.file);
  const parts = before !== null && sentHash(tool, before) === answered ? changedParts(before, text) : [];
  return { stage: name, answer, warnings: prompt.warnings, parts };
}

/** Returns what is wrong with the session that the task names, for this stage; or null. */
async function sessionMistake({ open, context }: Composing, { name, tool }: Stage): Promise<string | null> {
  const id = open.manifest.meta.session_id;
  if (id === undefined) return null;
  const there = await worksElsewhere(tool, id, { environment: context.environment, cwd: open.cwd });
  return there === null ? null : `stage ${name}: meta.session_id: ${elsewhereMistake(tool, id, there, open.cwd)}`;
}

/** An earlier stage may still replace the context with a shorter text. */
function isTooLarge({ tooLarge, parts }: Prompt, isSettled: boolean): boolean {
  if (tooLarge === null) return false;
  const context = parts.find(({ kind }) => kind === 'context')?.kept ?? 0;
  return tooLarge.chars - (isSettled ? 0 : context) > tooLarge.limit;
}

const invalid = (message: string): Planned => ({ how: 'invalid', message });
