// Closes a call whose guardian died: guards its living processes, classifies its result, and publishes it.

import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isBuiltIn } from '../../policies/facts/tools.ts';
import { strictest } from '../../policies/manifest/call-terms.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { entryOf, forgetCall, registerFolder } from '../../state/calls/call-register.ts';
import { kindOf } from '../../state/disk/regular-file.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';
import type { Call } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { adopt, type Orphan, readOrphan } from '../../wrappers/adopt.ts';
import { endTree } from '../../wrappers/processes/end-tree.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { type Attempt, strangeFileIn } from '../attempt/attempt.ts';
import { publishedRecord } from '../attempt/captured.ts';
import { closeAttempt } from '../attempt/close-attempt.ts';
import { ageOf } from '../attempt/deadline.ts';
import { limitsOf, usageSource } from '../attempt/invocation.ts';
import type { RecordableCall } from '../attempt/phases.ts';
import type { SentTerms } from '../attempt/request.ts';
import { discardSaved, type RestoredCall, restoreCall, treeOf } from '../attempt/restored-draft.ts';
import { keepPlaces, putFoldersRight, resultPaths, withRealPlaces } from '../attempt/result-paths.ts';
import { heldToSchema, notYetHeld } from './answer-schema.ts';
import { logApiFailure } from './api-failure.ts';
import { classifyOutcome, contextOf } from './classify.ts';
import { exitOf } from './exit.ts';
import { publishAll, publishEarly, publishRefusal } from './publish.ts';
import { recordOf, verdictFact } from './record.ts';
import { refusalRecord } from './refusal.ts';

interface Closing {
  task: TaskFolder;
  journal: Journal;
  clock: () => Date;
  environment: NodeJS.ProcessEnv;
  /** Its abort ends the remaining processes of the call, because no other process guards them. */
  stop: AbortSignal;
  say(sentence: string): void;
  /** The terms and the time at which we sent the call, if we sent it. An agent may have written in the journal. */
  sent?: SentTerms;
  /** Whether another process settles the call by now, whose answers must stay; for callers without the task. */
  isTaken?(): Promise<boolean>;
}

/** In every case, the call then has a verdict in the journal, and none of its processes runs. */
export async function closeOrphanedCall(open: Call, closing: Closing): Promise<void> {
  const { task, journal, environment } = closing;
  const { call_id } = open.reserved;
  const folder = path.join(task.attempts, call_id);
  const restored = strangeFileIn(folder) === null ? restoreOwn(open, closing) : null;
  if (restored !== null && wasStarted(restored.attempt, open.started !== null)) {
    const how = await closeStarted(open, restored, closing);
    if (how === 'whole') forget(call_id, restored, environment);
    return;
  }
  // Without its files, the remaining processes of the call can produce no usable result.
  const { survivors } = await endTree(await treeOf(open, folder));
  const record = restored === null ? null : publishedRecord(folder, call_id);
  const isNeverStarted = restored !== null && record === null && open.started === null;
  if (isNeverStarted) publishRefusal(restored.call, neverStarted(restored.call));
  discardSaved(folder, open);
  const lost = { ending: isNeverStarted ? 'not_started' : 'lost', native_exit_code: null, signal: null } as const;
  note(journal, open, record ?? lost, record === null ? INTERRUPTED : verdictFact(record));
  if (restored !== null && survivors.length === 0) forget(call_id, restored, environment);
}

/** Files from a different $TMPDIR are removed by a sweep, which uses the register. */
function forget(callId: string, { attempt, overlay }: RestoredCall, environment: NodeJS.ProcessEnv): void {
  const folder = registerFolder(environment);
  if (folder !== null && ![attempt.temporary, ...overlay.folders].some((place) => existsSync(place)))
    forgetCall(folder, callId);
}

