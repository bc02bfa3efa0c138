// Makes one guarded call: checks, reserves, runs, classifies, records and publishes it. The commands are thin layers over it.

import { stoppedBy } from '../../policies/facts/stop.ts';
import { keepsVersions, keepVersion, recallVersion } from '../../state/cli-versions.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { askVersion, versionOfPackage } from '../../wrappers/cli-version.ts';
import type { Feature } from '../../wrappers/feature.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { outerCalls } from '../../wrappers/processes/marker.ts';
import { type FlagObserver, runAccepted } from '../../wrappers/run-accepted.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { announce } from '../attempt/announce.ts';
import { type Draft, draftOf, sha256, wallMs } from '../attempt/draft.ts';
import { invocationOf } from '../attempt/invocation.ts';
import { keepPlaces, putFoldersRight, withRealPlaces } from '../attempt/kept-folders.ts';
import { removeStale } from '../attempt/output-paths.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { termsOf } from '../attempt/saved-draft.ts';
import { withinLimits } from '../limits/within.ts';
import { check, type Refusal } from './check.ts';
import type { Called } from './conclude.ts';
import { GUARDIAN_TIMEOUTS } from './guardian-timeouts.ts';
import { noteFact } from './journal-facts.ts';
import { discard, prepare, type Ready } from './prepare.ts';
import { deadlineOf, wayOut } from './registered.ts';
import { cancelled, LATE, tooOld, unadmitted } from './unstarted.ts';

/** Makes one call, which may cost money. A call that is refused before that also has a record. */
export async function call(request: WrapperRequest, stop: AbortSignal, clock: () => Date): Promise<Called> {
  const draft = draftOf(request, clock);
  try {
    return await guarded(draft, stop);
  } finally {
    await draft.recorder?.close();
  }
}

async function guarded(draft: Draft, stop: AbortSignal): Promise<Called> {
  let begunMs = nowMs();
  const { request, clock } = draft;
  draft.announced = await announce(request.files);
  // A stop signal came while the prompt was still being piped in.
  if (stop.aborted) return left(draft, cancelled(stoppedBy(stop) ?? 'SIGTERM'));
  const checked = check(request);
  draft.prompt = checked.prompt;
  if (checked.how === 'refused') return left(draft, checked.refusal);
  draft.binary = checked.binary;
  draft.request = withRealPlaces(request);
  draft.cliVersion = await knownVersion(request, checked.binary, stop, clock().getTime());
  const old = tooOld(draft);
  if (old !== null) return left(draft, old);
  return withinLimits(draft, stop, {
    make: () => prepared(draft, stop, begunMs),
    left: (admission) => left(draft, unadmitted(admission, stop)),
    begins: () => {
      begunMs = nowMs();
    },
  });
}

async function prepared(draft: Draft, stop: AbortSignal, begunMs: number): Promise<Called> {
  const { request } = draft;
  const { resumeSession } = request.call;
  if (resumeSession !== null) {
    const { repairSession } = await import('./repair-session.ts');
    const refusal = await repairSession(draft, resumeSession);
    if (refusal !== null) return left(draft, refusal);
  }
  if (request.recordRequests) {
    const { openRecorder } = await import('./recorder.ts');
    draft.recorder = await openRecorder(draft, stop);
  }
  // An invalid pattern must be found before anything is paid. Without patterns, the redactor is made while the CLI runs.
  if (request.redactionPatterns.length > 0) (await concludes()).closing(draft);
  const ready = prepare(draft, (await identify(process.pid))!);
  if (ready.how === 'refused') return left(draft, ready.refusal);
  keepPlaces(draft, ready.attempt.folder);
  // This process was suspended for so long that no caller waits for the call any more.
  if (nowMs() - begunMs > wallMs(request) + GUARDIAN_TIMEOUTS.lateMs) {
    discard(ready);
    return left(draft, LATE);
  }
  return charged(draft, ready, stop);
}

/** The code that classifies a call is loaded while its CLI runs. */
const concludes = () => import('./conclude.ts');

async function charged(draft: Draft, ready: Ready, stop: AbortSignal): Promise<Called> {
  const { request, clock } = draft;
  const paid = (journal: Journal | null) =>
    spend(draft, ready, journal, stop).catch((error) => kept(draft, ready, error));
  if (request.charge === null) return stop.aborted ? stopped(draft, ready, stop) : paid(null);
  // Loaded only for a task, so that a call without a task does not wait for it.
  const { refreshStats, reserve } = await import('./reserve.ts');
  if (stop.aborted) return stopped(draft, ready, stop);
  const { callId } = draft;
  const { tool } = request.adapter;
  const { guardian, attempt, overlay } = ready;
  const terms = termsOf(attempt, draft, overlay);
  const [deadlineAt, outer] = [deadlineOf(draft), outerCalls(request.call.environment)];
  const reservation = { callId, tool, guardian, deadlineAt, terms, outer };
  const reserved = await reserve(request.charge, reservation, clock);
  if (reserved.how === 'refused') {
    discard(ready);
    return left(draft, reserved.refusal);
  }
  const called = await paid(reserved.journal);
  await refreshStats(reserved.journal, clock).catch((error: Error) => {
    called.record.warnings.push(`stats.json could not be written: ${error.message}`);
  });
  return called;
}

