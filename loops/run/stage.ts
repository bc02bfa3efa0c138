// One stage: call, verdict, decision, and again or on. Judging, deciding and acting are three things; this one acts.

import { setTimeout as pause } from 'node:timers/promises';
import type { CallRecord } from '../../policies/call-record.ts';
import type { Failure } from '../../policies/task-failure.ts';
import type { Stage } from '../../state/manifest-schema.ts';
import { failureOf, unansweredFailure } from './failure.ts';
import { type Ask, decisionFor, nextAsk, waitFor } from './next-ask.ts';
import { callOnce, paidAnswer } from './one-call.ts';
import type { Prompt } from './prompt.ts';
import type { OpenTask } from './task.ts';

export interface StageRun {
  open: OpenTask;
  stage: Stage;
  runId: string;
  /** The folder of the built commands, where the wrappers lie. */
  commandFolder: string;
  environment: NodeJS.ProcessEnv;
  trustWorkspace: boolean;
  /** The user asked to pay for it again. */
  redone: boolean;
  /** May an attempt that ran tools be begun anew? */
  dirtyRetries: 'never' | 'allowed';
  /** When the task's wall clock runs out. */
  endsAt: Date | null;
  /** Aborted when the run is told to stop: no more calls, no more waiting. */
  stop: AbortSignal;
  /** Aborted once what is known is written: now the guardian may be told. */
  guardianStop: AbortSignal;
  clock: () => Date;
  random: () => number;
  say(sentence: string): void;
}

export type StageEnd =
  | { how: 'done'; record: CallRecord; calls: number }
  | { how: 'failed'; failure: Failure; record: CallRecord | null; calls: number }
  | { how: 'interrupted'; record: CallRecord | null; calls: number };

export async function runStage(run: StageRun, first: Prompt): Promise<StageEnd> {
  const { open, stage, stop, say } = run;
  const seen = new Map<string, number>();
  let { retry_budget: retriesLeft } = open.manifest.budgets;
  let ask: Ask = { prompt: first, resumeSession: open.manifest.meta.session_id ?? null };
  const paid = run.redone ? null : paidAnswer(run, first);
  if (paid !== null) return { how: 'done', record: paid, calls: 0 };
  for (let calls = 1; ; calls++) {
    if (stop.aborted) return { how: 'interrupted', record: null, calls: calls - 1 };
    say(`stage ${stage.name}: call ${calls}`);
    const answered = await callOnce(run, ask, first.sha256);
    if (answered.how === 'unanswered')
      return { how: 'failed', failure: unansweredFailure(run, answered.why), record: null, calls: calls - 1 };
    const { record } = answered;
    if (record.verdict.class === null) return { how: 'done', record, calls };
    if (stop.aborted) return { how: 'interrupted', record, calls };
    const count = (seen.get(record.signature ?? '') ?? 0) + 1;
    seen.set(record.signature ?? '', count);
    const waitMs = waitFor(run, record, calls);
    const decision = decisionFor(run, record, { count, retriesLeft, waitMs });
    const next = decision.action === 'stop' ? null : await nextAsk(run, record, decision, ask);
    open.journal.append({
      fact: 'decided',
      run_id: run.runId,
      stage: stage.name,
      action: next === null ? 'stop' : decision.action,
      why: decision.why,
      wait_ms: next === null ? 0 : waitMs,
    });
    if (next === null) {
      const failure = failureOf(run, record, { count, attempt: calls, decision });
      // A refused reservation was no call.
      return { how: 'failed', failure, record, calls: record.ending === 'not_started' ? calls - 1 : calls };
    }
    const { class: errorClass, reason } = record.verdict;
    say(`stage ${stage.name}: ${errorClass} (${reason}); ${decision.why}; waiting ${(waitMs / 1000).toFixed(1)} s`);
    await pause(waitMs, undefined, { signal: stop }).catch(() => {});
    ask = next;
    retriesLeft -= 1;
  }
}
