// What is asked after a failure: the decision, the next prompt, of whom, and how long to wait before it.

import { tooLargeWords } from '../../policies/manifest/prompt-limits.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { waitBefore } from '../../policies/retry/backoff.ts';
import { type Decision, decide } from '../../policies/retry/decide.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { repairBroken } from '../conversation/repair.ts';
import { endOfSession, takeBackUnanswered } from '../stage-session/unanswered.ts';
import type { AskedBefore, Next, Seen } from '../task/ask.ts';
import { type ComposedPrompt, composePrompt, type DigestPolicy, type Prompt, writePrompt } from '../task/prompt.ts';
import type { StageRun } from '../task/stage-run.ts';
import { goOn } from './go-on.ts';

export function decisionFor(run: StageRun, record: Pick<CallRecord, 'verdict' | 'tool_calls'>, seen: Seen): Decision {
  const { open, stage, options, context } = run;
  const now = context.clock();
  const { ledger } = open.journal.read();
  return decide({
    verdict: record.verdict,
    count: seen.count,
    retriesLeft: seen.retriesLeft,
    callsLeft: Math.max(0, budgetOf(ledger) - ledger.used),
    dirty: (record.tool_calls ?? 0) > 0 || seen.changed > 0,
    dirtyRetries: options.dirtyRetries,
    sessionId: seen.sessionId,
    session: seen.session,
    waitForResetMs: seen.resetLeftMs,
    resetsAwaited: seen.resetsAwaited,
    fallback: stage.fallback[0]?.tool ?? null,
    waitMs: seen.waitMs,
    wallLeftMs: run.wallLeftMs(),
    now,
  });
}

export type NextAskAnswer = { how: 'asked'; next: Next } | { how: 'cannot'; why: string };

/** What a decision other than to stop comes to. */
export async function nextAsk(
  run: StageRun,
  decision: Exclude<Decision, { action: 'stop' }>,
  waitMs: number,
  about: AskedBefore,
): Promise<NextAskAnswer> {
  const { stage } = run;
  const { ask, session, record } = about;
  const retry = { stage, waitMs, until: null, counts: 'as_retry' } as const;
  switch (decision.action) {
    case 'retry': {
      if (ask.resumeSession === null) return asked({ ...retry, ask });
      if (session.ahead(record) === null) return freshAsk(run, about, retry);
      await takeBackUnanswered(run, ask.resumeSession, ask.prompt.file);
      return asked({ ...retry, ask });
    }
    case 'fresh_session':
      await session.giveUp(ask.resumeSession!, 'lost');
      session.notes.push(`session ${ask.resumeSession} is not known to ${stage.tool} any more`);
      return freshAsk(run, about, { ...retry, waitMs: 0, counts: 'as_none' });
    case 'wait_session':
      return asked({ ...retry, waitMs: decision.waitMs, counts: 'as_busy', ask });
    case 'mend':
      return mendAsk(run, decision.sessionId, about, retry);
    case 'retry_digest': {
      const { digest_policy: policy } = run.open.manifest.context;
      const composed = await composeAnew(run, stage, policy === 'off' ? 'off' : 'aggressive');
      if (composed.how === 'invalid') return { how: 'cannot', why: composed.message };
      const { prompt } = composed;
      // A fresh session where there was one: what overflowed may be its history.
      if (ask.resumeSession === null && prompt.chars > ask.prompt.chars * WORTH_SHARE)
        return { how: 'cannot', why: whyNoDigest(policy, prompt, ask.prompt) };
      if (session.id !== null) await session.giveUp(session.id, 'given_up');
      return asked({ ...retry, ask: { prompt, resumeSession: null } });
    }
    case 'resume':
      return goOnAsk(run, decision.sessionId, about, retry);
    case 'wait_until': {
      const { until, sessionId } = decision;
      const untilMs = Math.max(0, Date.parse(until) - run.context.clock().getTime());
      const later = { stage, waitMs: untilMs, until: new Date(until), counts: 'as_reset' } as const;
      return sessionId === null ? asked({ ...later, ask }) : goOnAsk(run, sessionId, about, later);
    }
    case 'fallback': {
      const [standIn, ...fallback] = stage.fallback;
      const other: Stage = { ...stage, ...standIn!, model: standIn!.model, fallback };
      const composed = await composeAnew(run, other, run.open.manifest.context.digest_policy);
      if (composed.how === 'invalid') return { how: 'cannot', why: composed.message };
      const { prompt } = composed;
      return asked({ stage: other, waitMs: 0, until: null, counts: 'as_none', ask: { prompt, resumeSession: null } });
    }
  }
}

