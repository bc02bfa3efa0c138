// Makes one call of a stage through its guardian, or finds the result of a paid call that could not be used yet.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../policies/facts/gate-record.ts';
import type { Caps } from '../../policies/limits/caps.ts';
import { NAMED_IN_WARNING, type Omission, omissionSentence } from '../../policies/prompt/omissions.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { type Call, isKeptFor, openCalls } from '../../state/journal/ledger.ts';
import { mayBeLimited } from '../../state/limits/limits-folder.ts';
import { outputsOf } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { passedAs } from '../../wrappers/processes/passed-variables.ts';
import { hasKeptAnswer, hasOutput } from '../attempt/captured.ts';
import type { Dispatch } from '../attempt/dispatch.ts';
import { GUARDIAN_TIMEOUTS, newCallId } from '../attempt/phases.ts';
import type { SentTerms } from '../attempt/request.ts';
import { capsOfTask } from '../call/limited.ts';
import { settle } from '../call/settle.ts';
import { closedBy } from '../guard/enter-task.ts';
import { checkGuarded, keepGuarded } from '../guard/guard-call.ts';
import { isIntact, tellsOf } from '../guard/kept-journal.ts';
import { watchCall } from '../guard/watched-call.ts';
import { askLimits } from '../limits/admission.ts';
import { type LimitedCall, projectOf } from '../limits/limited-call.ts';
import { settleLimits } from '../limits/settle-limits.ts';
import type { AttemptRequest, SentText } from '../task/attempt-request.ts';
import { eventsOf } from '../task/last-event.ts';
import { nestedWords, paidWords } from '../task/paid-calls.ts';
import type { Prompt } from '../task/prompt.ts';
import { type CallSlot, UNLIMITED } from '../task/run-context.ts';
import { engineOf, type StageRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';
import { clearResultPaths } from './clear-result-paths.ts';
import { type Errand, readRecord, recordIn, sendGuardian, sentNow } from './guardian.ts';
import { reservationOf } from './remade-reservation.ts';
import { TREE } from './scope-question.ts';

type CallAnswer =
  /** `judge`: the agent changed files that decide whether its work passes. */
  | { how: 'answered'; record: CallRecord; judge: Finding | null }
  /** The wrapper wrote no record, and nothing was paid: it was killed before the reservation, or is broken. */
  | { how: 'unanswered'; why: string; killed: boolean };

interface DispatchedPrompt extends Pick<AttemptRequest, 'resumeSession'> {
  sent: SentText;
  prompt: { warnings: string[]; leftOut: Omission[] };
}

/** Makes the call as soon as a slot is free; if it gets none, nothing is paid. @param wanted the hash of the stage's prompt. */
export async function dispatchCall(
  run: StageRun,
  request: DispatchedPrompt,
  wanted: string,
): Promise<CallAnswer | Exclude<CallSlot, { how: 'taken' }> | { how: 'timed_out' } | { how: 'refused'; why: string }> {
  const { stage, context } = run;
  const { stop, slots = UNLIMITED } = context;
  const callId = newCallId(context.clock());
  const call = { id: callId, stage: stage.name, prompt: wanted, attempt: attemptOf(run, wanted) };
  const slot = await slots.take({ ...engineOf(stage), call }, stop);
  if (slot.how !== 'taken') return slot;
  let answered: CallAnswer | null = null;
  let place: Awaited<ReturnType<typeof takeLimitedPlace>> | null = null;
  try {
    place = await takeLimitedPlace(run, callId);
    if (place === 'stopped') return { how: 'stopped' };
    // The task's time may have run out while it waited for the place.
    if ((run.wallLeftMs() ?? 1) <= 0) return { how: 'timed_out' };
    // The agent of another task may have changed something meanwhile.
    const closed = closedBy({ task: run.open.task, stateFolder: run.open.stateFolder, register: run.register });
    if (closed !== null) return { how: 'refused', why: closed };
    answered = await dispatchNow(run, request, { wanted, callId, lease: slot.lease });
    return answered;
  } finally {
    if (place !== null && place !== 'stopped') await place.leave(answered?.how === 'answered' ? answered.record : null);
    await slot.release(answered?.how === 'answered' ? answered.record.verdict : null);
  }
}

/** Counts the calls that were paid for this prompt, and this one. */
const attemptOf = ({ open, stage }: StageRun, wanted: string): number =>
  1 +
  [...open.journal.read().ledger.calls.values()].filter(
    ({ granted, reserved }) => granted && reserved.stage === stage.name && reserved.for_prompt === wanted,
  ).length;

interface SlottedCall {
  wanted: string;
  callId: string;
  lease: string | undefined;
}

async function dispatchNow(run: StageRun, request: DispatchedPrompt, slotted: SlottedCall): Promise<CallAnswer> {
  const { wanted, callId } = slotted;
  const { open, stage, guardianStop, context, register } = run;
  const { clock, watch, unseenCalls = null } = context;
  const errand = errandOf(run, request, slotted);
  const way = clearResultPaths(open.task, stage, clock);
  const watched = watchCall(open, {
    register,
    clock,
    ended: unseenCalls,
    stage: stage.name,
    call_id: callId,
    dispatcher: (await identify(process.pid))!,
    until: new Date(clock().getTime() + errand.timeoutMs + GUARDIAN_TIMEOUTS.lateMs).toISOString(),
  });
  const judge = await keepGuarded(open, callId, watched.copies);
  watched.begin(judge.files, errand.promptFile);
  const { hide } = open;
  const { timeoutMs } = errand;
  watch({
    stage: stage.name,
    tool: stage.tool,
    events: eventsOf(open.task, callId),
    hide,
    timeoutMs,
    paid: paidWords(open),
  });
  const sent = sentNow(errand);
  const running = sendGuardian(errand, guardianStop).finally(() => watch(null));
  const { guardian, why, killed } = await running;
  const repairs = way.repair();
  // Checked before anything is read: the call may have written the journal and the files that decide whether it passes.
  const isStrange = !guardianStop.aborted && (killed || !isIntact(open.journal, judge.journal));
  const isMade = wasMade(open, callId, isStrange) || (isStrange && tellsOf(open.journal, judge.journal, callId));
  const reserved = isMade ? await reservationOf({ run, wanted, callId, guardian, sent }) : null;
  const look = (aside: string) =>
    checkGuarded(open, judge, {
      callId,
      call: reserved,
      aside: path.join(open.task.attempts, callId, aside),
      clock,
      register,
    });
  const first = await look('changed-by-agent');
  const works = worksOn(open, callId);
  const record = await lastWord(run, callId, sent);
  // Without its guardian, the call may have worked until now.
  const second = works ? await look('changed-later') : NO_FINDING;
  // If a call continues without us, the next run examines it.
  const noted = worksOn(open, callId) ? [] : watched.end();
  const finding = first.finding ?? second.finding;
  const notes = [
    ...way.cleared,
    ...repairs,
    ...first.notes,
    ...second.notes,
    ...noted,
    ...nestedWords(open.journal, callId),
  ];
  return record === null
    ? { how: 'unanswered', why: finding === null ? why : `${why}; ${finding.text}`, killed: killed && finding === null }
    : {
        how: 'answered',
        record: { ...record, warnings: [...record.warnings, ...notes] },
        judge: finding,
      };
}

const NO_FINDING = { finding: null, notes: [] };

const worksOn = ({ journal }: OpenTask, callId: string): boolean =>
  openCalls(journal.read().ledger).some(({ reserved }) => reserved.call_id === callId);

/** The record may be an early one: only a verdict or a refusal makes it final. */
async function lastWord({ open, guardianStop, context }: StageRun, callId: string, sent: SentTerms) {
  const { clock, environment, say } = context;
  const { task, journal } = open;
  const call = journal.read().ledger.calls.get(callId);
  if (call === undefined || !call.granted || call.verdict !== null) return readRecord(task, callId);
  await settle(call, { task, journal, clock, environment, stop: guardianStop, foreign: 'refuse', say, sent });
  return readRecord(task, callId);
}

/**
 * If the CLI was started, the call was paid for, whatever the journal says. Every call leaves a folder, even a refused one. If
 * that is gone and something else is strange too, another process removed it, and the call counts.
 */
const wasMade = ({ task }: OpenTask, callId: string, isStrange: boolean): boolean =>
  hasOutput(path.join(task.attempts, callId)) || (isStrange && !existsSync(path.join(task.attempts, callId)));

function errandOf(
  run: StageRun,
  { sent, prompt, resumeSession }: DispatchedPrompt,
  { wanted, callId, lease }: SlottedCall,
): Errand {
  const { open, stage, runId } = run;
  const wallLeftMs = Math.max(1, Math.floor(run.wallLeftMs() ?? stage.timeout_ms));
  const { access, options, context } = run;
  return {
    ...{ task: open.task, stage, callId, access, cwd: open.cwd, options, commandFolder: context.commandFolder },
    environment: { ...context.environment, ...whichTask(open) },
    timeoutMs: Math.min(stage.timeout_ms, wallLeftMs),
    dispatch: {
      run_id: runId,
      call_id: callId,
      for_prompt: wanted,
      nested_calls: open.manifest.budgets.nested_calls,
      redaction_patterns: open.manifest.security.redaction_patterns,
      own_rows: open.ownRows,
      ...capsFor(open, stage),
      ...(wallLeftMs < stage.timeout_ms ? { timeout_of: 'task' } : {}),
      ...ownToolOf(stage, open.project),
      ...(lease === undefined ? {} : { lease }),
      prompt: { before: sent.before, ...aboutPrompt(prompt) },
    },
    promptFile: sent.file,
    resumeSession,
  };
}

function capsFor(open: OpenTask, { tool, model }: StageRun['stage']): { caps?: Caps } {
  const caps = capsOfTask(open.manifest.budgets, open, adapterOf(tool), model ?? null);
  return caps === null ? {} : { caps };
}

/**
 * Finds a success that an earlier run paid for and did not use. The same prompt is not sent again, nor a changed one if the user
 * keeps the answer. For a stage that is to be redone, only an answer that no gate has checked yet counts.
 */
export function paidAnswer(
  { open, stage, redone }: { open: OpenTask; stage: StageRun['stage']; redone: boolean },
  prompt: Prompt,
): CallRecord | null {
  const { ledger } = open.journal.read();
  const { calls, gated, disregarded } = ledger;
  const paid = [...calls.values()].filter(
    ({ reserved, verdict }) =>
      reserved.stage === stage.name &&
      reserved.run_id !== null &&
      (reserved.for_prompt === prompt.sha256 || isKeptFor(ledger, reserved, prompt.sha256)) &&
      !(redone && gated.has(reserved.call_id)) &&
      !disregarded.has(reserved.call_id) &&
      verdict !== null &&
      verdict.class === null,
  );
  const last = paid.at(-1)?.reserved;
  if (last === undefined) return null;
  // A fallback may have answered for the tool, and a later call may have put another answer there.
  const { out, record: published } = outputsOf(open.task, { ...stage, tool: last.tool });
  const isThere = existsSync(out)
    ? whoseAnswer(calls, last, recordIn(published)) === last.call_id
    : // The user may have removed a checked answer to have it made again.
      !gated.has(last.call_id) && hasKeptAnswer(open.task, last.call_id);
  if (!isThere) return null;
  // Any process may write a verdict into the journal; only the record counts.
  const record = readRecord(open.task, last.call_id);
  return record?.verdict.class === null ? record : null;
}

/** If the published record cannot be read, the answer beside it belongs to the last call of that stage and tool. */
const whoseAnswer = (
  calls: ReadonlyMap<string, Call>,
  { stage, tool }: Call['reserved'],
  published: CallRecord | null,
) =>
  published?.call_id ??
  [...calls.values()].filter(({ reserved }) => reserved.stage === stage && reserved.tool === tool).at(-1)?.reserved
    .call_id;

/** An agent can use `tollgate scope ask` for its task. */
const whichTask = ({ task, tree }: OpenTask) => ({ ...passedAs('TOLLGATE_TASK', task.root), ...passedAs(TREE, tree) });

/** Passes the description and the prefix as they were read for the run, even if they have changed since. */
function ownToolOf({ tool }: StageRun['stage'], { prefixes }: OpenTask['project']): Partial<Errand['dispatch']> {
  const { described } = adapterOf(tool);
  if (described !== undefined) return { own_tool: described.row };
  return prefixes[tool] === undefined ? {} : { prefix: prefixes[tool] };
}

/** Returns what a call records about its prompt besides the text. */
function aboutPrompt({ warnings, leftOut }: DispatchedPrompt['prompt']): Omit<Dispatch['prompt'], 'before'> {
  const sentence = omissionSentence(leftOut, NAMED_IN_WARNING);
  const all = [...(sentence === null ? [] : [sentence]), ...warnings];
  const more = all.length - MOST_WARNINGS;
  return {
    warnings: [
      ...all.slice(0, MOST_WARNINGS).map((warning) => warning.slice(0, MOST_WARNING_CHARS)),
      ...(more > 0 ? [`${more} more warnings about the prompt, which tollgate run --dry-run shows`] : []),
    ],
    left_out: leftOut,
  };
}

const MOST_WARNINGS = 12;
const MOST_WARNING_CHARS = 2000;

/** A place within the limits over all tasks. */
interface LimitedPlace {
  /** A call that was not made, as its record says, is not charged. */
  leave(record: CallRecord | null): Promise<void>;
}

const FREE: LimitedPlace = { leave: async () => {} };

/** The longest wait for a rate limit, as a run waits after its own. A service that requires more reports a quota. */
const RATE_WAIT_MS = 3_600_000;

/**
 * Waits for a place before the guardian is started, because its time begins then. The place is charged to this process until the guardian takes it over. If it is refused, the guardian requests and reports it.
 */
async function takeLimitedPlace(run: StageRun, callId: string): Promise<LimitedPlace | 'stopped'> {
  const { stage, open, context, options } = run;
  const { environment, clock, stop, say } = context;
  const call: LimitedCall = {
    callId,
    tool: stage.tool,
    model: stage.model ?? null,
    task: open.task,
    cwd: open.cwd,
    environment,
    holds: options.ignoreHold ? 'ignored' : 'obeyed',
    rateWaitMs: RATE_WAIT_MS,
  };
  if (!mayBeLimited(environment, projectOf(call))) return FREE;
  const admission = await askLimits({
    call,
    clock,
    stop: endsWith(stop, run.wallLeftMs()),
    say: (sentence) => say(`stage ${stage.name}: ${sentence}`),
  });
  if (admission.how === 'refused') return FREE;
  // If the stage's own time is up, the stage reports this.
  if (admission.how === 'stopped') return stop.aborted ? 'stopped' : FREE;
  for (const sentence of admission.near) say(`stage ${stage.name}: ${sentence}`);
  return {
    leave: async (record) => {
      if (record !== null && record.ending !== 'not_started') return;
      await settleLimits(call, null, clock);
    },
  };
}

const endsWith = (stop: AbortSignal, wallLeftMs: number | null): AbortSignal =>
  wallLeftMs === null ? stop : AbortSignal.any([stop, AbortSignal.timeout(Math.max(1, Math.ceil(wallLeftMs)))]);
