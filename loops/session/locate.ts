// Finds the session that a word names: a full id, the prefix of one, a feature's tag, or a task with a failed call.

import path from 'node:path';
import { isBuiltIn, isTool, TOOLS, type Tool } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ID_OR_PREFIX, WHOLE_ID } from '../../policies/session/session-entry.ts';
import { environmentsOfAccounts } from '../../state/accounts.ts';
import { namesIfAny } from '../../state/disk/folder.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { type KeptSession, readSessions } from '../../state/sessions/sessions-file.ts';
import { projectState, type TaskFolder } from '../../state/task-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Lookup, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { quietly } from './own-files.ts';

export interface LocatedSession {
  how: 'found';
  store: SessionStore;
  session: SessionFile;
  /** The environment in which its CLI finds it: that of an account, for a session of the account. */
  environment: NodeJS.ProcessEnv;
  /** The session's tag, if the word was a tag. */
  feature: string | null;
}

type SessionLocated = LocatedSession | { how: 'invalid'; message: string };

/** @param tool null searches all stores. */
export async function locateSession(word: string, tool: Tool | null, lookup: Lookup): Promise<SessionLocated> {
  const tools: readonly Tool[] = tool === null ? TOOLS : [tool];
  const stores = await Promise.all(tools.map((name) => adapterOf(name).sessions()));
  const places = await placesOf(stores, lookup);
  const tagged = await taggedSessions(word, lookup);
  const found = [
    ...(await byId(
      tagged.filter(({ tool }) => tools.includes(tool)),
      places,
    )),
    ...(await byId(
      stores.map(({ tool }) => ({ tool, id: word, feature: null })),
      places,
    )),
  ];
  if (found.length === 0 && ID_OR_PREFIX.test(word)) found.push(...(await byPrefix(word.toLowerCase(), places)));
  const several = [...new Map(found.map((one) => [`${one.session.tool} ${one.session.id}`, one])).values()];
  if (several.length === 1) return several[0]!;
  return {
    how: 'invalid',
    message:
      several.length === 0 ? `${unknown(word, tools, tagged)}${linked(stores, lookup)}` : ambiguous(word, several),
  };
}

interface Named {
  tool: Tool;
  id: string;
  feature: string | null;
}

/** The ids of those whose CLI still has the file. */
export async function keptSessions(
  sessions: readonly { tool: Tool; id: string }[],
  lookup: Lookup,
): Promise<ReadonlySet<string>> {
  const tools = [...new Set(sessions.map(({ tool }) => tool))];
  const stores = await Promise.all(tools.map((name) => adapterOf(name).sessions()));
  const named = sessions.map(({ tool, id }) => ({ tool, id, feature: null }));
  return new Set((await byId(named, await placesOf(stores, lookup))).map(({ session }) => session.id));
}

const LISTED = 5;

/** Uses the project's own file; an unreadable one names no session. Of several folders of a tool, prefers this one. */
async function taggedSessions(word: string, { cwd, environment }: Lookup): Promise<Named[]> {
  const { entries } = await readSessions(projectState(cwd, environment), () => new Date(), 'in_place');
  const tagged = entries().filter(({ tag }) => tag === word);
  const isHere = ({ entry, tool }: KeptSession) =>
    isSameFolder(entry.cwd, cwd) || !tagged.some((other) => other.tool === tool && isSameFolder(other.entry.cwd, cwd));
  return tagged
    .filter(isHere)
    .map(({ tool, entry }) => ({ tool, id: entry.session_id, feature: word }))
    .sort((a, b) => rankOf(a.tool) - rankOf(b.tool));
}

/** Ranks the built-in tools in their order, then those of the project. */
const rankOf = (tool: Tool): number => (isBuiltIn(tool) ? TOOLS.indexOf(tool) : TOOLS.length);

interface Place {
  store: SessionStore;
  lookup: Lookup;
}

/** The folders of each CLI: that of the environment, and those of the user's accounts. */
async function placesOf(stores: readonly SessionStore[], lookup: Lookup): Promise<Place[]> {
  const environments = await environmentsOfAccounts(lookup.environment, lookup.cwd);
  return stores.flatMap((store) => [
    { store, lookup },
    ...environments
      .filter(({ tool }) => tool === store.tool)
      .map(({ environment }) => ({ store, lookup: { ...lookup, environment } })),
  ]);
}

