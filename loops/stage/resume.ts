// Resumes where an unfinished run was: in the session of an attempt that had run tools, and with the fallbacks it had reached.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { causeOf, engineWords, type StandIn, standInWords } from '../../policies/verdict/stand-ins.ts';
import { type Call, decisionsByCall, type Ledger, standInsIn } from '../../state/journal/ledger.ts';
import type { AttemptRequest, StageSession } from '../task/attempt-request.ts';
import type { Prompt } from '../task/prompt.ts';
import { engineOf, isSameLogin, type StageRun } from '../task/stage-run.ts';
import type { Baseline } from './baseline.ts';
import { readRecord } from './guardian.ts';
import { continuation, decisionFor, fallbacksOf, planNextAttempt } from './next-attempt.ts';
import { type Applied, applyDecision, type StageProgress, withReset } from './stage-progress.ts';

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
  if (!isSameLogin(last.reserved, stage)) return null;
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

/**
 * Resumes with the fallbacks that an unfinished run had reached, so that a tool that cannot answer is not paid again.
 * @param prompt the stage's prompt, which must also be the one of the earlier run.
 */
export async function resumeStandIns(
  progress: StageProgress,
  prompt: Prompt,
  baseline: Baseline | null,
): Promise<Applied> {
  const { open, stage, redone } = progress.run;
  const { ledger } = open.journal.read();
  const last = redone ? undefined : lastCallOf(ledger, stage.name);
  let reached: Applied = { how: 'done', progress };
  if (last === undefined || last.reserved.for_prompt !== prompt.sha256 || isOver(ledger, last)) return reached;
  for (const standIn of standInsIn(ledger, last.reserved.run_id!, stage.name)) {
    // The manifest may have been changed since.
    const next = withNext(reached.progress, standIn);
    if (next === null) return reached;
    const retryAt = resetIn(ledger, last, next.run.stage);
    reached = await ask(next, { reason: standIn.reason, retryAt }, 'the run before was cut off there');
    if (reached.how === 'stopped') return reached;
  }
  const record = isDecided(ledger, last) ? null : readRecord(open.task, last.reserved.call_id);
  if (record === null || !(await wantsStandIn(reached.progress, record, baseline))) return reached;
  const { reason, retry_at: retryAt } = record.verdict;
  return ask(reached.progress, { reason, retryAt }, 'the run before was cut off as it failed');
}

/** When the engine of a stage can work again, by its last call in the run of `last`. */
function resetIn({ calls }: Ledger, { reserved: { run_id, stage: of } }: Call, stage: StageRun['stage']) {
  const ofRun = [...calls.values()].filter(({ reserved }) => reserved.run_id === run_id && reserved.stage === of);
  return ofRun.findLast(({ reserved }) => isSameLogin(reserved, stage))?.verdict?.retry_at ?? null;
}

const lastCallOf = ({ calls }: Ledger, stage: string): Call | undefined =>
  [...calls.values()].findLast(
    ({ granted, reserved }) => granted && reserved.run_id !== null && reserved.stage === stage,
  );

/** A killed run has released nothing. */
const isOver = ({ released }: Ledger, { reserved }: Call): boolean =>
  (released.get(reserved.run_id!)?.state ?? 'interrupted') !== 'interrupted';

/** Without the fallbacks that the earlier run skipped; null if none of them is the replacement. */
function withNext(progress: StageProgress, { in_place_of, ...replacement }: StandIn): StageProgress | null {
  const { run } = progress;
  const at = fallbacksOf(run.stage).findIndex((one) => engineWords(engineOf(one)) === engineWords(replacement));
  if (at < 0 || engineWords(engineOf(run.stage)) !== engineWords(in_place_of)) return null;
  return { ...progress, run: { ...run, stage: { ...run.stage, fallback: run.stage.fallback.slice(at) } } };
}

const isDecided = (ledger: Ledger, call: Call): boolean => call.verdict === null || decisionsByCall(ledger).has(call);

async function wantsStandIn(progress: StageProgress, record: CallRecord, baseline: Baseline | null): Promise<boolean> {
  const { run, retriesLeft, resetLeftMs, resetsAwaited } = progress;
  if (causeOf(record.verdict) === null || !isSameLogin(record, run.stage)) return false;
  const changed = baseline === null ? 0 : (await baseline.look()).length;
  const decision = decisionFor(run, record, {
    ...{ count: 1, waitMs: 0, changed, retriesLeft, resetLeftMs, resetsAwaited, sessionId: null },
    session: { sessionId: null, resumed: false, busyAwaited: 0, repair: 'off' },
  });
  return decision.action === 'fallback';
}

/** Acts as after a failure of this run. Nothing is changed if the prompt of the next fallback cannot be made. */
async function ask(
  progress: StageProgress,
  { reason, retryAt }: { reason: string | null; retryAt: string | null },
  why: string,
): Promise<Applied> {
  const { run, session, request, sent } = progress;
  const { stage, open, runId, context } = run;
  const decision = {
    action: 'fallback',
    tool: stage.fallback[0]!.tool,
    why,
    next_actions: [] as NextAction[],
  } as const;
  const verdict = { class: null, reason, evidence: null, retry_at: null };
  const planned = await planNextAttempt(run, decision, 0, {
    ...{ request, session, sent: { ...sent, cliVersion: null } },
    record: { verdict, tool_calls: 0, session_id: null },
  });
  if (planned.how === 'impossible') return { how: 'done', progress };
  const { standIn } = planned.next;
  await open.journal.note({
    ...{ fact: 'decided', run_id: runId, stage: stage.name, action: decision.action, why, wait_ms: 0 },
    stand_in: standIn!,
  });
  context.say(`stage ${stage.name}: ${standInWords(standIn!)}; ${why}`);
  const recorded = { ...progress, resets: withReset(progress, retryAt), sentPrompt: planned.next.request.prompt };
  return applyDecision(recorded, planned.next);
}
