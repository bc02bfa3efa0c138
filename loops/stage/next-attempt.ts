// Plans the attempt after a failure: what to send to which tool and session, and how long to wait first.

import path from 'node:path';
import type { Verdict } from '../../policies/facts/evidence.ts';
import { tooLargeWords } from '../../policies/manifest/prompt-limits.ts';
import { type Decision, decide } from '../../policies/verdict/decide.ts';
import { waitBefore } from '../../policies/verdict/retry.ts';
import { causeOf, engineWords, STANDS_IN_FOR, standInWords } from '../../policies/verdict/stand-ins.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { startableCall } from '../call/check.ts';
import { repairBroken } from '../session/repair.ts';
import type { AttemptRequest, FailedAttempt, NextAttempt, NextTry, StageHistory } from '../task/attempt-request.ts';
import { sentHash } from '../task/compose.ts';
import {
  type ComposedPrompt,
  type Composing,
  composePrompt,
  type DigestPolicy,
  type Prompt,
  writePrompt,
} from '../task/prompt.ts';
import { ownFlagsOf, requirementsOfStage } from '../task/stage-plan.ts';
import { engineOf, isSameLogin, type StageRun, type TaskRun } from '../task/stage-run.ts';
import { alone, endOfSession, takeBackUnanswered } from './sent-turn.ts';

/** Without a call id if no call was made. */
type JudgedAttempt = { verdict: Verdict; call_id?: string };

export function decisionFor(
  run: StageRun,
  record: JudgedAttempt & { tool_calls: number | null },
  seen: StageHistory,
): Decision {
  const { open, options, context } = run;
  const { ledger } = open.journal.read();
  const cause = causeOf(record.verdict);
  const isReplaced = cause !== null && (run.stage.fallback_on ?? STANDS_IN_FOR).includes(cause);
  const { standIn, unready } = isReplaced ? readyFallback(run) : NO_FALLBACK;
  const soonest = seen.soonest ?? null;
  const decision = decide({
    verdict: soonest === null ? record.verdict : { ...record.verdict, retry_at: soonest.retryAt },
    ...(soonest === null ? {} : { resetOf: engineWords(engineOf(soonest.stage)) }),
    count: seen.count,
    retriesLeft: seen.retriesLeft,
    callsLeft: Math.max(0, budgetOf(ledger) - ledger.used),
    dirty: (record.tool_calls ?? 0) > 0 || seen.changed > 0,
    dirtyRetries: options.dirtyRetries,
    sessionId: seen.sessionId,
    session: seen.session,
    waitForResetMs: seen.resetLeftMs,
    resetsAwaited: seen.resetsAwaited,
    fallback: standIn?.tool ?? null,
    ...standInOf(run.stage, standIn),
    waitMs: seen.waitMs,
    wallLeftMs: run.wallLeftMs(),
    now: context.clock(),
    judgedAt: judgedAt(run, record),
  });
  return decision.action === 'stop' && unready.length > 0
    ? { ...decision, why: [decision.why, ...unready].join('; ') }
    : decision;
}

interface ReadyFallback {
  /** The stage with the first fallback that can be started, and the fallbacks after it; null if there is none. */
  standIn: Stage | null;
  /** Why those before it cannot be called. */
  unready: string[];
}

const NO_FALLBACK: ReadyFallback = { standIn: null, unready: [] };

/** A fallback that cannot be started here is skipped: the stage would fail for its reason. One without a sign-in counts as `auth`. */
function readyFallback(run: StageRun): ReadyFallback {
  const { stage } = run;
  const unready: string[] = [];
  for (const standIn of fallbacksOf(stage)) {
    const startable = startableStage({ ...run, stage: standIn, context: run.contextOf(standIn) });
    if (startable.how === 'ready' || startable.refusal.class === 'auth') return { standIn, unready };
    unready.push(`${engineWords(engineOf(standIn))} cannot replace it: ${startable.refusal.message}`);
  }
  return { standIn: null, unready };
}

/** The stage with each of its fallbacks, and with those after it. */
export const fallbacksOf = (stage: Stage): Stage[] =>
  stage.fallback.map((one, at) => {
    const account = one.account ?? (one.tool === stage.tool ? stage.account : undefined);
    return { ...stage, ...one, account, model: one.model, fallback: stage.fallback.slice(at + 1) };
  });

/** Whether the CLI of a stage can be started, independent of its prompt. */
export const startableStage = ({ stage, access, options, context, open }: Omit<StageRun, keyof TaskRun> & Composing) =>
  startableCall(adapterOf(stage.tool), {
    model: stage.model ?? null,
    resumeSession: null,
    newSession: '',
    access,
    maxTurns: stage.max_turns ?? null,
    innerRetries: 'cut',
    trustWorkspace: options.trustWorkspace,
    cwd: open.cwd,
    environment: context.environment,
    requires: requirementsOfStage(stage),
    own: ownFlagsOf(stage),
  });