/** A digest that is hardly shorter than what was refused is refused too. */
const WORTH_SHARE = 0.95;

function whyNoDigest(policy: DigestPolicy, digest: Prompt, refused: Prompt): string {
  if (policy === 'off') return 'nothing of its prompt is left out, since context.digest_policy is off';
  if (digest.sha256 === refused.sha256) return 'its digest is the same prompt again';
  return `its digest is hardly shorter (${digest.chars} of ${refused.chars} characters)`;
}

/** In the session of an attempt that has already done something. */
async function goOnAsk(
  run: StageRun,
  id: string,
  { session, record }: AskedBefore,
  next: Omit<Next, 'ask'>,
): Promise<NextAskAnswer> {
  if ((await session.goOnIn(id, record.verdict, run.context.clock())) === 'stopped')
    return { how: 'cannot', why: 'told to stop while it waited for its session' };
  return asked({ ...next, ask: await goOn(run, id) });
}

/** The stage's whole prompt in a new session. */
async function freshAsk(run: StageRun, { ask, session }: AskedBefore, next: Omit<Next, 'ask'>): Promise<NextAskAnswer> {
  session.startAnew();
  if (!ask.isGoOn) return asked({ ...next, ask: { prompt: ask.prompt, resumeSession: null } });
  if (run.options.dirtyRetries !== 'allowed')
    return { how: 'cannot', why: 'an attempt had already run tools, and its session cannot be gone on with' };
  const composed = await composeAnew(run, run.stage, run.open.manifest.context.digest_policy);
  if (composed.how === 'invalid') return { how: 'cannot', why: composed.message };
  return asked({ ...next, ask: { prompt: composed.prompt, resumeSession: null } });
}

/** Once the history of its session is mended: from where that ends now. */
async function mendAsk(run: StageRun, id: string, about: AskedBefore, next: Omit<Next, 'ask'>): Promise<NextAskAnswer> {
  const { open, stage, context } = run;
  const { environment, clock } = context;
  const { ask, session, record, sent } = about;
  const { cliVersion } = sent;
  const ranTools = (record.tool_calls ?? 0) > 0;
  const broken = { tool: stage.tool, sessionId: id, cliVersion, environment, cwd: open.cwd, clock };
  const mended = await repairBroken({ ...broken, ranTools });
  if (mended.how === 'cannot') {
    // What the attempt had done is in that session alone; and a new one that was refused is not mended by another.
    if (ranTools || ask.resumeSession === null) return { how: 'cannot', why: mended.why };
    await session.poison(id, `its history is broken (${mended.why})`);
    session.notes.push(`the history of session ${id} could not be mended: ${mended.why}`);
    return freshAsk(run, about, next);
  }
  session.notes.push(`the history of session ${id} was mended: ${mended.what}`);
  if (ranTools) {
    // The prompt sent anew would let them run once more.
    if ((await endOfSession(run, id, sent.file)) !== 'unanswered') return goOnAsk(run, id, about, next);
    if (run.options.dirtyRetries !== 'allowed') return { how: 'cannot', why: NOT_IN_IT };
  }
  if ((await takeBackUnanswered(run, id, sent.file)) === 'half_way') return goOnAsk(run, id, about, next);
  if ((await session.goOnIn(id, record.verdict, clock())) === 'stopped')
    return { how: 'cannot', why: 'told to stop while it waited for its session' };
  return asked({ ...next, ask: { ...ask, resumeSession: id } });
}

const NOT_IN_IT = 'the attempt had already run tools, and its session does not hold what they did';

const asked = (next: Next): NextAskAnswer => ({ how: 'asked', next });

async function composeAnew(run: StageRun, stage: Stage, digest: DigestPolicy): Promise<ComposedPrompt> {
  const composed = await composePrompt(run, { ...run, stage }, digest);
  if (composed.how === 'invalid') return composed;
  const { tooLarge } = composed.prompt;
  if (tooLarge !== null) return { how: 'invalid', message: tooLargeWords(stage.tool, tooLarge) };
  await writePrompt(composed);
  return composed;
}

/** Milliseconds before the next call: the longest of what the service asked for and the schedule. */
export function waitFor(run: StageRun, record: Pick<CallRecord, 'verdict'>, calls: number, sessionMs: number): number {
  return waitBefore({
    retryAt: record.verdict.retry_at,
    sessionMs,
    attempt: calls,
    now: run.context.clock(),
    random: run.context.random,
  });
}
