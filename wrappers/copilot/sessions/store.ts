// Implements the session store of copilot: finds its sessions, and tells which process uses one.

import path from 'node:path';
import { tried } from '../../../policies/text/tried.ts';
import { readRegularOrNull } from '../../../state/disk/regular-file.ts';
import { processTable } from '../../processes/table.ts';
import { changedLately, holderOf } from '../../sessions/in-use.ts';
import type { Lookup, SessionFile, SessionStore } from '../../sessions/store.ts';
import {
  filesIn,
  firstOf,
  firstRecords,
  foldersIn,
  isFolder,
  linksBelow,
  measure,
} from '../../sessions/store-folder.ts';
import { copilotFolder } from '../sign-in.ts';
import { openEvents } from './conversation.ts';
import { type CopilotSessionStart, promptOf, readBegun } from './lines.ts';

export const COPILOT_SESSIONS: SessionStore = {
  tool: 'copilot',
  boundToCwd: true,
  // It also finds tasks of GitHub by their id.
  isLocal: false,
  takesLock: true,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  links,
  ask: null,
  firstPrompt: ({ file }) => firstOf(file, promptOf),
  open: openEvents,
  renamed: null,
  usedBy: async (session, _lookup, now) => usedBy(session, now),
};

/** A session is a folder for its id, with its events in it. */
function find(id: string, lookup: Lookup): SessionFile | null {
  const store = stateFolder(lookup);
  if (store === null || !PLAIN.test(id) || !isFolder(path.join(store, id))) return null;
  return look(store, id);
}

function recent(lookup: Lookup, since: Date): SessionFile[] {
  const store = stateFolder(lookup);
  if (store === null) return [];
  return foldersIn(store)
    .flatMap((id) => {
      if (!PLAIN.test(id)) return [];
      const size = measure(path.join(store, id, EVENTS));
      if (size === null || size.changedAtMs < since.getTime()) return [];
      const begun = start(path.join(store, id, EVENTS));
      return begun?.id === id ? identify(store, id, begun, size) : [];
    })
    .sort((one, other) => other.changedAtMs - one.changedAtMs);
}

function links(lookup: Lookup): string[] {
  const store = stateFolder(lookup);
  return store === null ? [] : linksBelow(store, 2);
}

const EVENTS = 'events.jsonl';

/** Ids are uuids; any other text from a user must not lead out of the store. */
const PLAIN = /^[\da-z][\w-]*$/i;

const START_BYTES = 64 * 1024;

/** `$COPILOT_HOME`, or `.copilot` in the home; null if there is no home. */
function stateFolder({ environment }: Lookup): string | null {
  const own = copilotFolder(environment);
  return own === null ? null : path.join(own, 'session-state');
}

function look(store: string, id: string): SessionFile | null {
  const file = path.join(store, id, EVENTS);
  const size = measure(file);
  return size && identify(store, id, start(file), size);
}

const start = (file: string): CopilotSessionStart | null =>
  readBegun(firstRecords(file, START_BYTES).next().value ?? null);

const identify = (
  store: string,
  id: string,
  begun: CopilotSessionStart | null,
  size: { bytes: number; changedAtMs: number },
): SessionFile => ({
  tool: 'copilot',
  id,
  file: path.join(store, id, EVENTS),
  cwd: workspaceOf(path.join(store, id)) ?? begun?.cwd ?? null,
  cliVersion: begun?.version ?? null,
  ...size,
});

/** Is a session in use? While copilot runs, it keeps a file with its pid in the folder, and locks another. */
async function usedBy(session: SessionFile, now: Date): Promise<string | null> {
  const folder = path.dirname(session.file);
  const users = filesIn(folder).flatMap((name) => /^inuse\.(\d+)\.lock$/.exec(name)?.[1] ?? []);
  for (const pid of users) if (await runs(folder, Number(pid))) return `copilot (pid ${pid}) uses it`;
  // For versions without such files, only the age of the session's file shows it.
  const tells = users.length > 0 || measure(path.join(folder, '.workspace-fork.lock')) !== null;
  return tells ? null : changedLately(session, now);
}

async function runs(folder: string, pid: number): Promise<boolean> {
  const hold = path.join(folder, `inuse.${pid}.hold`);
  const held = measure(hold) === null ? 'unknown' : holderOf(hold);
  if (held !== 'unknown') return held !== 'free';
  const row = await processTable.row(pid);
  return row !== null && !row.zombie;
}

/** Names the folder in which a session works wherever it is resumed. */
const WORKSPACE = 'workspace.yaml';

const MAX_WORKSPACE_BYTES = 64 * 1024;

/** @returns null if no such file names one. */
function workspaceOf(sessionFolder: string): string | null {
  const text = read(path.join(sessionFolder, WORKSPACE));
  return text === null ? null : cwdIn(text);
}

const read = (file: string): string | null => tried(() => readRegularOrNull(file, MAX_WORKSPACE_BYTES));

/** Reads a YAML text: plain, or in quotes if the path contains YAML syntax. */
export function cwdIn(yaml: string): string | null {
  const found = /^cwd:[ \t]+(\S.*(?:\n[ \t]+\S.*)*)/m.exec(yaml)?.[1];
  if (found === undefined) return null;
  // A long one may be folded.
  const value = found.replace(/\s*\n\s+/g, ' ').trim();
  if (value.startsWith('"')) return doubleQuoted(value);
  const text = /^'(.*)'$/.exec(value)?.[1]?.replaceAll("''", "'") ?? value;
  return path.isAbsolute(text) ? text : null;
}

function doubleQuoted(value: string): string | null {
  try {
    const text: unknown = JSON.parse(value);
    return typeof text === 'string' && path.isAbsolute(text) ? text : null;
  } catch {
    return null;
  }
}