async function byId(named: readonly Named[], places: readonly Place[]): Promise<LocatedSession[]> {
  const found: LocatedSession[] = [];
  for (const { tool, id, feature } of named) {
    for (const { store, lookup } of places.filter(({ store }) => store.tool === tool)) {
      const session = ID.test(id) ? await store.find(id, lookup) : null;
      const { environment } = lookup;
      if (session !== null) found.push({ how: 'found', store, session, environment, feature });
    }
  }
  return found;
}

/** All three tools use UUIDs as session ids. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function byPrefix(prefix: string, places: readonly Place[]): Promise<LocatedSession[]> {
  const found: LocatedSession[] = [];
  for (const { store, lookup } of places)
    for (const session of await store.recent(lookup, new Date(0)))
      if (session.id.toLowerCase().startsWith(prefix))
        found.push({ how: 'found', store, session, environment: lookup.environment, feature: null });
  return found;
}

/** The session may be behind one of these symlinks. */
function linked(stores: readonly SessionStore[], lookup: Lookup): string {
  const links = stores.flatMap((store) => store.links(lookup)).slice(0, LISTED);
  return links.length === 0 ? '' : `; symbolic links are not looked into: ${links.join(', ')}`;
}

function unknown(word: string, tools: readonly Tool[], tagged: readonly Named[]): string {
  const where = tools.join(', ');
  const [gone] = tagged.filter(({ tool }) => tools.includes(tool));
  if (gone !== undefined)
    return `the tag ${word} names the ${gone.tool} session ${gone.id}, but ${gone.tool} has no file of it (any more)`;
  return `no session "${word}" was found: it is neither a tag in this project's sessions.json nor an id in the stores of ${where}; give the full id, at least its first 7 digits, or a tag`;
}

function ambiguous(word: string, several: readonly LocatedSession[]): string {
  const rows = several.slice(0, LISTED).map(({ session }) => `${session.tool} ${session.id}`);
  const more = several.length > LISTED ? `, and ${several.length - LISTED} more` : '';
  return `"${word}" fits ${several.length} sessions: ${rows.join(', ')}${more}; give the full id, or --tool`;
}

type WholeId = { how: 'found'; id: string } | { how: 'invalid'; message: string };

/** The full id for a prefix, so that all users wait in one queue. Searches what these tools would resume here. */
export async function wholeId(word: string, tools: readonly Tool[], lookup: Lookup): Promise<WholeId> {
  const prefix = word.toLowerCase();
  if (WHOLE_ID.test(word)) return { how: 'found', id: prefix };
  const found = new Map<string, Tool>();
  for (const tool of new Set(tools)) {
    const store = await adapterOf(tool).sessions();
    for (const { id } of (await quietly(() => store.recent(lookup, new Date(0)))) ?? [])
      if (id.toLowerCase().startsWith(prefix)) found.set(id, tool);
  }
  const [first, ...others] = [...found];
  if (first === undefined)
    return {
      how: 'invalid',
      message: `no session of ${[...new Set(tools)].join(', ')} begins with ${word} here; give its whole id`,
    };
  if (others.length === 0) return { how: 'found', id: first[0] };
  const rows = [first, ...others].slice(0, LISTED).map(([id, tool]) => `${tool} ${id}`);
  return {
    how: 'invalid',
    message: `${word} is the beginning of ${found.size} sessions (${rows.join(', ')}); give the whole id`,
  };
}

interface FailedSession {
  tool: Tool;
  sessionId: string;
  account: string | undefined;
  /** The folder in which its CLI ran. */
  cwd: string;
  /** The message of the service. */
  refusal: string | null;
}

/** Finds the session of a task's last failed call in the records of its calls; null if no failed call reported its session. */
export function failedSession(task: TaskFolder): FailedSession | null {
  const failed = recordsIn(task.outputs).filter(
    ({ tool, session_id, verdict }) => isTool(tool) && session_id && verdict?.class,
  );
  const [last] = failed.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  return last === undefined
    ? null
    : {
        tool: last.tool,
        sessionId: last.session_id!,
        account: last.account,
        cwd: last.cwd,
        refusal: last.verdict.evidence?.text ?? null,
      };
}

const recordsIn = (folder: string): CallRecord[] =>
  namesIfAny(folder)
    .filter((name) => name.endsWith('.call.json'))
    .map((name) => readJsonIfFit<CallRecord>(path.join(folder, name)))
    .filter((record) => record !== null);
