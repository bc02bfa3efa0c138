// Runs the attempts of a stage: call, verdict, decision, and then a retry or the end. Other modules classify and decide.

import { isAboutLog } from '../../policies/api-errors/failures.ts';
import { isLack } from '../../policies/facts/requirements.ts';
import { usedUp } from '../../policies/manifest/call-terms.ts';
import { omissionSentence } from '../../policies/prompt/omissions.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { Decision } from '../../policies/verdict/decide.ts';
import { causeOf, engineWords } from '../../policies/verdict/stand-ins.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { spentOf } from '../../state/usage.ts';
import type { Reset } from '../task/attempt-request.ts';
import { changedByOthersFailure, failureOf, limitFailure, pausedFailure, unansweredFailure } from '../task/failure.ts';
import { paidWords } from '../task/paid-calls.ts';
import type { Prompt } from '../task/prompt.ts';
import { engineOf, isSameLogin, NOT_BEGUN, type StageEnd, type StageRun } from '../task/stage-run.ts';
import type { Baseline } from './baseline.ts';
import { dispatchCall } from './dispatch-call.ts';
import { promptToSend } from './first-prompt.ts';
import { decisionFor, planNextAttempt, waitFor } from './next-attempt.ts';
import { resumeLastAttempt, resumeStandIns } from './resume.ts';
import { alone, takeBackUnanswered } from './sent-turn.ts';
import { gateAnswer } from './stage-gate.ts';
import {
  applyDecision,
  failed,
  interrupted,
  type StageEnded,
  type StageProgress,
  type StageStep,
  soonestOf,
  startOf,
  withReset,
} from './stage-progress.ts';
import { openStageSession } from './stage-session.ts';

/**
 * Repeats calls until a gate has checked an answer, a failure allows no retry, or a stop is requested.
 * @param first the prompt of the stage. @param baseline null if the changes of the stage are not checked. Throws the errors of
 * the operating system.
 */
export async function attempts(run: StageRun, first: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  const session = await openStageSession(run);
  if (session === null) return NOT_BEGUN;
  let progress = startOf(run, session, first);
  try {
    const begun = await beginOrResume(progress, first, baseline);
    progress = begun.progress;
    if (begun.how === 'ended') return withSession(begun);
    for (;;) {
      const step = await attempt(progress, first, baseline);
      progress = step.progress;
      if (step.how === 'ended') return withSession(step);
      const applied = await applyDecision(progress, step.next);
      progress = applied.progress;
      if (applied.how === 'stopped') return withSession(interrupted(progress, first, null));
    }
  } finally {
    progress.session.release();
  }
}

const withSession = ({ end, progress: { session, sentInto } }: StageEnded): StageEnd => ({
  ...end,
  warnings: [...end.warnings, ...session.notes],
  session: sentInto ?? session.use,
});

/** Continues where an unfinished run was, and waits as long as its session must rest. */
async function beginOrResume(
  start: StageProgress,
  first: Prompt,
  baseline: Baseline | null,
): Promise<StageEnded | { how: 'ready'; progress: StageProgress }> {
  const resumed = await resumeStandIns(start, first, baseline);
  if (resumed.how === 'stopped') return interrupted(resumed.progress, first, null);
  const { run, session } = resumed.progress;
  const request = (await resumeLastAttempt(run, first, session)) ?? resumed.progress.request;
  const progress = { ...resumed.progress, request };
  const restMs = session.restMs();
  if (restMs > 0) {
    const seconds = Math.ceil(restMs / 1000);
    const leftMs = run.wallLeftMs();
    if (leftMs !== null && restMs >= leftMs) {
      const why = `the wait of ${seconds} s for its session would pass the task's wall clock`;
      return failed(progress, first, limitFailure(run, { field: 'max_wallclock_sec', why }), null);
    }
    run.context.say(
      `stage ${run.stage.name}: its session failed the last time; waiting ${(restMs / 1000).toFixed(1)} s`,
    );
    await run.context.pause(restMs, run.context.stop);
  }
  await takeBackOfRunBefore(progress);
  return { how: 'ready', progress };
}

/** Takes back a prompt that an earlier failed or killed run sent here without an answer. It is sent again. */
async function takeBackOfRunBefore({ run, request: { resumeSession, prompt } }: StageProgress): Promise<void> {
  if (resumeSession === null) return;
  const calls = [...run.open.journal.read().ledger.calls.values()];
  const hasEarlierCall = calls.some(({ granted, reserved }) => granted && reserved.stage === run.stage.name);
  if (hasEarlierCall) await takeBackUnanswered(run, resumeSession, alone(prompt));
}

