// Gives a call outside a run the session of a tag, or a named one: waits for its turn, and stores the session after the call.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool } from '../../policies/facts/tools.ts';
import { accountIn } from '../../policies/limits/user-accounts.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { newEntry, type SessionEntry } from '../../policies/session/session-entry.ts';
import { afterCall, CONTEXT_LIMIT_TOKENS, fitnessOf } from '../../policies/session/session-policy.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { readSessions } from '../../state/sessions/sessions-file.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { findBinary } from '../../wrappers/find-binary.ts';
import type { RecordableCall } from '../attempt/phases.ts';
import { changeSessions } from './change-sessions.ts';
import { countTokens, findSession, isDeleted, worksElsewhere } from './own-files.ts';
import { acquireSessionTurn, acquireTagTurn, type SessionTurnRequest } from './session-turn.ts';
import { writerIn } from './wait-until-idle.ts';

/** The session that a call outside a run requests: the one of a tag, or one by its id. */
export type RequestedSession = { tag: string } | { id: string };

interface SettledCall {
  tool: Tool;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The project's `.tmp`. */
  stateFolder: string;
  callId: string;
  clock: () => Date;
}

interface SessionCall extends SettledCall {
  stop: AbortSignal;
  say(sentence: string): void;
}

export interface CallSession {
  /** The session to resume; null for a new one. */
  id: string | null;
  /** Whether the tag names the session of this call after it. */
  isKept: boolean;
  /** Stores the session of the call under its tag. @returns a warning, or null. */
  keep(record: CallRecord): Promise<string | null>;
  release(): void;
}

/**
 * Waits until no other call uses the tag or the session. Throws the errors of the operating system if a queue cannot be written.
 * @returns null if a stop was requested while it waited.
 */
export async function openCallSession(call: SessionCall, requested: RequestedSession): Promise<CallSession | null> {
  const turns: { release(): void }[] = [];
  let isGuest = false;
  const release = () => {
    for (const turn of turns.splice(0)) turn.release();
  };
  try {
    const tag = 'tag' in requested ? requested.tag : null;
    if (tag !== null) {
      const turn = await acquireTagTurn(turnRequestOf(call), tag);
      if (turn.how === 'stopped') return null;
      turns.push(turn);
      isGuest = turn.within;
    }
    const id = 'id' in requested ? requested.id : await sessionOfTag(call, requested.tag);
    if (id !== null) {
      const turn = await acquireSessionTurn(turnRequestOf(call), id);
      if (turn.how === 'taken') turns.push(turn);
      isGuest ||= turn.how === 'taken' && turn.within;
      if (turn.how === 'stopped' || (!isGuest && !(await isClosed(call, id)))) {
        release();
        return null;
      }
    }
    if (isGuest) {
      call.say('a new session is begun, and not stored: the agent of the session started this call');
      return { id: null, isKept: false, release, keep: () => Promise.resolve(null) };
    }
    return {
      id,
      isKept: tag !== null,
      release,
      keep: (record) => (tag === null ? Promise.resolve(null) : keepSession(call, tag, id, record)),
    };
  } catch (error) {
    release();
    throw error;
  }
}

const turnRequestOf = ({ callId, ...call }: SessionCall): SessionTurnRequest => ({
  ...call,
  taskId: `call ${callId}`,
  stage: 'call',
  whileWaiting: (what, who) => call.say(`waiting for ${what}: ${who} has it`),
});

export const LOOK_MS = 1000;

/** Waits while a process without a turn uses the session: a killed call's, or the user's. @returns false if stopped. */
async function isClosed(call: SessionCall, id: string): Promise<boolean> {
  const { tool, stop, say, clock } = call;
  for (let isReported = false; !stop.aborted; isReported = true) {
    const by = await writerIn(tool, id, call, clock);
    if (by === null) return true;
    if (!isReported) say(`waiting for ${tool} session ${id}: ${by}; ${ENDS_ORPHANS}`);
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => {});
  }
  return false;
}

const ENDS_ORPHANS = 'if its wrapper was killed, tollgate preflight --sweep --now ends it';

/** Copilot's and gemini's sessions can be used in one folder only. @returns the folder, or null. */
async function folderOf({ tool, cwd }: SettledCall): Promise<string | null> {
  return (await adapterOf(tool).sessions()).boundToCwd ? cwd : null;
}

async function sessionOfTag(call: SessionCall, tag: string): Promise<string | null> {
  const { tool, stateFolder, clock, say } = call;
  const sessions = await readSessions(stateFolder, clock);
  for (const warning of sessions.warnings()) say(`warning: ${warning}`);
  const { account } = accountIn(tool, call.environment);
  const entry = sessions.entry(tag, tool, await folderOf(call), account);
  if (entry === null) {
    const ofTag = sessions.entries().filter((kept) => kept.tag === tag && kept.tool === tool);
    const other = ofTag.findLast((kept) => kept.entry.account !== account);
    if (other !== undefined) say(`a new session begins, since ${otherLogin(tag, other.entry)}`);
    return null;
  }
  const why = await obstacleOf(call, entry);
  if (why === null) return entry.session_id;
  say(`a new session replaces ${entry.session_id}: ${why}`);
  return null;
}

