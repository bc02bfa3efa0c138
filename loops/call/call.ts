// Makes one guarded call: checks, reserves, runs, classifies, records and publishes it. The commands are thin layers over it.

import type { BuiltIn } from '../../policies/facts/tools.ts';
import { accountIn } from '../../policies/limits/user-accounts.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';
import { keepsVersions, keepVersion, recallVersion } from '../../state/cli-versions.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { prefixOf } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { askVersion, versionIn, versionOfPackage } from '../../wrappers/cli-version.ts';
import type { Feature } from '../../wrappers/feature.ts';
import { askThrough, probePrefix, setOf } from '../../wrappers/prefix.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { outerCalls } from '../../wrappers/processes/marker.ts';
import { type FlagObserver, runAccepted } from '../../wrappers/run-accepted.ts';
import { TRUST_FOLDER } from '../../wrappers/startable.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import { announce } from '../attempt/announce.ts';
import { invocationOf, prefixedCall, wholeLine } from '../attempt/invocation.ts';
import { removeStale } from '../attempt/output-paths.ts';
import {
  type BegunCall,
  begin,
  type CheckedCall,
  type EquippedCall,
  GUARDIAN_TIMEOUTS,
  type PreparedCall,
  sha256,
  wallMs,
} from '../attempt/phases.ts';
import type { Charge, WrapperRequest } from '../attempt/request.ts';
import { putFoldersRight, withRealPlaces } from '../attempt/result-paths.ts';
import { termsOf } from '../attempt/saved-draft.ts';
import { cancelled, check, LATE, type Refusal, toolingRefusal, tooOld } from './check.ts';
import type { Called, StartedCall } from './conclude.ts';
import { deadlineOf, discard, prepare, wayOut } from './prepare.ts';
import type { UnfinishedCall } from './refusal.ts';
import { refreshStats, reserve } from './reserve.ts';
import { withinLimits, withinTask } from './within-limits.ts';

/** Makes one call, which may cost money. A call that is refused before that also has a record. */
export async function call(request: WrapperRequest, stop: AbortSignal, clock: () => Date): Promise<Called> {
  const begun: BegunCall = { ...begin(request, clock), announced: await announce(request.files) };
  const prefixed = await withPrefix(request);
  if (typeof prefixed === 'string') return refuse(begun, prefixRefusal(prefixed, 'badInput'));
  return callThrough({ ...begun, request: prefixed }, stop);
}

async function callThrough(begun: BegunCall, stop: AbortSignal): Promise<Called> {
  const { request } = begun;
  // A stop signal came while the prompt was still being piped in.
  if (stop.aborted) return refuse(begun, cancelled(stop));
  const found = check(request);
  if (found.how === 'refused') return refuse({ ...begun, prompt: found.prompt }, found.refusal);
  const { prompt, binary } = found;
  const cliVersion = await knownVersion(begun, binary, stop);
  const checked: CheckedCall = { ...begun, request: withRealPlaces(request), prompt, binary, cliVersion };
  const old = tooOld(checked);
  if (old !== null) return refuse(checked, old);
  const ready = await withinTask(checked);
  if ('exit' in ready) return refuse(checked, ready);
  return withinLimits(ready, stop, {
    make: (admitted) => make(admitted, stop),
    refuse,
  });
}

async function make(checked: CheckedCall, stop: AbortSignal): Promise<Called> {
  const { request } = checked;
  const { resumeSession } = request.call;
  if (resumeSession === null) return makeIn(checked, null, stop);
  const { repairSession } = await import('./repair-session.ts');
  const session = await repairSession(checked, resumeSession);
  if (session.how === 'refused') return refuse(checked, session.refusal);
  return makeIn(withWarnings(checked, session.warnings), session.countedBefore, stop);
}

/** @param countedBefore the usage of the resumed session before this call. */
async function makeIn(
  checked: CheckedCall,
  countedBefore: EquippedCall['countedBefore'],
  stop: AbortSignal,
): Promise<Called> {
  if (!checked.request.recordRequests) return makePrepared(checked, { countedBefore, recorder: null }, stop);
  const { openRecorder } = await import('./recorder.ts');
  const opened = await openRecorder(checked, stop);
  if (opened.how === 'failed')
    return makePrepared(withWarnings(checked, [opened.warning]), { countedBefore, recorder: null }, stop);
  const { recorder } = opened;
  try {
    return await makePrepared(checked, { countedBefore, recorder }, stop);
  } finally {
    await recorder.close();
  }
}

