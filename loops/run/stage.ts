// One stage: what the tree is before it, its attempts, and the gate that its answer must pass.

import type { CallRecord } from '../../policies/call-record.ts';
import type { Finding, GateRecord } from '../../policies/gate.ts';
import type { ResolvedRole } from '../../policies/resolved-role.ts';
import type { Failure } from '../../policies/task-failure.ts';
import type { Stage } from '../../state/manifest-schema.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { SessionUse } from '../session/resolve.ts';
import { attempts } from './attempts.ts';
import { type Baseline, closeBaseline, openBaseline } from './baseline.ts';
import { unpreparedFailure } from './failure.ts';
import { withFailureBefore } from './failure-before.ts';
import { gateFailure, passStage } from './gated.ts';
import type { CallWishes } from './guardian.ts';
import type { Underway } from './last-event.ts';
import { paidAnswer } from './one-call.ts';
import type { Composing, Prompt } from './prompt.ts';
import type { RunRequest } from './run.ts';
import type { Slots } from './slots.ts';
import { markDone } from './stage-door.ts';

export interface StageRun extends Composing, CallWishes {
  /** With the tool that answers now, which may stand in for the manifest's. */
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  runId: string;
  /** Where runs of this user note what their calls are judged by, and what changed in other tasks meanwhile. */
  register: string;
  /** By call: what was found of files that it is judged by after its run was killed. */
  tampered: ReadonlyMap<string, Finding>;
  /** The folder of the built commands, where the wrappers lie. */
  commandFolder: string;
  /** The user asked to pay for it again. */
  redone: boolean;
  /** May an attempt that ran tools be begun anew? */
  dirtyRetries: 'never' | 'allowed';
  /** What becomes of changes that are out of scope. */
  outOfScope: 'reported' | 'restored';
  /** How long the reset of a quota may be waited for. */
  waitForResetMs: number;
  /** Until the task's wall clock runs out, in milliseconds awake; null without one. */
  wallLeftMs(): number | null;
  /** Aborted when the run is told to stop: no more calls, no more waiting. */
  stop: AbortSignal;
  /** Aborted once what is known is written: now the guardian may be told. */
  guardianStop: AbortSignal;
  /** Where calls wait for a place; without it none waits. */
  slots?: Slots;
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  /** While others have what it wants. */
  whenTaken: RunRequest['whenTaken'];
  /** Is a history that the service refuses mended? */
  repair: 'allowed' | 'off';
  /** While somebody else has the session open in its CLI. */
  whenOpen: 'wait' | 'fresh';
  say(sentence: string): void;
  /** The call that is waited for; null when there is none. */
  watch(underway: Underway | null): void;
}

export type StageEnd = { gate: GateRecord | null; calls: number; warnings: string[]; session?: SessionUse } & (
  | { how: 'done'; record: CallRecord }
  | { how: 'failed'; failure: Failure; record: CallRecord | null }
  /** `retry_at`: when the service may be asked again, if it said so. */
  | { how: 'interrupted'; record: CallRecord | null; retry_at: string | null }
);

/** Told to stop while it waited for its turn. */
export const NOT_BEGUN: StageEnd = {
  how: 'interrupted',
  record: null,
  gate: null,
  calls: 0,
  warnings: [],
  retry_at: null,
};

export async function runStage(run: StageRun, first: Prompt): Promise<StageEnd> {
  const baseline = await openBaseline(run);
  if (baseline !== null && 'how' in baseline) {
    const failure = unpreparedFailure(run, baseline.message);
    return { how: 'failed', failure, record: null, gate: null, calls: 0, warnings: [] };
  }
  const paid = paidAnswer(run, first);
  const answering = paid === null ? null : { ...run, stage: { ...run.stage, tool: paid.tool } };
  const end =
    paid === null
      ? await attempts(run, first, baseline)
      : await gated(answering!, paid, first, baseline, 0, run.tampered.get(paid.call_id) ?? null);
  if (end.how === 'done') await markDone(run.open.task, run.open.journal, run.stage.name, end.record.call_id, first);
  await closeBaseline(run, baseline, end.how === 'done' ? 'done' : 'open');
  return end.how === 'failed' ? { ...end, failure: withFailureBefore(run, end.failure) } : end;
}

/** A call that succeeded is not yet a stage that is done. */
export async function gated(
  run: StageRun,
  record: CallRecord,
  prompt: Prompt,
  baseline: Baseline | null,
  calls: number,
  judge: Finding | null = null,
): Promise<StageEnd> {
  const gate = await passStage(run, record, prompt, baseline, judge);
  const ended = { record, gate, calls, warnings: prompt.warnings };
  if (gate.passed) return { ...ended, how: 'done' };
  // Stopped in the middle: nothing is known against the answer, and the next run looks at it again.
  if (gate.findings.length === 0) return { ...ended, how: 'interrupted', retry_at: null };
  return { ...ended, how: 'failed', failure: gateFailure(run, record, gate, calls) };
}
