// Requests one answer of the service, with the only retry layer: visible, and bounded unless the service is unreachable.

import { randomUUID } from 'node:crypto';
import { budgetReached, withUnheard } from '../../policies/distill/budgets.ts';
import type { DistillMove } from '../../policies/distill/distillation.ts';
import { modelRow } from '../../policies/distill/models.ts';
import type { PauseReason } from '../../policies/distill/pauses.ts';
import {
  type ClassifiedFailure,
  classifyFailure,
  type TurnAnswer,
  type TurnContent,
  waitAfter,
} from '../../policies/distill/service.ts';
import { LOST } from '../../policies/rules/endings.ts';
import { ServiceFailure } from '../../wrappers/gemini-api/document-service.ts';
import type { DistillRun } from './distill-run.ts';
import { uploadAgain } from './upload.ts';

type AskResult =
  | { how: 'answered'; callId: string; answer: TurnAnswer; request: TurnContent; history: number; retries: number }
  | { how: 'paused'; reason: PauseReason; evidence: string }
  /** Requests without an answer may use up a budget. */
  | { how: 'stopped'; evidence: string }
  /** Stopped while no request was in progress, or so firmly that the request in progress is lost. */
  | { how: 'aborted' };

type Asking = Extract<DistillMove, { move: 'ask' }>;

export async function askFor({ section }: Asking, run: DistillRun): Promise<AskResult> {
  const { control, context, terms } = run;
  let callId: string | null = null;
  let wasLost = false;
  let unheard = 0;
  let tries = 0;
  for (let attempt = 1; ; attempt += 1) {
    // Reserved right before it is sent, so that an interrupted wait does not record a call that was never made.
    callId ??= reserve(section, run);
    if (callId === null) return { how: 'paused', reason: 'calls', evidence: 'no paid call remains' };
    context.tell({ event: 'asking', section, attempt });
    const { contents, request } = run.history.before(section);
    const said = await askOnce(contents, run);
    if (said.how === 'answered') {
      const history = contents.length - 1;
      const { isCounted, ...answer } = said.answer;
      if (isCounted) run.uncount();
      return { how: 'answered', callId, answer, request, history, retries: attempt - 1 };
    }
    if (said.how === 'aborted') {
      close(callId, LOST, run);
      return said;
    }
    const { judged } = said;
    trace(section, attempt, request, contents.length - 1, judged, run);
    if (judged.does.means === 'pause')
      return given({ callId, reason: 'error', evidence: judged.evidence, judged }, run);
    if (judged.does.means === 'file_lost') {
      if (wasLost) return given({ callId, reason: 'file_lost', evidence: judged.evidence, judged }, run);
      wasLost = true;
      const ended = await uploadAgain('lost', run);
      if (ended !== null) {
        giveBack(callId, verdictOf(judged), run);
        return ended;
      }
      continue;
    }
    if (!judged.does.forever) tries += 1;
    const wait = waitAfter(judged, {
      attempt,
      tries,
      autoWaitMs: terms.autoWaitMs,
      now: context.clock(),
      random: context.random,
    });
    if (wait.how === 'pause') return given({ callId, ...wait, judged }, run);
    if (judged.maybePaid) {
      // A request that may have cost money remains counted, and the next request is another call.
      close(callId, verdictOf(judged), run);
      unheard += 1;
      const reached = reachedBy(unheard, contents, run);
      if (reached !== null) return { how: 'stopped', evidence: reached };
      callId = null;
    }
    const why = judged.evidence;
    context.tell({ event: 'waiting', what: 'section', section, attempt: attempt + 1, wait_ms: wait.waitMs, why });
    await context.pause(wait.waitMs, control.waiting);
    if (control.waiting.aborted) {
      if (callId !== null) giveBack(callId, verdictOf(judged), run);
      return { how: 'aborted' };
    }
  }
}

function reachedBy(tries: number, contents: readonly TurnContent[], run: DistillRun): string | null {
  const { checkpoint, fold, terms } = run;
  const { spent, turns } = fold.standing();
  const chars = run.prompt.length + JSON.stringify(contents).length;
  const budgets = { ...terms.budgets, maxTokens: checkpoint.max_tokens, maxUsd: checkpoint.max_usd };
  return budgetReached(budgets, withUnheard(spent, { tries, turns, chars }), run.elapsedMs());
}

