// The attempts of a stage: call, verdict, decision, and again or on. Judging, deciding and acting are three things; this one acts.

import { isAboutLog } from '../../policies/api-errors/unlogged.ts';
import { usedUp } from '../../policies/manifest/limits.ts';
import { leftOutSentence } from '../../policies/prompt/left-out.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import type { Decision } from '../../policies/retry/decide.ts';
import { changedByOthersFailure } from '../failure/closed-failure.ts';
import { failureOf, limitFailure, pausedFailure, unansweredFailure } from '../failure/failure.ts';
import { fileToSend } from '../stage-session/first-prompt.ts';
import { openStageSession } from '../stage-session/stage-session.ts';
import { takeBackUnanswered } from '../stage-session/unanswered.ts';
import type { Prompt } from '../task/prompt.ts';
import { spentOf } from '../task/spent.ts';
import { NOT_BEGUN, type StageEnd, type StageRun } from '../task/stage-run.ts';
import type { Baseline } from './baseline.ts';
import { callWords } from './call-words.ts';
import { type Course, failed, interrupted, type StageStep } from './course.ts';
import { follow } from './follow.ts';
import { gated } from './gated.ts';
import { goOnFrom } from './go-on.ts';
import { decisionFor, nextAsk, waitFor } from './next-ask.ts';
import { callOnce } from './one-call.ts';

export async function attempts(run: StageRun, first: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  const session = await openStageSession(run);
  if (session === null) return NOT_BEGUN;
  const course: Course = {
    run,
    session,
    ask: { prompt: first, resumeSession: session.id },
    asked: first,
    calls: 0,
    seen: new Map(),
    retriesLeft: run.open.manifest.budgets.retry_budget,
    resetLeftMs: run.options.waitForResetMs,
    resetsAwaited: 0,
    busyAwaited: 0,
    mended: false,
    ranTools: false,
    failed: null,
    changed: [],
    sentFile: first.file,
    sentInto: null,
  };
  try {
    const end = await goThrough(course, first, baseline);
    return {
      ...end,
      warnings: [...end.warnings, ...course.session.notes],
      session: course.sentInto ?? course.session.use,
    };
  } finally {
    course.session.leave();
  }
}

async function goThrough(course: Course, first: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  const { run, session } = course;
  course.ask = (await goOnFrom(run, first, session)) ?? course.ask;
  const restMs = session.restMs();
  if (restMs > 0) {
    const seconds = Math.ceil(restMs / 1000);
    const leftMs = run.wallLeftMs();
    if (leftMs !== null && restMs >= leftMs) {
      const why = `the wait of ${seconds} s for its session would pass the task's wall clock`;
      return failed(course, first, limitFailure(run, { field: 'max_wallclock_sec', why }), null).end;
    }
    run.context.say(
      `stage ${run.stage.name}: its session failed the last time; waiting ${(restMs / 1000).toFixed(1)} s`,
    );
    await run.context.pause(restMs, run.context.stop);
  }
  await takeBackOfRunBefore(course);
  for (;;) {
    const step = await attempt(course, first, baseline);
    if (step.how === 'ended') return step.end;
    if ((await follow(course, step.next)) === 'stopped') return interrupted(course, first, null).end;
  }
}

/** What a run before this one sent there, and what stands there unanswered since it failed or was killed, is sent again. */
async function takeBackOfRunBefore({ run, ask: { resumeSession, prompt } }: Course): Promise<void> {
  if (resumeSession === null) return;
  const calls = [...run.open.journal.read().ledger.calls.values()];
  const isAskedBefore = calls.some(({ granted, reserved }) => granted && reserved.stage === run.stage.name);
  if (isAskedBefore) await takeBackUnanswered(run, resumeSession, prompt.file);
}