/** Another account or model of the same tool is named by it. */
function standInOf({ tool, fallback_on }: Stage, standIn: Stage | null) {
  return {
    ...(standIn?.tool === tool ? { standIn: engineWords(engineOf(standIn)) } : {}),
    ...(fallback_on === undefined ? {} : { fallbackOn: fallback_on }),
  };
}

type PlannedAttempt = { how: 'planned'; next: NextAttempt } | { how: 'impossible'; why: string };

/** Plans the attempt for every decision except to stop. */
export async function planNextAttempt(
  run: StageRun,
  decision: Exclude<Decision, { action: 'stop' }>,
  waitMs: number,
  about: FailedAttempt,
): Promise<PlannedAttempt> {
  const { stage } = run;
  const { request, session, record } = about;
  const retry = { stage, waitMs, until: null, counts: 'as_retry' } as const;
  switch (decision.action) {
    case 'retry': {
      if (request.resumeSession === null) return planned({ ...retry, request });
      if (session.ahead(record) === null) return startFresh(run, about, retry);
      await takeBackUnanswered(run, request.resumeSession, alone(request.prompt));
      return planned({ ...retry, request });
    }
    case 'fresh_session':
      await session.giveUp(request.resumeSession!, 'lost');
      session.notes.push(`session ${request.resumeSession} is no longer known to ${stage.tool}`);
      return startFresh(run, about, { ...retry, waitMs: 0, counts: 'as_none' });
    case 'wait_session':
      return planned({ ...retry, waitMs: decision.waitMs, counts: 'as_busy', request });
    case 'mend':
      return repairAndContinue(run, decision.sessionId, about, retry);
    case 'retry_digest': {
      const { digest_policy: policy } = run.open.manifest.context;
      const composed = await recompose(run, stage, policy === 'off' ? 'off' : 'aggressive');
      if (composed.how === 'invalid') return { how: 'impossible', why: composed.message };
      const { prompt } = composed;
      // Uses a fresh session instead of the old one, because the old history may be what overflowed.
      if (request.resumeSession === null && prompt.chars > request.prompt.chars * WORTH_SHARE)
        return { how: 'impossible', why: whyNoDigest(policy, prompt, request.prompt) };
      if (session.id !== null) await session.giveUp(session.id, 'given_up');
      return planned({ ...retry, request: { prompt, resumeSession: null } });
    }
    case 'resume':
      return continueIn(run, decision.sessionId, about, retry);
    case 'wait_until': {
      const { until, sessionId } = decision;
      const untilMs = Math.max(0, Date.parse(until) - run.context.clock().getTime());
      const later = { stage, waitMs: untilMs, until: new Date(until), counts: 'as_reset' } as const;
      if (sessionId !== null) return continueIn(run, sessionId, about, later);
      return about.soonest
        ? changeEngine(run, about, { ...later, stage: about.soonest.stage })
        : planned({ ...later, request });
    }
    case 'fallback': {
      const { standIn: other, unready } = readyFallback(run);
      if (other === null) return { how: 'impossible', why: unready.join('; ') };
      return changeEngine(run, about, { stage: other, waitMs: 0, until: null, counts: 'as_none' }, unready);
    }
  }
}

/** Sends the stage's whole prompt to another engine, in a new session. */
async function changeEngine(
  run: StageRun,
  { session, record }: FailedAttempt,
  next: NextTry,
  notes: readonly string[] = [],
): Promise<PlannedAttempt> {
  const { stage } = next;
  const composed = await recompose(run, stage, run.open.manifest.context.digest_policy);
  if (composed.how === 'invalid') return { how: 'impossible', why: composed.message };
  if (isSameLogin(stage, run.stage)) session.startNew();
  const standIn = { ...engineOf(stage), in_place_of: engineOf(run.stage), reason: record.verdict.reason };
  session.notes.push(...notes, standInWords(standIn));
  return planned({ ...next, standIn, request: { prompt: composed.prompt, resumeSession: null } });
}

/** A digest that is hardly shorter than the refused prompt is refused too. */
const WORTH_SHARE = 0.95;

function whyNoDigest(policy: DigestPolicy, digest: Prompt, refused: Prompt): string {
  if (policy === 'off') return 'nothing is omitted from its prompt, since context.digest_policy is off';
  if (digest.sha256 === refused.sha256) return 'its digest is the same prompt again';
  return `its digest is hardly shorter (${digest.chars} of ${refused.chars} characters)`;
}

/** Continues in the session of an attempt that has already done something. */
async function continueIn(
  run: StageRun,
  id: string,
  { session, record }: FailedAttempt,
  next: NextTry,
): Promise<PlannedAttempt> {
  if ((await session.resumeIn(id, record.verdict, run.context.clock())) === 'stopped')
    return { how: 'impossible', why: 'the run was stopped while it waited for its session' };
  return planned({ ...next, request: await continuation(run, id) });
}

