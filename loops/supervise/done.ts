// Whether a reasoner's `done` is to be believed: the acceptance commands passed, and nothing out of scope is changed since the task began.

import type { Standing } from '../../policies/supervise/standing.ts';
import { stageRunOf } from '../run/stage-run-of.ts';
import { readRecord } from '../stage/guardian.ts';
import { passStage } from '../stage/stage-gate.ts';
import { composePrompt } from '../task/prompt.ts';
import type { SuperviseCourse } from './course.ts';
import { seenOf } from './work.ts';

/**
 * What speaks against it, a sentence each; none where it is to be believed. Looked at anew each time, since anybody may have changed the tree
 * since the last work. `stopped`: told to stop before that was through, so that nothing is known.
 */
export async function doneRefusals(
  course: SuperviseCourse,
  { worked, failed }: Standing,
): Promise<string[] | 'stopped'> {
  const { task, plans, whole } = course;
  const { open, context } = task;
  const record = worked === null ? null : readRecord(open.task, worked);
  if (record === null) return ['the record of the last work is gone, so that it cannot be looked at anew'];
  const planned = stageRunOf(task, plans.worker, course.endsAtMs);
  // One that took back what an earlier one did has changed something, though nothing is changed since the beginning.
  const may_be_empty = planned.stage.may_be_empty || !failed.includes('changes');
  const run = { ...planned, stage: { ...planned.stage, may_be_empty } };
  const composed = await composePrompt(run, run, open.manifest.context.digest_policy);
  if (context.stop.aborted) return 'stopped';
  if (composed.how === 'invalid') return [composed.message];
  const gate = await passStage(run, record, composed.prompt, whole, null);
  if (gate.passed) return [];
  if (context.stop.aborted || gate.findings.length === 0) return 'stopped';
  course.seen = seenOf(gate);
  return gate.findings.map(({ text }) => text);
}
