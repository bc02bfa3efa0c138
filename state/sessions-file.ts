// The project's `sessions.json`: which session each tag goes on with. People edit it; what is not known in it is kept.

import path from 'node:path';
import { type Json, partOf } from '../policies/json.ts';
import { NO_ID, type SessionEntry } from '../policies/session-entry.ts';
import { TOOLS, type Tool } from '../policies/tools.ts';
import { readJson, writeJson } from './whole-file.ts';

export interface Sessions {
  /** null where there is none, or none that fits its shape. */
  entry(tag: string, tool: Tool): SessionEntry | null;
  entries(): { tag: string; tool: Tool; entry: SessionEntry }[];
  isGivenUp(tool: Tool, id: string): boolean;
  with(tag: string, tool: Tool, entry: SessionEntry): Sessions;
  without(tag: string, tool: Tool): Sessions;
  /** It is not found again by its tag. */
  givingUp(tool: Tool, id: string): Sessions;
  /** It is found again by its tag. */
  takingBack(tool: Tool, id: string): Sessions;
  /** What is wrong with the file, in sentences. */
  warnings: readonly string[];
  /** The whole of it, as it is written. */
  json: Json;
}

export const sessionsFile = (stateFolder: string): string => path.join(stateFolder, 'state', 'sessions.json');

/** A file that is none is set aside, or left where one only looks; it never stops anybody. */
export async function readSessions(
  stateFolder: string,
  clock: () => Date,
  broken?: 'set_aside' | 'left',
): Promise<Sessions> {
  const file = sessionsFile(stateFolder);
  const read = await readJson<Json>(file, clock, broken);
  if (read.how === 'read') return sessionsIn(read.value, file);
  return { ...sessionsIn({}, file), warnings: read.how === 'absent' ? [] : [`${read.message}; no session is known`] };
}

export const writeSessions = (stateFolder: string, { json }: Sessions): Promise<void> =>
  writeJson(sessionsFile(stateFolder), json, 'renamed');

const MAX_GIVEN_UP = 200;

function sessionsIn(json: Json, file: string): Sessions {
  const active = own(json, 'active_sessions') ?? {};
  const givenUp = own(json, 'given_up') ?? {};
  const idsOf = (tool: Tool): unknown[] => {
    const ids = Object.hasOwn(givenUp, tool) ? givenUp[tool] : null;
    return Array.isArray(ids) ? ids : [];
  };
  const found: { tag: string; tool: Tool; entry: SessionEntry }[] = [];
  const strange: string[] = [];
  for (const tag of Object.keys(active))
    for (const tool of TOOLS) {
      const tools = own(active, tag);
      const value = tools === null ? undefined : tools[tool];
      if (value === undefined) continue;
      if (isEntry(value)) found.push({ tag, tool, entry: value });
      else strange.push(placeOf(tag, tool));
    }
  const changed = (tags: Json) => sessionsIn(put(json, 'active_sessions', tags), file);
  // What a newer version wrote is not ours to write over.
  const isOurs = (tag: string, tool: Tool) =>
    isObject(json, 'active_sessions') &&
    isObject(active, tag) &&
    isObject(own(active, tag) ?? {}, tool) &&
    !strange.includes(placeOf(tag, tool));
  const sessions: Sessions = {
    json,
    warnings: warningsOf(json, strange, file),
    entries: () => found,
    entry: (tag, tool) => found.find((each) => each.tag === tag && each.tool === tool)?.entry ?? null,
    isGivenUp: (tool, id) => idsOf(tool).includes(id),
    with(tag, tool, entry) {
      if (!isOurs(tag, tool)) return sessions;
      const tools = own(active, tag) ?? {};
      const before = own(tools, tool) ?? {};
      const kept = 'poisoned' in entry ? before : gone(before, 'poisoned');
      return changed(put(active, tag, put(tools, tool, { ...kept, ...entry })));
    },
    without: (tag, tool) => {
      if (!isOurs(tag, tool)) return sessions;
      const rest = gone(own(active, tag) ?? {}, tool);
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
  return sessions;
}

const placeOf = (tag: string, tool: Tool): string => `${JSON.stringify(tag)} of ${tool}`;

/** Or nothing at all. */
const isObject = (json: Json, name: string): boolean => !Object.hasOwn(json, name) || partOf(json[name]) !== null;

function warningsOf(json: Json, strange: readonly string[], file: string): string[] {
  return [
    ...(!isObject(json, 'active_sessions')
      ? [`active_sessions of ${file} is no object; it is left as it is, and no session is known`]
      : []),
    ...(strange.length === 0
      ? []
      : [
          `${file} holds entries that this version does not understand, which are left as they are: ${strange.slice(0, 5).join(', ')}`,
        ]),
  ];
}

/** Of the object itself: a tag may be called `constructor`. */
const own = (json: Json, name: string): Json | null => (Object.hasOwn(json, name) ? partOf(json[name]) : null);

/** In its place, if it stood there; `__proto__` is a name like others. */
const put = (json: Json, name: string, value: unknown): Json =>
  Object.fromEntries([...new Map(Object.entries(json)).set(name, value)]);

const gone = (json: Json, name: string): Json =>
  Object.fromEntries(Object.entries(json).filter(([each]) => each !== name));

function isEntry(value: unknown): value is SessionEntry {
  const entry = partOf(value);
  return entry !== null && Object.entries(SHAPE).every(([name, fits]) => fits(entry[name]));
}

const count = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const text = (value: unknown) => typeof value === 'string' && value !== '';

/** An id becomes an argument of the CLI. */
const SHAPE = {
  session_id: (value) =>
    text(value) && /^[^-\s\p{Cc}][^\s\p{Cc}]*$/u.test(value as string) && !NO_ID.test(value as string),
  last_used: (value) => text(value) && !Number.isNaN(Date.parse(value as string)),
  error_count: count,
  total_tokens: count,
  context_tokens: (value) => value === null || count(value),
  feature_id: text,
  cwd: text,
  poisoned: (value) => value === undefined || typeof value === 'string',
} as const satisfies Record<keyof SessionEntry, (value: unknown) => boolean>;