async function makePrepared(
  checked: CheckedCall,
  known: Pick<EquippedCall, 'countedBefore' | 'recorder'>,
  stop: AbortSignal,
): Promise<Called> {
  const { request } = checked;
  // An invalid pattern must be found before anything is paid. Without patterns, the redactor is made while the CLI runs.
  if (request.redactionPatterns.length > 0) (await concludes()).redactorFor(request);
  const ready = prepare(checked, known, (await identify(process.pid))!);
  if (ready.how === 'refused') return refuse(checked, ready.refusal);
  const prepared = ready.call;
  const lack = await prefixLack(prepared, stop);
  if (lack !== null) {
    discard(prepared);
    return refuse(prepared, lack);
  }
  // This process was suspended for so long that no caller waits for the call any more.
  if (nowMs() - checked.begunMs > wallMs(request.limits) + GUARDIAN_TIMEOUTS.lateMs) {
    discard(prepared);
    return refuse(prepared, LATE);
  }
  return request.charge === null ? pay(prepared, null, stop) : charge(prepared, request.charge, stop);
}

/** The code that classifies a call is loaded while its CLI runs. */
const concludes = () => import('./conclude.ts');

/** Reserves the call in the budget of its task. */
async function charge(prepared: PreparedCall, account: Charge, stop: AbortSignal): Promise<Called> {
  if (stop.aborted) return stopBefore(prepared, stop);
  const { callId, guardian, request, clock } = prepared;
  const reserved = await reserve(
    account,
    {
      callId,
      tool: request.adapter.tool,
      ...accountIn(request.adapter.tool, request.call.environment),
      guardian,
      deadlineAt: deadlineOf(prepared),
      terms: termsOf(prepared),
      outer: outerCalls(request.call.environment),
    },
    clock,
  );
  if (reserved.how === 'refused') {
    discard(prepared);
    return refuse(prepared, reserved.refusal);
  }
  const called = await pay(prepared, reserved.journal, stop);
  try {
    await refreshStats(reserved.journal, clock);
    return called;
  } catch (error) {
    const warning = `stats.json could not be written: ${(error as Error).message}`;
    return { ...called, record: withWarnings(called.record, [warning]) };
  }
}

/** From here on, the call counts as paid, even if it fails. */
async function pay(prepared: PreparedCall, journal: Journal | null, stop: AbortSignal): Promise<Called> {
  if (journal === null && stop.aborted) return stopBefore(prepared, stop);
  const { request, callId, registered, saved, clock } = prepared;
  // The observer changes these while the CLI runs.
  let { argv } = prepared;
  let promptHash: string | null = null;
  const warnings = [...prepared.warnings];
  const startedCall = (redactor: Redactor): StartedCall => ({
    ...prepared,
    argv: wholeLine(prepared, argv),
    warnings: [...warnings],
    promptHash,
    withheld: null,
    redactor,
  });
  const note = (fact: Fact): boolean => {
    try {
      journal?.append(fact);
      return true;
    } catch (error) {
      // The call is running and paid. Its result is more important than its entry in the journal.
      warnings.push(`the journal could not be written: ${(error as Error).message}`);
      return false;
    }
  };
  // This hash, like that of the prompt, is computed while the CLI starts.
  const drafted = () => (saved === null ? {} : { draft_sha256: sha256(Buffer.from(saved)) });
  try {
    removeStale(request.files);
    const observer: FlagObserver = {
      ...(request.watch === undefined ? {} : { observed: request.watch }),
      started: async (pid) => {
        const cli = await identify(pid);
        registered.started(cli);
        note({ fact: 'started', call_id: callId, cli, ...drafted() });
      },
      refused: (flag, accepted) => {
        // A later run or sweep must search by marker for the process that starts now, not for the process that has ended.
        registered.again();
        note({ fact: 'started', call_id: callId, cli: null, ...drafted() });
        argv = accepted;
        warnings.push(refusedSentence(prepared, flag));
      },
      cancelling: async (soFar) => {
        const { conclude, redactor } = await concluding;
        warnings.push(...(await conclude.concludeEarly(startedCall(redactor), soFar, stop)));
      },
    };
    const running = runAccepted(invocationOf(prepared), request.adapter.features, observer, stop);
    const concluding = concludes().then((conclude) => ({ conclude, redactor: conclude.redactorFor(request) }));
    concluding.catch(() => {});
    promptHash = sha256(prepared.prompt);
    const outcome = await running;
    const { ending, exitCode, signal } = outcome;
    warnings.push(...putFoldersRight(prepared.folders, clock));
    note({ fact: 'ended', call_id: callId, ending, native_exit_code: exitCode, signal });
    const { conclude, redactor } = await concluding;
    return await conclude.conclude(startedCall(redactor), outcome, stop, note);
  } catch (error) {
    return keep({ ...prepared, argv: wholeLine(prepared, argv), warnings }, error);
  }
}

