// Reads and writes the project's `sessions.json`, the session of each tag. Users edit it; unknown fields are kept.

import path from 'node:path';
import { isTool, type Tool } from '../../policies/facts/tools.ts';
import { isSessionEntry, type SessionEntry } from '../../policies/session/session-entry.ts';
import { type Json, partOf } from '../../policies/text/json.ts';
import { jsonText, type KnownJson, readJson, writeAtomic } from '../atomic-file.ts';
import { isSameFolder, realOr } from '../disk/real-folder.ts';

export interface Sessions {
  /** null without a valid entry. @param folder the only one for the session. @param account in which it began. */
  entry(tag: string, tool: Tool, folder?: string | null, account?: string): SessionEntry | null;
  entries(): KeptSession[];
  isGivenUp(tool: Tool, id: string): boolean;
  /** Is there an entry that this version does not understand? It is not overwritten. */
  isStrange(tag: string, tool: Tool, folder?: string | null, account?: string): boolean;
  /** Uses this instead of an entry that is not understood, which stays unchanged in the file. */
  rebuilt(kept: KeptSession | null): Sessions;
  with(tag: string, tool: Tool, entry: SessionEntry, folder?: string | null): Sessions;
  /** Without those of the tag that resume the session of that id. */
  without(tag: string, tool: Tool, id: string): Sessions;
  /** The session is no longer found by its tag. */
  givingUp(tool: Tool, id: string): Sessions;
  /** The session is found by its tag again. */
  takingBack(tool: Tool, id: string): Sessions;
  /** What is wrong with the file, in sentences. */
  warnings(): readonly string[];
  /** The whole of it, as it is written. */
  json: Json;
}

export interface KeptSession {
  tag: string;
  tool: Tool;
  /** The only folder in which it can be used; null if its key names none. */
  folder: string | null;
  entry: SessionEntry;
}

export const sessionsFile = (stateFolder: string): string => path.join(stateFolder, 'state', 'sessions.json');

/** An invalid file is set aside, or not changed if the caller only looks. It never stops a call. */
export async function readSessions(
  stateFolder: string,
  clock: () => Date,
  broken?: 'set_aside' | 'in_place',
): Promise<Sessions> {
  const file = sessionsFile(stateFolder);
  const before = known.get(file);
  const read = await readJson<Json>(file, clock, broken, before);
  if (read.how === 'read') return read.value === before?.value ? before.sessions : remember(file, read);
  const warnings = read.how === 'absent' ? [] : [`${read.message}; no session is known`];
  return { ...sessionsIn({}, file), warnings: () => warnings };
}

export async function writeSessions(stateFolder: string, { json }: Sessions): Promise<void> {
  const file = sessionsFile(stateFolder);
  const text = jsonText(json);
  await writeAtomic(file, text, 'renamed');
  remember(file, { text, value: json });
}

/** The last version read or written. A batch uses it for each of its calls, and it has an entry for each of its tasks. */
const known = new Map<string, KnownJson<Json> & { sessions: Sessions }>();

/** The sessions of each JSON object that we made. */
const made = new WeakMap<Json, Sessions>();

function remember(file: string, { text, value }: KnownJson<Json>): Sessions {
  const sessions = made.get(value) ?? sessionsIn(value, file);
  known.clear();
  known.set(file, { text, value, sessions });
  return sessions;
}

const MAX_GIVEN_UP = 200;

/** Fields that an entry has only while they apply. */
const PASSING = ['poisoned', 'in_place_of'] as const satisfies (keyof SessionEntry)[];