async function attempt(course: Course, first: Prompt, baseline: Baseline | null): Promise<StageStep> {
  const { run, ask } = course;
  const { open } = run;
  const stop = run.context.stop;
  if (stop.aborted) return interrupted(course, first, null);
  const limit = usedUp(open.manifest.budgets, { ...spentOf(open), wallLeftMs: run.wallLeftMs() });
  if (limit !== null) return failed(course, first, limitFailure(run, limit), null);
  run.context.say(callWords(course));
  if (!ask.isGoOn) course.asked = ask.prompt;
  const { asked } = course;
  const leftOut = leftOutSentence(asked.leftOut, NAMED_IN_LINE);
  if (leftOut !== null) run.context.say(`stage ${run.stage.name}: ${leftOut} (digest ${asked.digest})`);
  baseline?.forget();
  const file = await fileToSend(run, ask, course.session);
  [course.sentFile, course.sentInto] = [file, course.session.use];
  const answered = await callOnce(run, { ...ask, prompt: asked, file }, first.sha256);
  switch (answered.how) {
    case 'stopped':
      return interrupted(course, first, null);
    case 'paused': {
      const { class: errorClass, until } = answered;
      const verdict = { class: errorClass, reason: 'paused', evidence: null, retry_at: until } as const;
      const { tool_calls, session_id } = course.failed ?? { tool_calls: 0, session_id: null };
      const asked = { verdict, tool_calls, session_id };
      return decided(course, asked, 0, () => failed(course, first, pausedFailure(run, answered), null));
    }
    case 'too_late':
      return attempt(course, first, baseline);
    case 'closed':
      return failed(course, first, changedByOthersFailure(run, answered.why), null);
    case 'unanswered':
      if (stop.aborted) return interrupted(course, first, null);
      return failed(course, first, unansweredFailure(run, answered.why), null);
    case 'answered':
      break;
  }
  const { record, judge } = answered;
  // A refused reservation was no call.
  if (record.ending !== 'not_started') course.calls += 1;
  // A call that we stopped says nothing against its session.
  if (!stop.aborted || record.verdict.class === null) await course.session.note(record);
  if (judge !== null || record.verdict.class === null)
    return {
      how: 'ended',
      end: await gated(run, record, withDigestTold(first, asked), baseline, course.calls, judge),
    };
  if (stop.aborted) return interrupted(course, first, record);
  course.failed = record;
  course.ranTools ||= (record.tool_calls ?? 0) > 0;
  tellOfLog(course, record);
  course.changed = baseline === null ? [] : await baseline.look();
  const signature = record.signature ?? '';
  const count = (course.seen.get(signature) ?? 0) + 1;
  course.seen.set(signature, count);
  return decided(course, record, count, (decision) => {
    const { calls, changed } = course;
    const sent = {
      chars: course.ask.prompt.chars,
      parts: first.parts,
      resumed: ask.resumeSession !== null,
      ranTools: course.ranTools,
    };
    const circumstances = { count, attempt: Math.max(1, calls), decision, sent, changed };
    return failed(course, first, failureOf(run, record, circumstances), record);
  });
}

/** What was to be kept of a failure and is not: a call that follows and succeeds must not hide it. */
function tellOfLog({ run, session }: Course, { warnings }: CallRecord): void {
  for (const warning of warnings.filter(isAboutLog)) {
    run.context.say(`stage ${run.stage.name}: warning: ${warning}`);
    session.notes.push(warning);
  }
}

/** How many parts a line of progress names. */
const NAMED_IN_LINE = 3;

/** Who reads the answer must know that not all was asked. */
const withDigestTold = (first: Prompt, asked: Prompt): Prompt =>
  asked.digest === first.digest
    ? first
    : {
        ...first,
        leftOut: asked.leftOut,
        warnings: [
          ...asked.warnings,
          `answered from a digest of ${asked.chars} characters, since the whole prompt of ${first.chars} was too large`,
        ],
      };

/** The decision about a failure, noted; with what follows from it, or else the stage's end. */
async function decided(
  course: Course,
  record: Pick<CallRecord, 'verdict' | 'tool_calls' | 'session_id'>,
  count: number,
  end: (decision: Pick<Decision, 'action' | 'why' | 'next_actions'>) => StageStep,
): Promise<StageStep> {
  const { run, session, ask, calls, retriesLeft, resetLeftMs, resetsAwaited, changed } = course;
  const ahead = session.ahead(record);
  // What goes on elsewhere need not wait for it.
  const goesOn = (ask.resumeSession !== null || (record.tool_calls ?? 0) > 0 || changed.length > 0) && ahead !== null;
  const restMs = goesOn && record.verdict.class !== 'prompt_too_large' ? ahead.restMs : 0;
  const waitMs = waitFor(run, record, Math.max(1, calls), restMs);
  const repair = run.options.repair === 'off' ? 'off' : course.mended ? 'done' : 'allowed';
  const standing = {
    sessionId: record.session_id,
    resumed: ask.resumeSession !== null,
    busyAwaited: course.busyAwaited,
    repair,
  } as const;
  const seen = { count, retriesLeft, waitMs, changed: changed.length, resetLeftMs, resetsAwaited };
  const decision = decisionFor(run, record, { ...seen, sessionId: ahead?.id ?? null, session: standing });
  const sent = { file: course.sentFile, cliVersion: course.failed?.cli_version ?? null };
  const asked =
    decision.action === 'stop' ? null : await nextAsk(run, decision, waitMs, { ask, session, record, sent });
  if (decision.action === 'mend') course.mended = true;
  const next = asked?.how === 'asked' ? asked.next : null;
  const why = asked?.how === 'cannot' ? asked.why : decision.why;
  await run.open.journal.note({
    fact: 'decided',
    run_id: run.runId,
    stage: run.stage.name,
    action: next === null ? 'stop' : decision.action,
    why,
    wait_ms: next?.waitMs ?? 0,
  });
  if (next === null) {
    if (record.verdict.reason === 'broken_history' && record.session_id !== null)
      await session.poison(record.session_id, `its history is broken (${why})`);
    if (record.verdict.class === 'prompt_too_large' && session.id !== null)
      await session.giveUp(session.id, 'given_up');
    // What was planned cannot be done.
    return end(asked === null ? decision : { action: 'stop', why, next_actions: [] });
  }
  const { class: errorClass, reason } = record.verdict;
  const wait = next.waitMs === 0 ? '' : `; waiting ${(next.waitMs / 1000).toFixed(1)} s`;
  run.context.say(`stage ${run.stage.name}: ${errorClass} (${reason}); ${why}${wait}`);
  return { how: 'again', next };
}
