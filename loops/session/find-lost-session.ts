// Finds a tag's session that sessions.json does not name: in the journals of tasks, or in the CLI's own files.

import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { headerOf, isOf, type SessionEntry } from '../../policies/session/session-entry.ts';
import { isSameFolder, isWithin, realOr } from '../../state/disk/real-folder.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { isFact } from '../../state/journal/fact-shapes.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { sessionKey } from '../../state/journal/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Conversation, Lookup, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { type Counted, countIn, lookInto, quietly } from './own-files.ts';

interface WantedSession {
  tool: Tool;
  tag: string;
  goal: string;
  /** Sessions that began elsewhere belong to another project. */
  trees: readonly string[];
  lookup: Lookup;
  isGivenUp(id: string): boolean;
  now: Date;
}

interface RecoveredSession extends Counted {
  session: SessionFile;
}

export const LOOK_BACK_MS = 7 * 86_400_000;
/** Each costs a read of its beginning. */
const MAX_LOOKED_AT = 500;

/** The newest session of the last 7 days with an answer, from the CLI's own files; null if there is none. */
export async function recoverSession(wanted: WantedSession): Promise<RecoveredSession | null> {
  const { tool, tag, goal, lookup, now, isGivenUp } = wanted;
  const store = await adapterOf(tool).sessions();
  const recent = (await quietly(() => store.recent(lookup, new Date(now.getTime() - LOOK_BACK_MS)))) ?? [];
  const expected = { headers: headersOf(tool, tag), goal };
  for (const session of recent.slice(0, MAX_LOOKED_AT)) {
    if (isGivenUp(session.id) || !isForUs(session, store, wanted)) continue;
    const prompt = await quietly(() => store.firstPrompt(session));
    if (prompt === null || !isOf(prompt, expected)) continue;
    const counted = await lookInto(tool, session, (conversation) =>
      isAnswered(conversation) ? countIn(conversation) : null,
    );
    if (counted !== null) return { session, ...counted };
  }
  return null;
}

/** Returns the header as written, and as it was sent to the CLI. */
function headersOf(tool: Tool, tag: string): string[] {
  const header = headerOf(tag);
  const sent = adapterOf(tool).prompt.escape(Buffer.from(header).toString('latin1'));
  return [header, Buffer.from(sent, 'latin1').toString()];
}

/** Looks at all turns, because the last one may have failed. */
function isAnswered(conversation: Conversation): boolean {
  const { turns } = conversation;
  for (let to = turns; to > 0; to -= LOOK_TURNS) {
    const read = conversation.read(Math.max(1, to - LOOK_TURNS + 1), to);
    if (read.some(({ items }) => items.some(({ how }) => how === 'said'))) return true;
  }
  return false;
}

const LOOK_TURNS = 20;

/** A session that is bound to its folder is only for that folder; any other is for the whole tree. */
function isForUs({ cwd }: SessionFile, { boundToCwd }: SessionStore, { trees, lookup }: WantedSession): boolean {
  if (boundToCwd) return cwd === null || isSameFolder(cwd, lookup.cwd);
  return trees.some((tree) => isOurs(cwd, tree, lookup));
}

/** A folder below the tree with its own tasks is another project, unless this process works in it. */
function isOurs(folder: string | null, tree: string, { cwd }: Lookup): boolean {
  if (folder === null) return false;
  const [root, real] = [realOr(tree), realOr(folder)];
  if (!isWithin(root, real)) return false;
  for (let at = real; at !== root; at = path.dirname(at))
    if (existsSync(path.join(at, '.tmp/task')) && !isWithin(at, realOr(cwd))) return false;
  return true;
}

interface NotedPlace {
  tag: string;
  tool: Tool;
  /** The real path of the folder, for a session that is bound to one folder. */
  folder: string | null;
  account?: string;
}

interface Noted {
  at: string;
  entry: SessionEntry | null;
}

/** Searches the journals of the project. Returns the entry that the last call of any task recorded; null if there is none. */
export function notedSession(stateFolder: string, place: NotedPlace): SessionEntry | null {
  const key = sessionKey(place);
  return lastNoted(stateFolder, (fact) => sessionKey(fact) === key);
}

/** Does the same for a session by its id, whatever its tags. */
export const notedById = (stateFolder: string, tool: Tool, id: string): SessionEntry | null =>
  lastNoted(stateFolder, (fact) => fact.tool === tool && fact.entry?.session_id === id);

/** Does the same for a tag, whatever the folder and the account. */
export const notedOfTag = (stateFolder: string, tool: Tool, tag: string): SessionEntry | null =>
  lastNoted(stateFolder, (fact) => fact.tool === tool && fact.tag === tag);

type SessionFact = Extract<Fact, { fact: 'session' }>;

function lastNoted(stateFolder: string, fits: (fact: SessionFact) => boolean): SessionEntry | null {
  let last: Noted | null = null;
  for (const file of journalsIn(path.join(stateFolder, 'task'))) {
    const noted = lastIn(file, fits);
    if (noted !== null && (last === null || Date.parse(noted.at) >= Date.parse(last.at))) last = noted;
  }
  return last?.entry ?? null;
}

/** Uses the order of the lines, because the clock may have been set back between them. */
function lastIn(file: string, fits: (fact: SessionFact) => boolean): Noted | null {
  for (const line of linesIn(file).reverse()) {
    const fact = parsed(line);
    if (isFact(fact) && fact.fact === 'session' && fits(fact)) return fact;
  }
  return null;
}

/** Reads only the newest journals; the CLI has deleted an old session. */
const LOOKED_AT = 200;

const MAX_BYTES = 16 * 1024 * 1024;

function journalsIn(tasks: string): string[] {
  try {
    return readdirSync(tasks)
      .map((name) => path.join(tasks, name, 'state', 'journal.jsonl'))
      .flatMap((file) => {
        const found = lstatSync(file, { throwIfNoEntry: false });
        return found?.isFile() ? [{ file, changedAtMs: found.mtimeMs }] : [];
      })
      .sort((a, b) => b.changedAtMs - a.changedAtMs)
      .slice(0, LOOKED_AT)
      .map(({ file }) => file);
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

function linesIn(file: string): string[] {
  try {
    return readRegular(file, MAX_BYTES)
      .split('\n')
      .filter((line) => line.includes('"fact":"session"'));
  } catch (error) {
    if (isSystemError(error)) return [];
    throw error;
  }
}

function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? value : {};
  } catch {
    return {};
  }
}
