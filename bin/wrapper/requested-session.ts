// Makes a call in the session that its flags request: --session names a tag, --last means the previous call.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCallId } from '../../loops/attempt/phases.ts';
import type { WrapperRequest } from '../../loops/attempt/request.ts';
import type { Saved } from '../../loops/attempt/saved-draft.ts';
import { call } from '../../loops/call/call.ts';
import { type CallSession, LOOK_MS, openCallSession, type RequestedSession } from '../../loops/session/call-session.ts';
import { guarded, sweepEntry } from '../../loops/upkeep/sweep.ts';
import { findingsOf } from '../../loops/upkeep/swept.ts';
import { isTool, type Tool } from '../../policies/facts/tools.ts';
import { ACCOUNT_NAME, accountName, accountPlaces } from '../../policies/limits/user-accounts.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { TAG, TAG_MUST } from '../../policies/session/session-entry.ts';
import { type FoundCall, type RegisterEntry, readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { type KeptSession, readSessions } from '../../state/sessions/sessions-file.ts';
import { isSystemError, wayOutOf } from '../../state/system-error.ts';
import { projectState, strayState } from '../../state/task-folder.ts';
import { ancestorsOf, isAmong } from '../../wrappers/processes/ancestors.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import type { Lookup } from '../../wrappers/sessions/store.ts';
import type { Arguments } from '../command-line.ts';

/** @returns null if the call requests none of them; a sentence if it cannot have it. */
export function requestedSession(
  tool: Tool,
  { text, given }: Arguments,
  environment: NodeJS.ProcessEnv,
): RequestedSession | null | string {
  const tag = text.session;
  const flags = ['--session', '--last', '--resume-session'].filter((flag) => given.has(flag.slice(2)));
  if (flags.length > 1) return `give only one of ${flags.join(' and ')}`;
  if (tag !== undefined) return TAG.test(tag) ? { tag } : `--session ${TAG_MUST}`;
  if (!given.has('last')) return null;
  const account = accountName(tool, environment);
  const last = lastCall(tool, account);
  if (last === null)
    return `--last: .tmp/calls has no call of ${tool}${account === null ? '' : ` in the account ${account}`} with a session; start one without --last`;
  if (last.account === account) return { id: last.id };
  return `--last: the previous call of ${tool} was made in the account ${last.account}; to continue it, add --account ${last.account}`;
}

/** The tool of the session that the flags name; null if they name none, or it is not known yet. */
export async function toolOfSession({ text, given }: Arguments): Promise<Tool | null> {
  if (given.has('last')) return lastCall(null, text.account ?? null)?.tool ?? null;
  if (text.session === undefined) return null;
  const entries = (await keptEntries()).filter(({ tag }) => tag === text.session);
  const killed = (await killedCalls(text.session, projectState(process.cwd(), process.env), process.env)).at(-1);
  if (killed !== undefined) return killed.tool;
  const newest = entries.sort((a, b) => Date.parse(b.entry.last_used) - Date.parse(a.entry.last_used))[0];
  return newest?.tool ?? null;
}

/** A file that cannot be read is reported by the call, which needs it too. */
async function keptEntries(): Promise<KeptSession[]> {
  try {
    return (await readSessions(projectState(process.cwd(), process.env), () => new Date(), 'in_place')).entries();
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

interface LastCall {
  tool: Tool;
  id: string;
  startedAt: string;
  account: string | null;
}

const MAX_RECORD_BYTES = 1024 * 1024;

/**
 * Ids begin with the second in which their call began, so only those of one second are compared by their records.
 * @param account null for any login.
 */
function lastCall(tool: Tool | null, account: string | null): LastCall | null {
  const calls = path.join(projectState(process.cwd(), process.env), 'calls');
  const ids = namesIn(calls).sort().reverse();
  let newest: LastCall | null = null;
  let second = '';
  for (const id of ids) {
    if (newest !== null && id.slice(0, 14) !== second) break;
    const found = readCall(path.join(calls, id, 'call.json'));
    if (found === null || (tool !== null && found.tool !== tool)) continue;
    if (account !== null && found.account !== account) continue;
    if (newest === null || found.startedAt > newest.startedAt) newest = found;
    second = id.slice(0, 14);
  }
  return newest;
}

/** An agent can write the file, so only fields of the right shape count. */
function readCall(file: string): LastCall | null {
  const record = readJsonIfFit<Record<string, unknown>>(file, MAX_RECORD_BYTES);
  const { tool, session_id: id, started_at: startedAt, account = null } = record ?? {};
  if (!isTool(tool) || typeof id !== 'string' || !/^[\w-]{1,200}$/.test(id) || id.startsWith('-')) return null;
  if (account !== null && (typeof account !== 'string' || !ACCOUNT_NAME.test(account))) return null;
  return { tool, id, startedAt: String(startedAt), account };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d{14}-/.test(name));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

/** Makes the call when its session is free, and stores it under the tag. @returns why its files cannot be used. */
export async function callInSession(
  request: WrapperRequest,
  requested: RequestedSession,
  stop: AbortSignal,
): Promise<Awaited<ReturnType<typeof call>> | string> {
  const { adapter, ownId, call: wanted, say = () => {} } = request;
  const clock = () => new Date();
  const { tool } = adapter;
  const { cwd, environment } = wanted;
  const stateFolder = projectState(process.cwd(), environment);
  const stray = strayState(stateFolder, environment);
  if (stray !== null) return stray;
  const unfit = adapter.described?.takes({ ...wanted, resumeSession: 'any' }) ?? null;
  if (unfit?.startsWith('--resume-session: '))
    return unfit.replace('--resume-session', 'tag' in requested ? '--session' : '--last');
  const callId = ownId ?? newCallId(clock());
  if ('tag' in requested)
    await settleKilled({ tool, tag: requested.tag, stateFolder, cwd, environment }, stop, say, clock);
  let session: CallSession | null;
  try {
    session = await openCallSession({ tool, cwd, environment, stateFolder, callId, stop, say, clock }, requested);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `the files of the session cannot be used: ${error.message}; nothing was started. To continue, ${wayOutOf(error)}`;
  }
  // A stop was requested while it waited, so the call ends as cancelled.
  if (session === null) return call(request, stop, clock);
  const { id } = session;
  if (id !== null) say(`resuming ${tool} session ${id}`);
  try {
    const tag = 'tag' in requested && session.isKept ? { tag: { name: requested.tag, stateFolder } } : {};
    let isKept = false;
    const published = async (record: CallRecord) => {
      isKept = true;
      const warning = await session.keep(record);
      if (warning !== null) say(`warning: ${warning}`);
    };
    const called = await call({ ...request, ...tag, published, call: { ...wanted, resumeSession: id } }, stop, clock);
    if (!isKept) await published(called.record);
    return called;
  } finally {
    session.release();
  }
}

interface KilledCall {
  file: string;
  entry: RegisterEntry;
  tool: Tool;
  /** Leads to the files of its account; absent in an entry of an older version. */
  account: Saved['account'];
}

/** The calls that use the session of the tag and whose wrapper was killed, oldest first, from the user's register. */
async function killedCalls(tag: string, stateFolder: string, environment: NodeJS.ProcessEnv): Promise<KilledCall[]> {
  const folder = registerFolder(environment);
  if (folder === null) return [];
  const self = (await identify(process.pid))!;
  const killed: KilledCall[] = [];
  for (const found of readableEntries(folder)) {
    if (found.how !== 'read') continue;
    const { file, entry } = found;
    const { tool, tag: its, account } = (entry.draft ?? {}) as Partial<Saved>;
    if (!isTool(tool) || its?.name !== tag || its.stateFolder !== stateFolder) continue;
    if ((await isAlive(entry.guardian, self)) === 'dead') killed.push({ file, entry, tool, account });
  }
  return killed;
}

function readableEntries(folder: string): FoundCall[] {
  try {
    return readEntries(folder);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

const WORKING = 'call working';

/** Waits for the killed calls that use the session of the tag, and publishes their answers, so that this call continues it. */
async function settleKilled(
  { tool, tag, stateFolder, cwd, environment }: { tool: Tool; tag: string; stateFolder: string } & Lookup,
  stop: AbortSignal,
  say: (sentence: string) => void,
  clock: () => Date,
): Promise<void> {
  const reported = new Set<string>();
  // The agent of such a call waits for this command, so its answer cannot come first.
  const above = await ancestorsOf(process.pid);
  const isOurs = ({ entry: { cli } }: KilledCall) => cli !== null && isAmong(above, cli);
  // Another login cannot continue a session.
  const login = JSON.stringify(accountPlaces(tool, environment));
  const isOfLogin = ({ account }: KilledCall) => account === undefined || JSON.stringify(account) === login;
  for (let isReported = false; !stop.aborted; isReported = true) {
    const all = await killedCalls(tag, stateFolder, environment);
    const killed = all.filter((one) => one.tool === tool && isOfLogin(one) && !isOurs(one));
    const sweeping = { cwd, environment, working: 'wait', clock } as const;
    const swept = [];
    for (const { file, entry } of killed) swept.push(...(await guarded(file, () => sweepEntry(file, entry, sweeping))));
    const findings = findingsOf(swept);
    for (const { check, found } of findings) {
      if (check !== WORKING && !reported.has(found)) say(found);
      reported.add(found);
    }
    const working = findings.find(({ check }) => check === WORKING);
    if (working === undefined) return;
    const wait = `waiting for the session of ${JSON.stringify(tag)}: ${working.found}`;
    if (!isReported) say(`${wait}; tollgate preflight --sweep --now ends it`);
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => {});
  }
}
