// Implements the session store of claude: finds its sessions, and tells which process uses one.

import path from 'node:path';
import { tried } from '../../../policies/text/tried.ts';
import { readRegular } from '../../../state/disk/regular-file.ts';
import { processTable } from '../../processes/table.ts';
import { changedLately } from '../../sessions/in-use.ts';
import { countOf, readRecord, textOf } from '../../sessions/record.ts';
import type { Lookup, SessionFile, SessionStore } from '../../sessions/store.ts';
import { filesIn, firstOf, foldersIn, isFolder, linksBelow, measure } from '../../sessions/store-folder.ts';
import { claudeHome } from '../home.ts';
import { openTranscript } from './conversation.ts';
import { promptOf } from './lines.ts';

export const CLAUDE_SESSIONS: SessionStore = {
  tool: 'claude',
  boundToCwd: false,
  isLocal: true,
  takesLock: true,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  links,
  ask: null,
  firstPrompt: ({ file }) => firstOf(file, promptOf),
  open: openTranscript,
  renamed: null,
  usedBy: async (session, lookup, now) => usedBy(session, lookup, now),
};

/** A session is one file, in a folder for the working folder in which it began. */
function find(id: string, lookup: Lookup): SessionFile | null {
  if (!PLAIN.test(id)) return null;
  for (const folder of projects(lookup)) {
    const file = path.join(folder, `${id}.jsonl`);
    const size = measure(file);
    if (size !== null) return { ...identify(id, file), ...size };
  }
  return null;
}

function recent(lookup: Lookup, since: Date): SessionFile[] {
  return [...projects(lookup)]
    .flatMap((folder) => filesIn(folder).map((name) => path.join(folder, name)))
    .flatMap((file) => {
      const id = NAME.exec(path.basename(file))?.[1];
      const size = id === undefined ? null : measure(file);
      return size === null || size.changedAtMs < since.getTime() ? [] : { id: id!, file, ...size };
    })
    .sort((one, other) => other.changedAtMs - one.changedAtMs)
    .slice(0, MOST)
    .flatMap(({ id, file, ...size }) => {
      const session = { ...identify(id, file), ...size };
      return session.cwd === null ? [] : session;
    });
}

function links(lookup: Lookup): string[] {
  const home = claudeHome(lookup.environment);
  return home === null ? [] : linksBelow(path.join(home.folder, 'projects'), 2);
}

/** For each one its beginning is read; a folder may hold thousands. */
const MOST = 500;

/** Ids are uuids; any other text from a user must not lead out of the store. */
const PLAIN = /^[\da-z][\w-]*$/i;

/** Files of subagents have other names, or are in deeper folders. */
const NAME = /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})\.jsonl$/;

/** Those of the lookup's own folder first. */
function* projects(lookup: Lookup): Generator<string> {
  const home = claudeHome(lookup.environment);
  if (home === null) return;
  const store = path.join(home.folder, 'projects');
  const own = path.resolve(lookup.cwd).replace(/[^\da-z]/gi, '-');
  const names = foldersIn(store);
  if (names.includes(own)) yield path.join(store, own);
  for (const name of names) if (name !== own) yield path.join(store, name);
}

const identify = (id: string, file: string) => {
  // A prompt on a separate line may come before it.
  const row = firstOf(file, (record) => (textOf(record.cwd) === null ? null : record));
  return { tool: 'claude', id, file, cwd: textOf(row?.cwd), cliVersion: textOf(row?.version) } as const;
};

/** While it runs, each claude keeps a file under its pid with session and start time. */
async function usedBy(session: SessionFile, lookup: Lookup, now: Date): Promise<string | null> {
  const folder = path.join(claudeHome(lookup.environment)?.folder ?? '', 'sessions');
  // For versions without such a folder, only the file's age shows it.
  if (!isFolder(folder)) return changedLately(session, now);
  for (const name of filesIn(folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const running = readRecord(read(path.join(folder, name)));
    if (running?.sessionId !== session.id) continue;
    const pid = countOf(running.pid);
    if (pid !== null && (await runs(pid, textOf(running.procStart)))) return `claude (pid ${pid}) uses it`;
  }
  return null;
}

const MAX_BYTES = 64 * 1024;

const read = (file: string): string => tried(() => readRegular(file, MAX_BYTES)) ?? '';

/** A claude that is killed does not remove its file, and its pid may have been reused since. */
async function runs(pid: number, began: string | null): Promise<boolean> {
  const row = await processTable.row(pid);
  if (row === null || row.zombie) return false;
  return began === null || process.platform !== 'linux' || row.startTime === began;
}
