// From what a call left to what is believed about it: evidence, verdict, signature.

import { classify } from '../../policies/classify.ts';
import type { Clock } from '../../policies/clock.ts';
import type { Evidence, Verdict } from '../../policies/evidence.ts';
import { type SignatureInput, sign } from '../../policies/signature/sign.ts';
import { visibleChars } from '../../policies/success.ts';
import type { Tool } from '../../policies/tools.ts';
import type { Outcome } from '../../wrappers/run.ts';

export interface Judgement {
  verdict: Verdict;
  signature: string | null;
}

export interface Context {
  tool: Tool;
  taskId: string | null;
  prompt: string | null;
  clock: Clock;
}

export function judge(outcome: Outcome, context: Context): Judgement {
  const evidence = evidenceOf(outcome, context.tool);
  const verdict = classify(evidence, context.clock);
  return { verdict, signature: signatureOf(evidence, verdict, context) };
}

function signatureOf(evidence: Evidence, verdict: Verdict, { taskId, prompt }: Context): string | null {
  if (verdict.class === null) return null;
  const volatile = { ...(taskId === null ? {} : { taskId }), ...(prompt === null ? {} : { prompt }) };
  return sign({ ...signatureInput(evidence, verdict), volatile }).signature;
}

/** What the signature of a failure is made of. */
export function signatureInput(evidence: Evidence, verdict: Verdict): SignatureInput {
  return {
    tool: evidence.tool,
    errorLines: evidence.stderr,
    eventText: evidence.failure?.message ?? evidence.errors.at(-1)?.message ?? null,
    detail: {
      ending: evidence.ending,
      class: verdict.class,
      reason: verdict.reason,
      more: evidence.exitCode === null ? [] : [`exit ${evidence.exitCode}`],
    },
  };
}

function evidenceOf({ capture, ...outcome }: Outcome, tool: Tool): Evidence {
  const error = outcome.spawnError;
  return {
    tool,
    ending: outcome.ending,
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    completed: capture.completed,
    answerChars: visibleChars(capture.answer),
    failure: capture.failure,
    errors: capture.retrying === null ? capture.errors : [...capture.errors, capture.retrying],
    stderr: outcome.errorLines,
    obstacle:
      error === null
        ? null
        : { class: 'tooling', reason: 'not_started', message: `the CLI could not be started: ${error.message}` },
    tokens: capture.usage.total_tokens,
  };
}