/** Restores the call's draft, except for facts that only its own wrapper may set: the tool and the result's place. */
function restoreOwn(open: Call, { task, environment, clock }: Closing): RestoredCall | null {
  const { call_id, stage, tool } = open.reserved;
  const folder = path.join(task.attempts, call_id);
  const restored = restoreCall(folder, open, task, environment, clock);
  if (restored === null) return null;
  const { call } = restored;
  const { files, note } = resultPaths(open, call.request.files, task);
  const request = withRealPlaces({
    ...call.request,
    adapter: isBuiltIn(tool) ? adapterOf(tool) : call.request.adapter,
    files,
    charge: { task, stage, runId: null, forPrompt: null },
  });
  const warnings = note === null ? call.warnings : [...call.warnings, note];
  const folders = keepPlaces(request, folder);
  const own = { ...restored, call: { ...call, request, callId: call_id, warnings, folders } };
  return heldToRegister(own, environment);
}

/** Applies the user's register, which no sandboxed agent can write: no later deadline, and no folders beyond it. */
function heldToRegister(restored: RestoredCall, environment: NodeJS.ProcessEnv): RestoredCall {
  const { call, attempt, overlay } = restored;
  const folder = registerFolder(environment);
  const entry = folder === null ? null : entryOf(folder, call.callId);
  if (entry === null) return restored;
  const { limits } = call.request;
  const timeoutMs = Math.max(1, Date.parse(entry.deadline_at) - call.startedAt.getTime());
  const request = { ...call.request, limits: strictest(limits, { ...limits, timeoutMs }) };
  return {
    ...restored,
    call: { ...call, request },
    attempt: { ...attempt, temporary: entry.temporary },
    overlay: { ...overlay, folders: overlay.folders.filter((one) => entry.overlay_folders.includes(one)) },
  };
}

/**
 * The descriptors are opened right before the spawn. An agent may have removed the second file.
 * @param isStartRecorded whether its start was recorded.
 */
export function wasStarted({ files }: Attempt, isStartRecorded: boolean): boolean {
  const stdout = lstatSync(files.stdout, { throwIfNoEntry: false });
  return stdout?.isFile() === true && (isStartRecorded || kindOf(files.stderr) !== null || stdout.size > 0);
}

const neverStarted = (call: RecordableCall) =>
  refusalRecord(call, {
    class: 'transient',
    reason: 'interrupted',
    exit: 'failure',
    message: 'its wrapper died before the CLI was started; no request was sent, but the call counts as paid',
  });

const INTERRUPTED = {
  class: 'transient',
  reason: 'interrupted',
  signature: null,
  retry_at: null,
  exit_code: 1,
} as const;

type Ended = Extract<Fact, { fact: 'ended' }>;

function note(
  journal: Journal,
  { reserved: { call_id }, ended }: Call,
  { ending, native_exit_code, signal }: Pick<Ended, 'ending' | 'native_exit_code' | 'signal'>,
  verdict: Omit<Extract<Fact, { fact: 'verdict' }>, 'fact' | 'call_id'>,
): void {
  if (ended === null) journal.append({ fact: 'ended', call_id, ending, native_exit_code, signal });
  journal.append({ ...verdict, fact: 'verdict', call_id });
}

