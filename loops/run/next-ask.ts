// What is asked after a failure: the decision, the next prompt, of whom, and how long to wait before it.

import { waitBefore } from '../../policies/backoff.ts';
import type { CallRecord } from '../../policies/call-record.ts';
import { type Decision, decide } from '../../policies/decide.ts';
import { budgetOf } from '../../state/ledger.ts';
import type { Stage } from '../../state/manifest-schema.ts';
import { goOn } from './go-on.ts';
import { type Composed, composePrompt, type DigestPolicy, type Prompt, writePrompt } from './prompt.ts';
import type { StageRun } from './stage.ts';

/** What the stage has behind it in this run. */
export interface Seen {
  /** This signature, this time included. */
  count: number;
  retriesLeft: number;
  /** How long the next call would have to be waited for. */
  waitMs: number;
  /** Paths that the stage has changed so far. */
  changed: number;
  /** How long resets may still be waited for, and how many were. */
  resetLeftMs: number;
  resetsAwaited: number;
}

export interface Ask {
  prompt: Prompt;
  resumeSession: string | null;
}

export interface Next {
  ask: Ask;
  /** Another tool may stand in. */
  stage: Stage;
  waitMs: number;
  /** Of a reset: the time of day at which it is over. */
  until: Date | null;
  /** Waiting for a reset and asking another tool are no retries. */
  counts: 'as_retry' | 'as_reset' | 'as_none';
}

export function decisionFor(
  run: StageRun,
  record: Pick<CallRecord, 'verdict' | 'tool_calls' | 'session_id'>,
  seen: Seen,
): Decision {
  const { open, stage, clock } = run;
  const now = clock();
  const { ledger } = open.journal.read();
  return decide({
    verdict: record.verdict,
    count: seen.count,
    retriesLeft: seen.retriesLeft,
    callsLeft: Math.max(0, budgetOf(ledger) - ledger.used),
    dirty: (record.tool_calls ?? 0) > 0 || seen.changed > 0,
    dirtyRetries: run.dirtyRetries,
    sessionId: record.session_id,
    waitForResetMs: seen.resetLeftMs,
    resetsAwaited: seen.resetsAwaited,
    fallback: stage.fallback[0]?.tool ?? null,
    waitMs: seen.waitMs,
    wallLeftMs: run.wallLeftMs(),
    now,
    taskId: open.task.id,
    tool: stage.tool,
  });
}

export type Asked = { how: 'asked'; next: Next } | { how: 'cannot'; why: string };

/** What a decision other than to stop comes to. */
export async function nextAsk(
  run: StageRun,
  decision: Exclude<Decision, { action: 'stop' }>,
  waitMs: number,
  ask: Ask,
): Promise<Asked> {
  const { stage } = run;
  const retry = { stage, waitMs, until: null, counts: 'as_retry' } as const;
  switch (decision.action) {
    case 'retry':
      return asked({ ...retry, ask });
    case 'retry_digest': {
      const composed = await composeAnew(run, stage, 'aggressive');
      if (composed.how === 'mistaken') return { how: 'cannot', why: composed.message };
      const { prompt } = composed;
      // A fresh session where there was one: what overflowed may be its history.
      if (prompt.sha256 === ask.prompt.sha256 && ask.resumeSession === null)
        return { how: 'cannot', why: 'its digest is the same prompt again' };
      return asked({ ...retry, ask: { prompt, resumeSession: null } });
    }
    case 'resume':
      return asked({ ...retry, ask: await goOn(run, decision.sessionId) });
    case 'wait_until': {
      const { until, sessionId } = decision;
      const untilMs = Math.max(0, Date.parse(until) - run.clock().getTime());
      const again = sessionId === null ? ask : await goOn(run, sessionId);
      return asked({ stage, waitMs: untilMs, until: new Date(until), counts: 'as_reset', ask: again });
    }
    case 'fallback': {
      const [standIn, ...fallback] = stage.fallback;
      const other: Stage = { ...stage, ...standIn!, model: standIn!.model, fallback };
      const composed = await composeAnew(run, other, run.open.manifest.context.digest_policy);
      if (composed.how === 'mistaken') return { how: 'cannot', why: composed.message };
      const { prompt } = composed;
      return asked({ stage: other, waitMs: 0, until: null, counts: 'as_none', ask: { prompt, resumeSession: null } });
    }
  }
}

const asked = (next: Next): Asked => ({ how: 'asked', next });

async function composeAnew(run: StageRun, stage: Stage, digest: DigestPolicy): Promise<Composed> {
  const composed = await composePrompt(run, { ...run, stage }, digest);
  if (composed.how === 'composed') await writePrompt(composed);
  return composed;
}

/** Milliseconds before the next call: the longest of what the service asked for and the schedule. */
export function waitFor(run: StageRun, record: Pick<CallRecord, 'verdict'>, calls: number): number {
  return waitBefore({
    retryAt: record.verdict.retry_at,
    sessionErrors: 0,
    attempt: calls,
    now: run.clock(),
    random: run.random,
  });
}