/** From here on, the call counts as paid, even if it fails. */
async function spend(draft: Draft, ready: Ready, journal: Journal | null, stop: AbortSignal): Promise<Called> {
  const { attempt, overlay, registered, saved } = ready;
  const { request, callId } = draft;
  removeStale(request.files);
  const note = (fact: Fact) => noteFact(journal, fact, draft);
  // This hash, like that of the prompt, is computed while the CLI starts.
  const drafted = () => (saved === null ? {} : { draft_sha256: sha256(Buffer.from(saved)) });
  const observer: FlagObserver = {
    started: async (pid) => {
      const cli = await identify(pid);
      registered.started(cli);
      note({ fact: 'started', call_id: callId, cli, ...drafted() });
    },
    refused: (flag, argv) => {
      // A later run or sweep must search by marker for the process that starts now, not for the process that has ended.
      registered.again();
      note({ fact: 'started', call_id: callId, cli: null, ...drafted() });
      draft.argv = argv;
      draft.warnings.push(refusedSentence(draft, flag));
    },
    cancelling: async (soFar) => (await concluding).concludeEarly(draft, soFar, stop),
  };
  const invocation = invocationOf(draft, attempt, overlay.environment);
  const running = runAccepted(invocation, request.adapter.features, observer, stop);
  // The classifier and the redactor are loaded while the CLI runs.
  const concluding = concludes().then((conclude) => {
    conclude.closing(draft);
    return conclude;
  });
  concluding.catch(() => {});
  if (draft.prompt !== null) draft.promptHash = sha256(draft.prompt);
  const outcome = await running;
  const { ending, exitCode, signal } = outcome;
  putFoldersRight(draft);
  note({ fact: 'ended', call_id: callId, ending, native_exit_code: exitCode, signal });
  const { conclude } = await concluding;
  return conclude(draft, outcome, { ready, stop, note });
}

const refusedSentence = ({ cliVersion, request: { adapter } }: Draft, { name, without }: Feature): string =>
  `${adapter.tool}${cliVersion === null ? '' : ` ${cliVersion}`} does not know ${name}: it asked for nothing, and was started once more without (${without})`;

/** The disk no longer returns what was written to it. The call stays open in the journal, and the next run reads its files. */
async function kept(draft: Draft, { attempt, registered }: Ready, error: unknown): Promise<Called> {
  if (!isSystemError(error)) throw error;
  const message = `the call was made, and its result could not be read (${error.message}); it is kept in ${attempt.folder}; ${wayOut(draft, registered)}`;
  return (await refusing()).unread(draft, message);
}

/** For a stop signal that came before anything was started. */
function stopped(draft: Draft, ready: Ready, stop: AbortSignal): Promise<Called> {
  discard(ready);
  return left(draft, cancelled(stoppedBy(stop) ?? 'SIGTERM'));
}

/** Ends a call for which nothing was paid. */
async function left(draft: Draft, refusal: Refusal): Promise<Called> {
  return (await refusing()).refused(draft, refusal);
}

/** @returns null if the CLI reports no version, or if the version could not be stored. Such a CLI is treated as the newest. */
async function knownVersion(
  { adapter, call }: WrapperRequest,
  binary: string,
  stop: AbortSignal,
  nowMs: number,
): Promise<string | null> {
  const packaged = versionOfPackage(binary, adapter.packageName);
  const asking = adapter.described === undefined ? ['--version'] : adapter.described.row.version;
  // A script that does not know this flag might do its normal work.
  if (packaged !== null || asking === null || !keepsVersions(call.environment)) return packaged;
  const recalled = recallVersion(call.environment, binary, nowMs);
  if (recalled !== undefined || stop.aborted) return recalled ?? null;
  const environment = { ...call.environment, ...adapter.environment(call) };
  const version = await askVersion(binary, asking, { cwd: call.cwd, environment }, stop);
  if (!stop.aborted) keepVersion(call.environment, binary, version, nowMs);
  return version;
}

/** The code that builds a refusal is loaded only when a call is refused. */
const refusing = () => import('./refusal.ts');