/** @returns `unended` if one of its processes could not be ended; `taken` if another process closed the call. */
async function closeStarted(
  open: Call,
  restored: RestoredCall,
  closing: Closing,
): Promise<'whole' | 'unended' | 'taken'> {
  const { attempt, overlay } = restored;
  const { stage, call_id } = open.reserved;
  const orphan = await leftOf(open, restored, closing);
  const warnings = [...restored.call.warnings, DIED];
  const call = (): RecordableCall => ({ ...restored.call, warnings: [...warnings] });
  const until = () =>
    new Date(closing.clock().getTime() + Math.max(0, orphan.limits.wallMs - orphan.ageMs)).toISOString();
  const observer = {
    adopted: () =>
      closing.say(
        `stage ${stage}: the call ${call_id} lost its guardian and still works; guarded from here (until ${until()})`,
      ),
    cancelling: async (soFar: Outcome) => {
      warnings.push(...publishEarly(call(), recorded(call(), notYetHeld(call(), soFar))));
    },
  };
  const adopted = withRecordedEnd(open.ended, await adopt(orphan, observer, closing.stop));
  const outcome = await heldToSchema(call(), adopted);
  warnings.push(...putFoldersRight(restored.call.folders, restored.call.clock));
  if (outcome.ending === 'lost') warnings.push(LOST);
  const ended = call();
  const classified = recorded(ended, outcome);
  // A sweep and a run may have reached the call at the same time.
  if (closing.journal.read().ledger.calls.get(call_id)?.verdict || (await closing.isTaken?.())) return 'taken';
  const runId = open.reserved.run_id;
  const logged = await logApiFailure({
    call: ended,
    attempt,
    outcome,
    record: classified,
    runId,
    again: 'perhaps_again',
  });
  const { record, published } = publishAll(ended, attempt, logged, outcome);
  // A full disk is not an internal error: the call stays open, and the next run tries again.
  if (published.how === 'failed')
    throw Object.assign(new Error(published.why), { code: 'UNPUBLISHED', syscall: 'write' });
  note(closing.journal, open, { ...outcome, native_exit_code: outcome.exitCode }, verdictFact(record));
  closeAttempt(attempt, overlay, ended, published);
  outcome.streams?.close();
  return (outcome.survivors ?? []).length === 0 ? 'whole' : 'unended';
}

/** The warning in a record that was not made by the call's own wrapper. */
export const DIED = 'the wrapper died; this record was made afterwards from the files of its attempt';

const LOST = 'it was in flight when its wrapper died, and its end was not seen: it counts as paid';

/** Makes the record of a call as a later process can classify it. */
export function recorded(call: RecordableCall, outcome: Outcome): CallRecord {
  const { withheld } = call;
  const classified = classifyOutcome(outcome, contextOf(call));
  const record = recordOf(call, outcome, classified, exitOf(call.request.adapter, outcome, classified.verdict, null));
  const { evidence } = record.verdict;
  if (withheld === null) return record;
  const warnings = [...record.warnings, withheld];
  if (evidence === null) return { ...record, warnings };
  return { ...record, warnings, verdict: { ...record.verdict, evidence: { ...evidence, text: withheld } } };
}

async function leftOf(
  open: Call,
  { call: restored, attempt, clocks }: RestoredCall,
  { clock, sent }: Closing,
): Promise<Orphan> {
  const { adapter, call, limits } = restored.request;
  const begun = { guardian: open.reserved.guardian, clocks, startedAt: restored.startedAt };
  const ageMs = ageOf(begun, await self(), clock);
  return {
    files: attempt.files,
    tree: await treeOf(open, attempt.folder),
    adapter,
    retries: call.innerRetries,
    ...(call.requires === undefined ? {} : { requires: call.requires }),
    ...usageSource(restored.request, restored.startedAt),
    limits: limitsOf(
      sent === undefined ? limits : strictest(limits, sent.limits),
      kindOf(attempt.files.stdin) === null ? 0 : lstatSync(attempt.files.stdin).size,
    ),
    ageMs: sent === undefined ? ageMs : Math.max(ageMs, nowMs() - sent.atMs),
  };
}

/** Reads the outcome of a call afterwards: from its files, and from the guardian's report of its end, if there is one. */
export async function outcomeOf(
  ended: Call['ended'],
  files: Attempt['files'],
  adapter: Adapter,
  maxOutputBytes?: number,
): Promise<Outcome> {
  return withRecordedEnd(ended, await readOrphan(files, adapter, maxOutputBytes));
}

const withRecordedEnd = (ended: Call['ended'], outcome: Outcome): Outcome =>
  ended === null
    ? outcome
    : {
        ...outcome,
        ending: ended.ending,
        exitCode: ended.native_exit_code,
        signal: ended.signal as NodeJS.Signals | null,
      };

const self = async (): Promise<ProcessIdentity> => (await identify(process.pid))!;
