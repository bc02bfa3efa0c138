// Records how far a stage has come in this run and how it ends, and carries out the decision about its next attempt.

import type { Change } from '../../policies/facts/gate-record.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { engineWords } from '../../policies/verdict/stand-ins.ts';
import type {
  AttemptRequest,
  NextAttempt,
  Reset,
  SentText,
  SessionUse,
  StageSession,
} from '../task/attempt-request.ts';
import type { Prompt } from '../task/prompt.ts';
import { engineOf, isSameLogin, type StageEnd, type StageRun } from '../task/stage-run.ts';
import { pauseUntil } from './pauses.ts';
import { openStageSession } from './stage-session.ts';

/** One value per attempt: each step of the stage returns the next one. */
export interface StageProgress {
  /** With the tool that answers now. */
  readonly run: StageRun;
  /** Locked as long as the stage runs. */
  readonly session: StageSession;
  readonly request: AttemptRequest;
  /** The prompt that is being answered; a continuation does not count as one. */
  readonly sentPrompt: Prompt;
  readonly calls: number;
  /** How often each signature was seen. */
  readonly seen: ReadonlyMap<string, number>;
  readonly retriesLeft: number;
  readonly resetLeftMs: number;
  readonly resetsAwaited: number;
  /** By engine, in words: those that could not answer, with a known reset. */
  readonly resets: ReadonlyMap<string, Reset>;
  /** How often the stage waited while another process used its session. */
  readonly busyAwaited: number;
  /** Whether the history of its session was repaired. */
  readonly isRepaired: boolean;
  /** Whether the tools of any attempt ran. */
  readonly ranTools: boolean;
  /** The last attempt that failed, and what the stage has changed so far. */
  readonly failed: CallRecord | null;
  readonly changed: readonly Change[];
  /** What was sent last, and how its session was obtained; null before the first call. */
  readonly sent: SentText;
  readonly sentInto: SessionUse | null;
}

/** Nothing was sent yet. @param first the prompt of the stage. */
export const startOf = (run: StageRun, session: StageSession, first: Prompt): StageProgress => ({
  run,
  session,
  request: { prompt: first, resumeSession: session.id },
  sentPrompt: first,
  calls: 0,
  seen: new Map(),
  retriesLeft: run.open.manifest.budgets.retry_budget,
  resetLeftMs: run.options.waitForResetMs,
  resetsAwaited: 0,
  resets: new Map(),
  busyAwaited: 0,
  isRepaired: false,
  ranTools: false,
  failed: null,
  changed: [],
  sent: { before: '', file: first.file },
  sentInto: null,
});

export interface StageEnded {
  how: 'ended';
  end: StageEnd;
  progress: StageProgress;
}

export type StageStep = StageEnded | { how: 'again'; next: NextAttempt; progress: StageProgress };

export function failed(
  progress: StageProgress,
  { warnings }: Prompt,
  failure: Failure,
  record: CallRecord | null,
): StageEnded {
  const { calls } = progress;
  return { how: 'ended', progress, end: { how: 'failed', failure, record, gate: null, warnings, calls } };
}

export function interrupted(progress: StageProgress, { warnings }: Prompt, record: CallRecord | null): StageEnded {
  const { calls, failed } = progress;
  const retry_at = soonestOf(progress)?.retryAt ?? failed?.verdict.retry_at ?? null;
  return { how: 'ended', progress, end: { how: 'interrupted', record, gate: null, warnings, calls, retry_at } };
}

/** @param retryAt null if it is not known. */
export function withReset({ resets, run: { stage } }: StageProgress, retryAt: string | null): StageProgress['resets'] {
  const others = [...resets].filter(([engine]) => engine !== engineWords(engineOf(stage)));
  return new Map(retryAt === null ? others : [...others, [engineWords(engineOf(stage)), { stage, retryAt }]]);
}

/** The first engine that can work again; null if no reset is known. */
export const soonestOf = ({ resets }: Pick<StageProgress, 'resets'>): Reset | null =>
  [...resets.values()].sort((one, other) => Date.parse(one.retryAt) - Date.parse(other.retryAt))[0] ?? null;

/** `stopped`: a stop was requested while the stage waited. */
export interface Applied {
  how: 'done' | 'stopped';
  progress: StageProgress;
}

export async function applyDecision(progress: StageProgress, next: NextAttempt): Promise<Applied> {
  const { run, resetLeftMs } = progress;
  const { pause, clock, stop } = run.context;
  // The granted wait is counted in time awake, so that a clock that is set back cannot prolong it without limit.
  if (next.until === null) await pause(next.waitMs, stop);
  else await pauseUntil(next.until, resetLeftMs, clock, stop);
  const decided = {
    ...progress,
    ...counted(progress, next),
    request: next.request,
    run: { ...run, stage: next.stage, context: run.contextOf(next.stage) },
  };
  return isSameLogin(next.stage, run.stage) ? { how: 'done', progress: decided } : changeTool(decided);
}

function counted(
  { retriesLeft, busyAwaited, resetsAwaited, resetLeftMs }: StageProgress,
  { counts, waitMs }: NextAttempt,
): Partial<StageProgress> {
  if (counts === 'as_retry') return { retriesLeft: retriesLeft - 1 };
  if (counts === 'as_busy') return { busyAwaited: busyAwaited + 1 };
  if (counts !== 'as_reset') return {};
  return { resetsAwaited: resetsAwaited + 1, resetLeftMs: Math.max(0, resetLeftMs - waitMs) };
}

/** Another tool or account has another session. The first is released, so that two stages cannot deadlock. */
async function changeTool(progress: StageProgress): Promise<Applied> {
  const { run, request } = progress;
  progress.session.release();
  const session = await openStageSession(run);
  if (session === null) return { how: 'stopped', progress };
  session.notes.unshift(...progress.session.notes);
  // Never waits beyond the task's wall clock; the next check of that limit ends the stage.
  const { pause, stop } = run.context;
  await pause(Math.min(session.restMs(), run.wallLeftMs() ?? Number.POSITIVE_INFINITY), stop);
  return {
    how: 'done',
    progress: { ...progress, session, request: { ...request, resumeSession: session.id } },
  };
}
