// One call of a stage through its guardian; or the result of one that an earlier run paid for and could not use.

import { readFileSync } from 'node:fs';
import type { CallRecord } from '../../policies/call-record.ts';
import { type Call, openCalls } from '../../state/ledger.ts';
import { outputsOf, sendGuardian } from './guardian.ts';
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
  const { open, stage, runId, environment, guardianStop } = run;
  const errand = {
    task: open.task,
    stage,
    runId,
    promptFile: prompt.file,
    forPrompt: wanted,
    cwd: open.cwd,
    trustWorkspace: run.trustWorkspace,
    resumeSession,
    environment,
  };
  const { record, why } = await sendGuardian(errand, run.commandFolder, guardianStop);
  if (record !== null) return { how: 'answered', record };
  const left = openCalls(open.journal.read().ledger).filter((call) => call.reserved.stage === stage.name);
  for (const call of left) await settleOne(run, call);
  const settled = left.length > 0 ? readRecord(run) : null;
  return settled === null ? { how: 'unanswered', why } : { how: 'answered', record: settled };
}

/** A success that an earlier run paid for and did not live to use: the same prompt is not asked again. */
export function paidAnswer(run: StageRun, prompt: Prompt): CallRecord | null {
  const record = readRecord(run);
  const call = record && run.open.journal.read().ledger.calls.get(record.call_id);
  if (!call || call.reserved.stage !== run.stage.name || call.reserved.for_prompt !== prompt.sha256) return null;
  return call.verdict !== null && call.verdict.class === null ? record : null;
}

const settleOne = ({ open, clock, environment, guardianStop, say }: StageRun, call: Call) =>
  settle(call, { task: open.task, journal: open.journal, clock, environment, stop: guardianStop, say });

function readRecord({ open, stage }: StageRun): CallRecord | null {
  try {
    return JSON.parse(readFileSync(outputsOf(open.task, stage).record, 'utf8')) as CallRecord;
  } catch {
    return null;
  }
}