/** Sends the stage's whole prompt in a new session. */
async function startFresh(run: StageRun, { request, session }: FailedAttempt, next: NextTry): Promise<PlannedAttempt> {
  session.startNew();
  if (!request.isContinuation) return planned({ ...next, request: { prompt: request.prompt, resumeSession: null } });
  if (run.options.dirtyRetries !== 'allowed')
    return { how: 'impossible', why: 'an attempt had already run tools, and its session cannot be continued' };
  const composed = await recompose(run, run.stage, run.open.manifest.context.digest_policy);
  if (composed.how === 'invalid') return { how: 'impossible', why: composed.message };
  return planned({ ...next, request: { prompt: composed.prompt, resumeSession: null } });
}

/** Continues from the end of the session after its history is repaired. */
async function repairAndContinue(
  run: StageRun,
  id: string,
  about: FailedAttempt,
  next: NextTry,
): Promise<PlannedAttempt> {
  const { open, stage, context } = run;
  const { environment, clock } = context;
  const { request, session, record, sent } = about;
  const { cliVersion } = sent;
  const ranTools = (record.tool_calls ?? 0) > 0;
  const broken = { tool: stage.tool, sessionId: id, cliVersion, environment, cwd: open.cwd, clock };
  const repaired = await repairBroken({ ...broken, ranTools });
  if (repaired.how === 'impossible') {
    // Only that session contains what the attempt did. And if a new session was refused, another new one does not help.
    if (ranTools || request.resumeSession === null) return { how: 'impossible', why: repaired.why };
    await session.poison(id, `its history is broken (${repaired.why})`);
    session.notes.push(`the history of session ${id} could not be repaired: ${repaired.why}`);
    return startFresh(run, about, next);
  }
  session.notes.push(
    repaired.how === 'fixed'
      ? `the history of session ${id} was repaired: ${repaired.what}`
      : `the history of session ${id} was refused, but nothing in its file is wrong, so it was sent again unchanged`,
  );
  if (ranTools) {
    // Sending the prompt again would let the tools run once more.
    if ((await endOfSession(run, id, sent)) !== 'unanswered') return continueIn(run, id, about, next);
    if (run.options.dirtyRetries !== 'allowed') return { how: 'impossible', why: NOT_IN_IT };
  }
  if ((await takeBackUnanswered(run, id, sent)) === 'half_way') return continueIn(run, id, about, next);
  if ((await session.resumeIn(id, record.verdict, clock())) === 'stopped')
    return { how: 'impossible', why: 'the run was stopped while it waited for its session' };
  return planned({ ...next, request: { ...request, resumeSession: id } });
}

const NOT_IN_IT = 'the attempt had already run tools, and its session does not hold what they did';

const planned = (next: NextAttempt): PlannedAttempt => ({ how: 'planned', next });

async function recompose(run: StageRun, stage: Stage, digest: DigestPolicy): Promise<ComposedPrompt> {
  const composed = await composePrompt(run, { ...run, stage }, digest);
  if (composed.how === 'invalid') return composed;
  const { tooLarge } = composed.prompt;
  if (tooLarge !== null) return { how: 'invalid', message: tooLargeWords(stage.tool, tooLarge) };
  await writePrompt(composed);
  return composed;
}

/** @returns the milliseconds before the next call: the longest of the service's request and the schedule. */
export function waitFor(run: StageRun, record: JudgedAttempt, calls: number, sessionMs: number): number {
  return waitBefore({
    retryAt: record.verdict.retry_at,
    sessionMs,
    attempt: calls,
    now: judgedAt(run, record),
    random: run.context.random,
  });
}

/** Uses the clock from which the reset time was computed, even if the clock was changed since. */
function judgedAt({ open, context }: StageRun, { call_id }: JudgedAttempt): Date {
  const verdict = open.journal.read().ledger.calls.get(call_id ?? '')?.verdict;
  return verdict ? new Date(verdict.at) : context.clock();
}

/** Requests the rest of a turn that was cut off, so that no work is repeated. */
export async function continuation({ open, stage }: StageRun, session: string): Promise<AttemptRequest> {
  const text =
    'Your last turn was cut off. Continue from where it stopped; do not redo what is already done, and finish your answer.\n';
  const file = path.join(open.task.inputs, 'prompt', `${stage.name}.go-on.md`);
  await writeAtomic(file, text, 'renamed');
  const known = { file, sha256: sentHash(stage.tool, text), chars: text.length, digest: 'off' } as const;
  return {
    prompt: { ...known, ...NOTHING_BESIDE },
    isContinuation: true,
    resumeSession: session,
  };
}

const NOTHING_BESIDE = {
  parts: [],
  leftOut: [],
  tooLarge: null,
  warnings: [],
  acceptanceCommands: [],
  proposedCommands: [],
};
