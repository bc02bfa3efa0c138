// What a run has to do, looked through before anything is paid: each stage with its role, and whether it is done already.

import { changedParts } from '../../policies/prompt/changed-parts.ts';
import type { ChangedPrompt } from '../../policies/retry/changed-prompt.ts';
import { readIfFit } from '../../state/disk/regular-file.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { checkSchema } from '../gate/schema.ts';
import { sentHash } from '../prompt/sent-hash.ts';
import { elsewhereMistake, worksElsewhere } from '../session/works-elsewhere.ts';
import { type ComposedPrompt, type Composing, composePrompt, type Prompt } from './prompt.ts';
import { choiceMistake } from './stage-plan.ts';
import { type StageStatus, stageStatusOf } from './stage-status.ts';

/** What the stages are before anything is paid. */
export type Planned =
  | ({ how: 'planned' } & CheckedStages)
  | { how: 'invalid'; message: string }
  | { how: 'stopped' }
  /** Stages whose answers count for another prompt than the one they have now; at least one. */
  | { how: 'changed'; changed: ChangedPrompt[] };

export interface CheckedStages {
  /** The first stage to run whose prompt is too large, whatever those before it will answer. */
  tooLarge: LargeStage | null;
  /** The prompts of the first stage to run and of those before it: what they are made of has no more to come. */
  composed: ReadonlyMap<string, Composed>;
  /** Bytes of the journal when they were composed. */
  offset: number;
  /** Stages with an answer that are to be paid for again, as far as that is known before. */
  repeated: string[];
}

type Composed = ComposedPrompt & { how: 'composed' };

/** A stage whose prompt is too large for its tool. */
interface LargeStage {
  stage: Stage;
  prompt: Prompt;
}

/**
 * Finds what is wrong with any stage now: a mistake in the last one must not cost the calls of those before it.
 * @param from the stages before it are left out.
 */
export async function checkStages(composing: Composing, from: string | null = null): Promise<Planned> {
  const { open, options } = composing;
  const wrong = choiceMistake(open.plans, options);
  if (wrong !== null) return invalid(wrong);
  // What passed once is judged by its answer and the tree, whatever its prompt would be now.
  if (options.finished === 'rechecked')
    return { how: 'planned', tooLarge: null, composed: new Map(), offset: open.journal.read().offset, repeated: [] };
  // Once a stage is to be run, the prompts of those after it may still change.
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
    if (schema !== null) return invalid(`stage ${stage.name}: its schema is no JSON Schema: ${schema}`);
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
    // Of one that is done the answer may be kept: what comes after it is checked as if it were.
    if (status.how === 'done_earlier' || (status.how === 'changed' && status.answer === 'done')) continue;
    if (isTooLarge(composed.prompt, isSettled)) tooLarge ??= { stage, prompt: composed.prompt };
    isSettled = false;
  }
  if (changed.length > 0) return { how: 'changed', changed };
  return { how: 'planned', tooLarge, composed: prompts, offset, repeated };
}

/** By the earlier prompt, as long as its file is the one that was answered. */
export function changedOf(
  { name, tool }: Stage,
  { prompt, text }: Composed,
  { answer, answered }: Extract<StageStatus, { how: 'changed' }>,
): ChangedPrompt {
  const before = readIfFit(prompt.file);
  const parts = before !== null && sentHash(tool, before) === answered ? changedParts(before, text) : [];
  return { stage: name, answer, warnings: prompt.warnings, parts };
}

/** What is wrong with the session that the task names, for this stage. */
async function sessionMistake({ open, context }: Composing, { name, tool }: Stage): Promise<string | null> {
  const id = open.manifest.meta.session_id;
  if (id === undefined) return null;
  const there = await worksElsewhere(tool, id, { environment: context.environment, cwd: open.cwd });
  return there === null ? null : `stage ${name}: meta.session_id: ${elsewhereMistake(tool, id, there, open.cwd)}`;
}

/** An earlier stage may still put something shorter in the place of the context. */
function isTooLarge({ tooLarge, parts }: Prompt, isSettled: boolean): boolean {
  if (tooLarge === null) return false;
  const context = parts.find(({ kind }) => kind === 'context')?.kept ?? 0;
  return tooLarge.chars - (isSettled ? 0 : context) > tooLarge.limit;
}

const invalid = (message: string): Planned => ({ how: 'invalid', message });