/** A session is in the folder of its login, so that no other login can continue it. */
const otherLogin = (tag: string, { session_id: id, account }: SessionEntry): string =>
  `${id} of ${JSON.stringify(tag)} belongs to ${account === undefined ? 'the login without --account' : `--account ${account}`}`;

/** Returns why the session must not be resumed, as part of a sentence; null if it can be. */
async function obstacleOf(call: SessionCall, entry: SessionEntry): Promise<string | null> {
  const { tool } = call;
  const fitness = fitnessOf(entry, CONTEXT_LIMIT_TOKENS);
  if (fitness.how === 'refused') return fitness.why;
  const elsewhere = await worksElsewhere(tool, entry.session_id, call);
  if (elsewhere !== null) return `it works in ${elsewhere}`;
  const adapter = adapterOf(tool);
  const binary = findBinary(adapter.binary, call.environment.PATH);
  const isGone = binary !== null && (await isDeleted(adapter, binary, entry.session_id, call, 'here'));
  return isGone ? `${tool} no longer has it` : null;
}

/**
 * Stores the session of a killed call as its own wrapper would have done, unless the tag was stored since the call began.
 * @returns a warning, or null.
 */
export async function keepSettled(
  { request, callId, clock }: RecordableCall,
  record: CallRecord,
): Promise<string | null> {
  const { tag, adapter, call } = request;
  if (tag === undefined) return null;
  const { cwd, environment, resumeSession } = call;
  const settled = { tool: adapter.tool, cwd, environment, stateFolder: tag.stateFolder, callId, clock };
  const { account } = accountIn(adapter.tool, environment);
  const entry = (await readSessions(tag.stateFolder, clock)).entry(
    tag.name,
    adapter.tool,
    await folderOf(settled),
    account,
  );
  // Also by the wrapper itself, if it was killed after that.
  const isStored = entry !== null && entry.last_used > record.started_at;
  return isStored ? null : keepSession(settled, tag.name, resumeSession, record);
}

/** A new session is stored only after it contains an answer. */
async function keepSession(
  call: SettledCall,
  tag: string,
  resumed: string | null,
  { session_id: id, verdict, ending, usage }: CallRecord,
): Promise<string | null> {
  const { tool, cwd, stateFolder, clock } = call;
  if (resumed !== null && verdict.reason === 'session_id') return forgetLost(call, tag, resumed);
  if (id === null && verdict.class === null && resumed === null)
    return `${tool} named no session, so none is stored under ${JSON.stringify(tag)}`;
  if (id === null || ending === 'not_started' || (verdict.class !== null && id !== resumed)) return null;
  const counted = await countTokens(tool, id, call);
  const folder = await folderOf(call);
  const login = accountIn(tool, call.environment);
  try {
    const kept = await changeSessions({ stateFolder, taskId: `call ${call.callId}`, clock }, (all) => {
      const last = all.entry(tag, tool, folder, login.account);
      const before = last?.session_id === id ? last : { ...newEntry(id, tag, cwd, clock()), ...login };
      const used = {
        at: clock(),
        context_tokens: counted.context_tokens ?? (usage.api_requests === 1 ? usage.total_tokens : null),
        total_tokens: counted.total_tokens ?? before.total_tokens + (usage.total_tokens ?? 0),
      };
      return all.with(tag, tool, afterCall(before, verdict.class === null ? null : verdict, used), folder);
    });
    if (kept.entry(tag, tool, folder, login.account)?.session_id === id) return null;
    return `session ${id} is not stored under ${JSON.stringify(tag)}: ${kept.warnings().join('; ')}`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `session ${id} could not be stored under ${JSON.stringify(tag)}: ${error.message}`;
  }
}

/**
 * The CLI does not know the session that was resumed. Each further call would fail the same way, unless it is made in the folder
 * of the session: an older claude looks only there.
 */
async function forgetLost(call: SettledCall, tag: string, id: string): Promise<string> {
  const { tool, stateFolder, callId, clock, cwd } = call;
  try {
    const folder = (await findSession(tool, id, call))?.cwd ?? cwd;
    if (!isSameFolder(folder, cwd))
      return `${tool} did not find ${id} from ${cwd}; make the call in ${folder}, since ${JSON.stringify(tag)} still names it`;
    await changeSessions({ stateFolder, taskId: `call ${callId}`, clock }, (all) => all.without(tag, tool, id));
    return `${tool} cannot resume ${id}, so ${JSON.stringify(tag)} does not name it any more: the next call begins a new session`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `session ${id} could not be removed from ${JSON.stringify(tag)}: ${error.message}`;
  }
}
