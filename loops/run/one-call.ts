// One call of a stage through its guardian; or the result of one that was paid for and could not be used.

import { existsSync } from 'node:fs';
import type { CallRecord } from '../../policies/call-record.ts';
import { newCallId } from '../call/draft.ts';
import { outputsOf, readRecord, sendGuardian } from './guardian.ts';
import type { Ask } from './next-ask.ts';
import type { Prompt } from './prompt.ts';
import { settle } from './settle.ts';
import type { StageRun } from './stage.ts';

export type Answered =
  | { how: 'answered'; record: CallRecord }
  /** The wrapper left no record: it was killed before it could reserve, or is broken. */
  | { how: 'unanswered'; why: string };

/** @param wanted the hash of the stage's prompt. */
export async function callOnce(run: StageRun, { prompt, resumeSession }: Ask, wanted: string): Promise<Answered> {
  const { open, stage, runId, environment, guardianStop, clock, say } = run;
  const { task, journal, manifest, cwd } = open;
  const callId = newCallId(clock());
  const dispatch = {
    run_id: runId,
    call_id: callId,
    for_prompt: wanted,
    redaction_patterns: manifest.security.redaction_patterns,
  };
  const { trustWorkspace } = run;
  const errand = { task, stage, dispatch, promptFile: prompt.file, cwd, trustWorkspace, resumeSession, environment };
  const { record, why } = await sendGuardian(errand, run.commandFolder, guardianStop);
  const call = journal.read().ledger.calls.get(callId);
  // Its record may be an early one: only a verdict, or a refusal, is its last word.
  if (record !== null && (call === undefined || !call.granted || call.verdict !== null))
    return { how: 'answered', record };
  if (call === undefined || !call.granted) return { how: 'unanswered', why };
  await settle(call, { task, journal, clock, environment, stop: guardianStop, foreign: 'refuse', say });
  const settled = readRecord(task, callId);
  return settled === null ? { how: 'unanswered', why } : { how: 'answered', record: settled };
}

/** A success that an earlier run paid for and did not live to use: the same prompt is not asked again. */
export function paidAnswer({ open, stage }: StageRun, prompt: Prompt): CallRecord | null {
  const paid = [...open.journal.read().ledger.calls.values()].filter(
    ({ reserved, verdict }) =>
      reserved.stage === stage.name &&
      reserved.for_prompt === prompt.sha256 &&
      verdict !== null &&
      verdict.class === null,
  );
  const last = paid.at(-1);
  if (last === undefined || !existsSync(outputsOf(open.task, stage).out)) return null;
  return readRecord(open.task, last.reserved.call_id);
}
