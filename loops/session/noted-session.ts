// Finds a tag's session in the journals of a project's tasks, if sessions.json is lost or has another one.

import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import type { SessionEntry } from '../../policies/session/session-entry.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { isFact } from '../../state/journal/fact-shapes.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { sessionKey } from '../../state/journal/ledger.ts';
import { isSystemError } from '../../state/system-error.ts';

interface NotedPlace {
  tag: string;
  tool: Tool;
  /** The real path of the folder, for a session that is bound to one folder. */
  folder: string | null;
}

interface Noted {
  at: string;
  entry: SessionEntry | null;
}

/** Returns the entry that the last call of any task recorded; null if there is none. */
export function notedSession(stateFolder: string, { tag, tool, folder }: NotedPlace): SessionEntry | null {
  const key = sessionKey({ tag, tool, folder });
  return lastNoted(stateFolder, (fact) => sessionKey(fact) === key);
}

/** Does the same for a session by its id, whatever its tags. */
export const notedById = (stateFolder: string, tool: Tool, id: string): SessionEntry | null =>
  lastNoted(stateFolder, (fact) => fact.tool === tool && fact.entry?.session_id === id);

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
