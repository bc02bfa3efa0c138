// Whether a reasoner's `done` is to be believed: the acceptance commands passed, and nothing out of scope is changed since the task began.

import { judgeScope, violationsFinding } from '../../policies/gate/scope.ts';
import type { Standing } from '../../policies/supervise/standing.ts';
import { scopeOf } from '../paths/scope-of.ts';
import { stageRunOf } from '../run/stages.ts';
import { readRecord } from '../stage/guardian.ts';
import { passStage } from '../stage/stage-gate.ts';
import { composePrompt } from '../task/prompt.ts';
import type { SuperviseCourse } from './course.ts';
import { seenOf } from './work.ts';

/** What speaks against it, a sentence each; none where it is to be believed. What the last work did not pass is looked at anew, since somebody may have mended it. */
export async function doneRefusals(course: SuperviseCourse, { worked, failed }: Standing): Promise<string[]> {
  const { task, plans, whole } = course;
  const { open } = task;
  const changes = whole === null ? [] : await whole.look();
  const violations = violationsFinding(judgeScope(changes, scopeOf(open.manifest)));
  if (failed.length === 0) return violations === null ? [] : [violations.text];
  const record = worked === null ? null : readRecord(open.task, worked);
  if (record === null) return ['the record of the last work is gone, so that it cannot be looked at anew'];
  const run = stageRunOf(task, plans.worker, course.endsAtMs);
  const composed = await composePrompt(run, run, open.manifest.context.digest_policy);
  if (composed.how === 'invalid') return [composed.message];
  const gate = await passStage(run, record, composed.prompt, whole, null);
  course.seen = seenOf(gate);
  return gate.passed ? [] : gate.findings.map(({ text }) => text);
}
