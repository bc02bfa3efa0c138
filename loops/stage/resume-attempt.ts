// Continues in the session of an attempt that had already done something, so that the work is not repeated.

import path from 'node:path';
import type { Verdict } from '../../policies/facts/evidence.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import type { AttemptRequest } from '../task/attempt-request.ts';
import type { Prompt } from '../task/prompt.ts';
import { sentHash } from '../task/sent-hash.ts';
import type { StageSession } from '../task/session-in-use.ts';
import type { StageRun } from '../task/stage-run.ts';
import { readRecord } from './guardian.ts';

/**
 * Makes the first request of a run if the stage's last attempt, for the same prompt, was cut off after it had run tools.
 * @returns null if there was none, if its session cannot be resumed, or if its failure was not a matter of time, network or
 * history.
 */
export async function resumeLastAttempt(
  run: StageRun,
  prompt: Prompt,
  session: StageSession,
): Promise<AttemptRequest | null> {
  const { open, stage, redone } = run;
  const calls = [...open.journal.read().ledger.calls.values()];
  const last = calls.findLast(({ granted, reserved }) => granted && reserved.stage === stage.name);
  if (redone || last === undefined || last.reserved.for_prompt !== prompt.sha256) return null;
  if (last.reserved.tool !== stage.tool) return null;
  const record = readRecord(open.task, last.reserved.call_id);
  if (record === null || (record.tool_calls ?? 0) === 0 || !isCutOff(record.verdict)) return null;
  if (record.session_id === null || session.isUnfit(record.session_id)) return null;
  const endedAt = new Date(Date.parse(record.started_at) + (record.duration_ms ?? 0));
  if ((await session.resumeIn(record.session_id, record.verdict, endedAt)) === 'stopped') return null;
  run.context.say(`stage ${stage.name}: going on in the session of the attempt before, which had already run tools`);
  return continuation(run, record.session_id);
}

/** A refused history counts as cut off. If the run died before it decided, the tools would otherwise run once more. */
const isCutOff = ({ class: errorClass, reason }: Verdict): boolean =>
  errorClass === 'transient' || reason === 'broken_history';

export async function continuation({ open, stage }: StageRun, session: string): Promise<AttemptRequest> {
  const text =
    'Your last turn was cut off. Go on from where it stopped; do not redo what is already done, and finish your answer.\n';
  const file = path.join(open.task.inputs, 'prompt', `${stage.name}.go-on.md`);
  await writeAtomic(file, text, 'renamed');
  const known = { file, sha256: sentHash(stage.tool, text), chars: text.length, digest: 'off' } as const;
  return {
    prompt: { ...known, ...NOTHING_BESIDE },
    isContinuation: true,
    resumeSession: session,
  };
}

const NOTHING_BESIDE = {
  parts: [],
  leftOut: [],
  tooLarge: null,
  warnings: [],
  acceptanceCommands: [],
  proposedCommands: [],
};