function sessionsIn(json: Json, file: string): Sessions {
  const active = own(json, 'active_sessions') ?? {};
  const givenUp = own(json, 'given_up') ?? {};
  const idsOf = (tool: Tool): unknown[] => {
    const ids = Object.hasOwn(givenUp, tool) ? givenUp[tool] : null;
    return Array.isArray(ids) ? ids : [];
  };
  // A batch has a tag for each of its tasks, so a lookup must not go through all.
  const kept = (tag: string, key: string): KeptSession | undefined => {
    const value = valueAt(active, tag, key);
    const named = isSound(value) ? readKey(key) : null;
    return named === null ? undefined : { tag, ...named, entry: value as SessionEntry };
  };
  const isStrangeAt = (tag: string, key: string): boolean => {
    const value = valueAt(active, tag, key);
    return value !== undefined && !isSound(value) && readKey(key) !== null;
  };
  const keysOf = (tag: string) => Object.keys(own(active, tag) ?? {});
  const strange = () =>
    Object.keys(active).flatMap((tag) =>
      keysOf(tag)
        .filter((key) => isStrangeAt(tag, key))
        .map((key) => placeOf(tag, key)),
    );
  const changed = (tags: Json) => sessionsIn(put(json, 'active_sessions', tags), file);
  // An entry of a newer version is not ours to overwrite.
  const isOurs = (tag: string, key: string) =>
    isObject(json, 'active_sessions') &&
    isObject(active, tag) &&
    isObject(own(active, tag) ?? {}, key) &&
    !isStrangeAt(tag, key);
  /** The form of versions that had only one session for each tag and tool. */
  const older = (tag: string, tool: Tool, folder: string) => {
    const plain = kept(tag, tool);
    return plain !== undefined && isSameFolder(plain.entry.cwd, folder) ? plain : undefined;
  };
  let cached: readonly string[] | null = null;
  const sessions: Sessions = {
    json,
    warnings: () => {
      cached ??= warningsOf(json, strange(), file);
      return cached;
    },
    entries: () => Object.keys(active).flatMap((tag) => keysOf(tag).flatMap((key) => kept(tag, key) ?? [])),
    entry(tag, tool, folder = null, account) {
      const old = () => (folder === null || account !== undefined ? undefined : older(tag, tool, folder));
      return (kept(tag, keyOf(tool, folder, account)) ?? old())?.entry ?? null;
    },
    isStrange: (tag, tool, folder = null, account) => !isOurs(tag, keyOf(tool, folder, account)),
    rebuilt: (kept) =>
      kept === null || isOurs(kept.tag, keyOf(kept.tool, kept.folder, kept.entry.account))
        ? sessions
        : withRebuilt(sessions, kept),
    isGivenUp: (tool, id) => idsOf(tool).includes(id),
    with(tag, tool, entry, folder = null) {
      const key = keyOf(tool, folder, entry.account);
      if (!isOurs(tag, key)) return sessions;
      const all = own(active, tag) ?? {};
      const old = folder === null || entry.account !== undefined ? undefined : older(tag, tool, folder);
      const before = own(all, key) ?? old?.entry ?? {};
      const same = PASSING.reduce<Json>((all, name) => (name in entry ? all : gone(all, name)), { ...before });
      const rest = old === undefined ? all : gone(all, tool);
      return changed(put(active, tag, put(rest, key, { ...same, ...entry })));
    },
    without: (tag, tool, id) => {
      const all = own(active, tag) ?? {};
      const isIts = (key: string) => kept(tag, key)?.tool === tool && kept(tag, key)?.entry.session_id === id;
      const ended = Object.keys(all).filter(isIts);
      if (ended.length === 0) return sessions;
      const rest = ended.reduce(gone, all);
      if (Object.keys(rest).length > 0) return changed(put(active, tag, rest));
      return changed(gone(active, tag));
    },
    givingUp(tool, id) {
      if (!isObject(json, 'given_up') || (Object.hasOwn(givenUp, tool) && !Array.isArray(givenUp[tool])))
        return sessions;
      const ids = [...idsOf(tool).filter((each) => each !== id), id].slice(-MAX_GIVEN_UP);
      return sessionsIn(put(json, 'given_up', put(givenUp, tool, ids)), file);
    },
    takingBack(tool, id) {
      const ids = idsOf(tool);
      if (!ids.includes(id)) return sessions;
      const kept = ids.filter((each) => each !== id);
      return sessionsIn(put(json, 'given_up', put(givenUp, tool, kept)), file);
    },
  };
  made.set(json, sessions);
  return sessions;
}

/** An entry is never changed, only replaced. */
const sound = new WeakSet<object>();

function isSound(value: unknown): value is SessionEntry {
  if (typeof value === 'object' && value !== null && sound.has(value)) return true;
  if (!isSessionEntry(value)) return false;
  sound.add(value);
  return true;
}

/** Such as `codex`, `codex/account`, or `copilot@/the/folder` for a session that can be used in one folder only. */
function keyOf(tool: Tool, folder: string | null, account?: string): string {
  const login = account === undefined ? tool : `${tool}/${account}`;
  return folder === null ? login : `${login}@${realOr(folder)}`;
}

function readKey(key: string): { tool: Tool; folder: string | null } | null {
  const at = key.indexOf('@');
  const [tool] = (at === -1 ? key : key.slice(0, at)).split('/');
  return isTool(tool) ? { tool, folder: at === -1 ? null : key.slice(at + 1) } : null;
}

const placeOf = (tag: string, key: string): string => `${JSON.stringify(tag)} of ${key}`;

function withRebuilt(sessions: Sessions, kept: KeptSession): Sessions {
  const key = keyOf(kept.tool, kept.folder, kept.entry.account);
  return {
    ...sessions,
    entries: () => [...sessions.entries(), kept],
    entry: (tag, tool, folder = null, account) =>
      tag === kept.tag && keyOf(tool, folder, account) === key
        ? kept.entry
        : sessions.entry(tag, tool, folder, account),
  };
}

/** True also if it is absent. */
const isObject = (json: Json, name: string): boolean => !Object.hasOwn(json, name) || partOf(json[name]) !== null;

function warningsOf(json: Json, strange: readonly string[], file: string): string[] {
  return [
    ...(!isObject(json, 'active_sessions')
      ? [`active_sessions of ${file} is not an object; it is not changed, and no session is known`]
      : []),
    ...(strange.length === 0
      ? []
      : [
          `${file} holds entries that this version does not understand, which are not changed: ${strange.slice(0, 5).join(', ')}`,
        ]),
  ];
}

/** Only own properties: a tag may be called `constructor`. */
function valueAt(active: Json, tag: string, key: string): unknown {
  const all = own(active, tag);
  return all !== null && Object.hasOwn(all, key) ? all[key] : undefined;
}

const own = (json: Json, name: string): Json | null => (Object.hasOwn(json, name) ? partOf(json[name]) : null);

/** In its present position, if it has one; `__proto__` is a name like others. */
const put = (json: Json, name: string, value: unknown): Json => ({ ...json, [name]: value });

const gone = (json: Json, name: string): Json =>
  Object.fromEntries(Object.entries(json).filter(([each]) => each !== name));