const withWarnings = <T extends { readonly warnings: readonly string[] }>(value: T, added: readonly string[]): T => ({
  ...value,
  warnings: [...value.warnings, ...added],
});

const refusedSentence = ({ cliVersion, request: { adapter } }: CheckedCall, { name, without }: Feature): string =>
  `${adapter.tool}${cliVersion === null ? '' : ` ${cliVersion}`} does not know ${name}: it sent no request, and was started once more without (${without})`;

/** The disk no longer returns what was written to it. The call stays open in the journal, and the next run reads its files. */
async function keep(call: PreparedCall, error: unknown): Promise<Called> {
  if (!isSystemError(error)) throw error;
  const message = `the call was made, and its result could not be read (${error.message}); it is kept in ${call.attempt.folder}; ${wayOut(call)}`;
  return (await refusals()).unread(call, message);
}

/** For a stop signal that came before anything was started. */
function stopBefore(prepared: PreparedCall, stop: AbortSignal): Promise<Called> {
  discard(prepared);
  return refuse(prepared, cancelled(stop));
}

/** Ends a call for which nothing was paid. */
async function refuse(call: UnfinishedCall, refusal: Refusal): Promise<Called> {
  return (await refusals()).refused(call, refusal);
}

/** The code that builds a refusal is loaded only when a call is refused: it takes 2 ms. */
const refusals = () => import('./refusal.ts');

/** @returns null if the CLI reports no version, or if the version could not be stored. Such a CLI is treated as the newest. */
async function knownVersion(
  { request: { adapter, call }, callId, clock }: BegunCall,
  binary: string,
  stop: AbortSignal,
): Promise<string | null> {
  const nowMs = clock().getTime();
  const packaged = adapter.prefix === undefined ? versionOfPackage(binary, adapter.packageName) : null;
  const asking = adapter.described === undefined ? ['--version'] : adapter.described.row.version;
  // A script that does not know this flag might do its normal work.
  if (packaged !== null || asking === null || !keepsVersions(call.environment)) return packaged;
  const within = adapter.prefix === undefined ? '' : JSON.stringify([...adapter.prefix, adapter.binary]);
  const recalled = recallVersion(call.environment, binary, nowMs, within);
  if (recalled !== undefined || stop.aborted) return recalled ?? null;
  const variables = adapter.environment(call);
  const { cwd } = call;
  const environment = { ...call.environment, ...variables };
  const version =
    within === ''
      ? await askVersion(binary, asking, { cwd, environment }, stop)
      : versionIn(
          await askThrough(
            adapter,
            { program: binary, callId, cwd, environment, variables: setOf(variables), folders: [] },
            asking,
            stop,
          ),
        );
  // A prefix may fail for now only, such as without its daemon.
  if (!stop.aborted && (version !== null || within === ''))
    keepVersion(call.environment, binary, version, nowMs, within);
  return version;
}

/** A dispatcher passes the prefix of a built-in CLI. @returns a sentence if the call may not be made with it. */
async function withPrefix(request: WrapperRequest): Promise<WrapperRequest | string> {
  const { adapter, call, callId } = request;
  if (callId !== null || adapter.described !== undefined) return request;
  const found = await prefixOf(adapter.tool as BuiltIn, projectRoot(call.cwd));
  if (typeof found === 'string') return found;
  const { prefix } = found;
  if (prefix === null) return request;
  if (call.trustWorkspace) return { ...request, adapter: { ...adapter, prefix } };
  return `tollgate.yaml gives ${adapter.tool} a prefix, and that counts only in a trusted workspace: ${TRUST_FOLDER}`;
}

const prefixRefusal = (message: string, exit: 'badInput' | 'missingBinary'): Refusal =>
  toolingRefusal(exit === 'missingBinary' ? 'binary_missing' : 'bad_prefix', message, exit);

/** Checks what reaches the CLI through its prefix. */
async function prefixLack(prepared: PreparedCall, stop: AbortSignal): Promise<Refusal | null> {
  if (prepared.through === null || stop.aborted) return null;
  const { request, binary } = prepared;
  const lack = await probePrefix(request.adapter, { program: binary, ...prefixedCall(prepared) }, stop);
  if (lack === null || stop.aborted) return null;
  return prefixRefusal(lack.why, lack.missing === 'cli' ? 'missingBinary' : 'badInput');
}
