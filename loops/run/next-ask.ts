// What is asked after a failure: the decision, the next prompt, and how long to wait before it.

import path from 'node:path';
import { waitBefore } from '../../policies/backoff.ts';
import type { CallRecord } from '../../policies/call-record.ts';
import { type Decision, decide } from '../../policies/decide.ts';
import { budgetOf } from '../../state/ledger.ts';
import { writeWhole } from '../../state/whole-file.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { composePrompt, type Prompt, sentHash } from './prompt.ts';
import type { StageRun } from './stage.ts';

/** What the stage has behind it in this run. */
export interface Seen {
  /** This signature, this time included. */
  count: number;
  retriesLeft: number;
  /** How long the next call would have to be waited for. */
  waitMs: number;
}

export interface Ask {
  prompt: Prompt;
  resumeSession: string | null;
}

export function decisionFor(run: StageRun, record: CallRecord, seen: Seen): Decision {
  const { open, stage, clock, endsAt } = run;
  const now = clock();
  const { ledger } = open.journal.read();
  return decide({
    verdict: record.verdict,
    count: seen.count,
    retriesLeft: seen.retriesLeft,
    callsLeft: Math.max(0, budgetOf(ledger) - ledger.used),
    dirty: run.dirtyRetries === 'never' && (record.tool_calls ?? 0) > 0,
    sessionId: ADAPTERS[stage.tool].resumesToolSessions ? record.session_id : null,
    waitForResetMs: 0,
    waitMs: seen.waitMs,
    wallLeftMs: endsAt && endsAt.getTime() - now.getTime(),
    now,
    taskId: open.task.id,
    tool: stage.tool,
  });
}

export async function nextAsk(run: StageRun, record: CallRecord, decision: Decision, ask: Ask): Promise<Ask> {
  const { open, stage } = run;
  switch (decision.action) {
    case 'retry_digest': {
      const composed = await composePrompt(open.task, open.manifest, stage, 'aggressive');
      // A fresh session: what overflowed may be the old one's history.
      return { prompt: composed.how === 'composed' ? composed.prompt : ask.prompt, resumeSession: null };
    }
    case 'resume':
      return { prompt: await goOnPrompt(run), resumeSession: record.session_id };
    default:
      return ask;
  }
}

async function goOnPrompt({ open, stage }: StageRun): Promise<Prompt> {
  const text =
    'Your last turn was cut off. Go on from where it stopped; do not redo what is already done, and finish your answer.\n';
  const file = path.join(open.task.inputs, 'prompt', `${stage.name}.go-on.md`);
  await writeWhole(file, text);
  return { file, sha256: sentHash(stage.tool, text) };
}

/** Milliseconds before the next call: the longest of what the service asked for and the schedule. */
export function waitFor(run: StageRun, record: CallRecord, calls: number): number {
  return waitBefore({
    retryAt: record.verdict.retry_at,
    sessionErrors: 0,
    attempt: calls,
    now: run.clock(),
    random: run.random,
  });
}