async function attempt(before: StageProgress, first: Prompt, baseline: Baseline | null): Promise<StageStep> {
  const { run, request, session } = before;
  const { open } = run;
  const stop = run.context.stop;
  if (stop.aborted) return interrupted(before, first, null);
  const limit = usedUp(open.manifest.budgets, { ...spentOf(open), wallLeftMs: run.wallLeftMs() });
  if (limit !== null) return failed(before, first, limitFailure(run, limit), null);
  run.context.say(callAnnouncement(before), 'step');
  const sentPrompt = request.isContinuation ? before.sentPrompt : request.prompt;
  const leftOut = omissionSentence(sentPrompt.leftOut, NAMED_IN_LINE);
  if (leftOut !== null) run.context.say(`stage ${run.stage.name}: ${leftOut} (digest ${sentPrompt.digest})`);
  baseline?.forget();
  const sent = await promptToSend(run, request, session);
  const progress = { ...before, sentPrompt, sent, sentInto: session.use };
  const answered = await dispatchCall(run, { ...request, prompt: sentPrompt, sent }, first.sha256);
  switch (answered.how) {
    case 'stopped':
      return interrupted(progress, first, null);
    case 'paused': {
      const { class: errorClass, until, limit } = answered;
      const reason = limit?.reason ?? 'paused';
      const verdict = { class: errorClass, reason, evidence: null, retry_at: until } as const;
      const { tool_calls, session_id } = progress.failed ?? { tool_calls: 0, session_id: null };
      const refused = { verdict, tool_calls, session_id };
      return decided(progress, refused, 0, (after, _, soonest) =>
        failed(after, first, pausedFailure(run, answered, soonest), null),
      );
    }
    case 'timed_out':
      return attempt(progress, first, baseline);
    case 'refused':
      return failed(progress, first, changedByOthersFailure(run, answered.why), null);
    case 'unanswered':
      if (stop.aborted) return interrupted(progress, first, null);
      if (answered.killed && progress.retriesLeft > 0) {
        run.context.say(`stage ${run.stage.name}: ${answered.why}; nothing was paid, and the call is tried again`);
        return attempt({ ...progress, retriesLeft: progress.retriesLeft - 1 }, first, baseline);
      }
      return failed(progress, first, unansweredFailure(run, answered.why), null);
    case 'answered':
      break;
  }
  const { record, judge } = answered;
  // A refused reservation was not a call.
  const called = record.ending === 'not_started' ? progress : { ...progress, calls: progress.calls + 1 };
  // If we stopped the call, its failure is not evidence against its session.
  if (!stop.aborted || record.verdict.class === null) await session.note(record);
  if (judge !== null || record.verdict.class === null) {
    for (const warning of record.warnings.filter(isLack))
      run.context.say(`stage ${run.stage.name}: warning: ${warning}`);
    const end = await gateAnswer(run, record, withDigestOfSent(first, sentPrompt), baseline, called.calls, judge);
    return { how: 'ended', end, progress: called };
  }
  if (stop.aborted) return interrupted(called, first, record);
  tellOfLog(called, record);
  const signature = record.signature ?? '';
  const count = (called.seen.get(signature) ?? 0) + 1;
  const noted: StageProgress = {
    ...called,
    failed: record,
    ranTools: called.ranTools || (record.tool_calls ?? 0) > 0,
    changed: baseline === null ? [] : await baseline.look(),
    seen: new Map([...called.seen, [signature, count]]),
  };
  return decided(noted, record, count, (after, decision, soonest) => {
    const { calls, changed, ranTools } = after;
    const resumed = request.resumeSession !== null;
    const sentPrompt = { chars: request.prompt.chars, parts: first.parts, resumed, ranTools };
    const circumstances = { count, attempt: Math.max(1, calls), decision, soonest, sent: sentPrompt, changed };
    return failed(after, first, failureOf(run, record, circumstances), record);
  });
}

/** Reports a failure that could not be logged, since a later successful call must not hide this. */
function tellOfLog({ run, session }: StageProgress, { warnings }: CallRecord): void {
  for (const warning of warnings.filter(isAboutLog)) {
    run.context.say(`stage ${run.stage.name}: warning: ${warning}`);
    session.notes.push(warning);
  }
}

/** How many parts a progress line names. */
const NAMED_IN_LINE = 3;

/** A reader of the answer must know that the model did not see the whole prompt. */
const withDigestOfSent = (first: Prompt, sent: Prompt): Prompt =>
  sent.digest === first.digest
    ? first
    : {
        ...first,
        leftOut: sent.leftOut,
        warnings: [
          ...sent.warnings,
          `answered from a digest of ${sent.chars} characters, since the whole prompt of ${first.chars} was too large`,
        ],
      };

