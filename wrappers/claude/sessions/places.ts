// Finds claude's sessions: one file each, in a folder for the working folder in which it began.

import path from 'node:path';
import { type Fields, readRecord, textOf } from '../../sessions/record.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { filesIn, firstLines, foldersIn, linksBelow, measure } from '../../sessions/store-folder.ts';
import { claudeHome } from '../home.ts';

export function find(id: string, lookup: Lookup): SessionFile | null {
  if (!PLAIN.test(id)) return null;
  for (const folder of projects(lookup)) {
    const file = path.join(folder, `${id}.jsonl`);
    const size = measure(file);
    if (size !== null) return { ...identify(id, file), ...size };
  }
  return null;
}

export function recent(lookup: Lookup, since: Date): SessionFile[] {
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

export function links(lookup: Lookup): string[] {
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
  const row = firstRow(file);
  return { tool: 'claude', id, file, cwd: textOf(row?.cwd), cliVersion: textOf(row?.version) } as const;
};

/** The second is for a prompt that comes before it, on a separate line. */
const READ_BYTES = [256 * 1024, 8 * 1024 * 1024];

/** The first record that contains its folder; null if none does. */
function firstRow(file: string): Fields | null {
  try {
    for (const bytes of READ_BYTES)
      for (const line of firstLines(file, bytes)) {
        const record = line.includes('"cwd":') ? readRecord(line) : null;
        if (textOf(record?.cwd) !== null) return record;
      }
  } catch {}
  return null;
}