type Once = { how: 'answered'; answer: TurnAnswer } | { how: 'failed'; judged: ClassifiedFailure } | { how: 'aborted' };

async function askOnce(contents: readonly TurnContent[], run: DistillRun): Promise<Once> {
  const { control, checkpoint, service, terms, context } = run;
  const { model, temperature } = checkpoint;
  const cut = new AbortController();
  const end = () => cut.abort(control.asking.reason);
  control.asking.addEventListener('abort', end, { once: true });
  if (control.asking.aborted) end();
  const late = new Error(`no answer came within ${Math.round(terms.turnMs / 1000)} s: timed out`);
  const timer = setTimeout(() => cut.abort(late), terms.turnMs);
  try {
    const turn = {
      model,
      systemInstruction: run.prompt,
      contents,
      temperature,
      signal: cut.signal,
      turn: run.fold.standing().turns + 1,
    };
    return { how: 'answered', answer: await service.ask(turn) };
  } catch (error) {
    if (control.asking.aborted) return { how: 'aborted' };
    const refusal = error instanceof ServiceFailure ? error : cut.signal.reason === late ? tooLate(late) : null;
    if (refusal === null) throw error;
    const judged = classifyFailure(refusal, context.clock());
    return { how: 'failed', judged: { ...judged, evidence: run.redact(judged.evidence) } };
  } finally {
    clearTimeout(timer);
    control.asking.removeEventListener('abort', end);
  }
}

const tooLate = ({ message }: Error) => ({ message, status: null, retryAfterMs: null, body: '', offline: false });

/** Written to disk before a request is sent. @returns null if no call remains. */
function reserve(section: number, run: DistillRun): string | null {
  const callId = randomUUID();
  const { clock } = run.context;
  run.record({
    fact: 'reserved',
    call_id: callId,
    run_id: run.runId,
    stage: STAGE,
    tool: run.checkpoint.via ?? 'gemini',
    attempt: section,
    for_prompt: run.checkpoint.prompt_sha256,
    guardian: run.self,
    deadline_at: new Date(clock().getTime() + run.terms.turnMs).toISOString(),
  });
  return run.ledger.calls.get(callId)?.granted === true ? callId : null;
}

const STAGE = 'section';

type Means = Pick<ClassifiedFailure['verdict'], 'class' | 'reason'>;

/** Closes a reservation without an answer. */
export function close(callId: string, { class: errorClass, reason }: Means, run: DistillRun): void {
  run.record({
    fact: 'verdict',
    call_id: callId,
    class: errorClass,
    reason,
    signature: null,
    retry_at: null,
    exit_code: 1,
  });
}

/** The service refused the call, or did not receive it, so it was not paid. A crash between the two facts leaves it counted. */
function giveBack(callId: string, means: Means, run: DistillRun): void {
  close(callId, means, run);
  run.uncount();
}

const verdictOf = ({ verdict }: ClassifiedFailure): Means => verdict;

interface GivenUp {
  callId: string;
  reason: PauseReason;
  evidence: string;
  judged: ClassifiedFailure;
}

function given({ callId, reason, evidence, judged }: GivenUp, run: DistillRun): AskResult {
  if (judged.maybePaid) close(callId, judged.verdict, run);
  else giveBack(callId, judged.verdict, run);
  const successor = judged.verdict.reason === 'model_not_found' ? modelRow(run.checkpoint.model)?.successor : null;
  return {
    how: 'paused',
    reason,
    evidence: successor ? `${evidence}; ${successor} is named as its successor: --model ${successor}` : evidence,
  };
}

function trace(
  section: number,
  attempt: number,
  request: TurnContent,
  history: number,
  judged: ClassifiedFailure,
  run: DistillRun,
): void {
  const { verdict, does, retryAfterMs, evidence } = judged;
  run.trace({
    at: run.context.clock().toISOString(),
    kind: 'error',
    section,
    attempt,
    request: { model: run.checkpoint.model, history, content: request },
    error: { class: verdict.class, reason: verdict.reason, does: does.means, retry_after_ms: retryAfterMs, evidence },
  });
}