/** Decides about a failure and notes the decision. Returns the next attempt, or the end of the stage. */
async function decided(
  progress: StageProgress,
  record: Pick<CallRecord, 'verdict' | 'tool_calls' | 'session_id'> & Partial<CallRecord>,
  count: number,
  end: (after: StageProgress, decision: Decision, soonest: Reset | null) => StageStep,
): Promise<StageStep> {
  const { run, session, request, calls, retriesLeft, resetLeftMs, resetsAwaited, changed } = progress;
  const resets = withReset(progress, record.verdict.retry_at);
  const soonest = causeOf(record.verdict) === 'quota' ? soonestOf({ resets }) : null;
  const other = soonest === null || soonest.stage === run.stage ? null : soonest;
  const ahead = session.ahead(record);
  // Work that continues elsewhere need not wait for this session.
  const goesOn =
    (request.resumeSession !== null || (record.tool_calls ?? 0) > 0 || changed.length > 0) && ahead !== null;
  const restMs = goesOn && record.verdict.class !== 'prompt_too_large' ? ahead.restMs : 0;
  const waitMs = waitFor(run, record, Math.max(1, calls), restMs);
  const repair = run.options.repair === 'off' ? 'off' : progress.isRepaired ? 'done' : 'allowed';
  const standing = {
    sessionId: record.session_id,
    resumed: request.resumeSession !== null,
    busyAwaited: progress.busyAwaited,
    repair,
  } as const;
  const isDirty = (record.tool_calls ?? 0) > 0 || changed.length > 0;
  const limits = { resetLeftMs, resetsAwaited, soonest: isDirty ? null : other };
  const seen = { count, retriesLeft, waitMs, changed: changed.length, ...limits };
  const decision = decisionFor(run, record, { ...seen, sessionId: ahead?.id ?? null, session: standing });
  const sent = { ...progress.sent, cliVersion: progress.failed?.cli_version ?? null };
  const planned =
    decision.action === 'stop'
      ? null
      : await planNextAttempt(run, decision, waitMs, { request, session, record, sent, soonest: seen.soonest });
  const after = { ...progress, resets, isRepaired: progress.isRepaired || decision.action === 'mend' };
  const next = planned?.how === 'planned' ? planned.next : null;
  const why = planned?.how === 'impossible' ? planned.why : decision.why;
  await run.open.journal.note({
    fact: 'decided',
    run_id: run.runId,
    stage: run.stage.name,
    action: next === null ? 'stop' : decision.action,
    why,
    wait_ms: next?.waitMs ?? 0,
    ...(next?.standIn === undefined ? {} : { stand_in: next.standIn }),
    ...refusalIn(run, record),
  });
  if (next === null) {
    if (record.verdict.reason === 'broken_history' && record.session_id !== null)
      await session.poison(record.session_id, `its history is broken (${why})`);
    if (record.verdict.class === 'prompt_too_large' && session.id !== null)
      await session.giveUp(session.id, 'given_up');
    // The planned action is not possible.
    return end(after, planned === null ? decision : { action: 'stop', why, next_actions: [] }, other);
  }
  const { class: errorClass, reason } = record.verdict;
  const wait = next.waitMs === 0 ? '' : `; waiting ${(next.waitMs / 1000).toFixed(1)} s`;
  run.context.say(`stage ${run.stage.name}: ${errorClass} (${reason}); ${why}${wait}`);
  return { how: 'again', next, progress: after };
}

/** What is seen of a failure whose call was not even reserved. */
function refusalIn(
  { open }: StageRun,
  { call_id, signature, verdict }: Parameters<typeof decided>[1],
): Pick<Extract<Fact, { fact: 'decided' }>, 'refused'> {
  if (call_id === undefined || !signature || open.journal.read().ledger.calls.get(call_id)?.verdict) return {};
  return { refused: { class: verdict.class, signature } };
}

/** The line printed before a call: the tool that is called, and the cost of the task so far. */
function callAnnouncement({ run: { open, stage }, calls }: StageProgress): string {
  const own = open.plans.find((plan) => plan.stage.name === stage.name)?.stage;
  const isOwn = own !== undefined && isSameLogin(own, stage) && own.model === stage.model;
  const model = own?.tool === stage.tool && own.model && stage.model === undefined ? ' with its own model' : '';
  const standIn = isOwn ? '' : `, ${engineWords(engineOf(stage))}${model} as the replacement`;
  return `stage ${stage.name}: call ${calls + 1}${standIn} (${paidWords(open).join(', ')})`;
}
