// What the journals of a project's tasks tell of a tag's session, where sessions.json is lost or holds something else.

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
  /** The real one of a session that is good for one alone. */
  folder: string | null;
}

interface Noted {
  at: string;
  entry: SessionEntry | null;
}

/** As the last call of any task noted it; null where none did. */
export function notedSession(stateFolder: string, { tag, tool, folder }: NotedPlace): SessionEntry | null {
  const key = sessionKey({ tag, tool, folder });
  return lastNoted(stateFolder, (fact) => sessionKey(fact) === key);
}

/** The same of a session by its id, whatever tags it went by. */
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

/** By the order of its lines, as the clock may have been set back between them. */
function lastIn(file: string, fits: (fact: SessionFact) => boolean): Noted | null {
  for (const line of linesIn(file).reverse()) {
    const fact = parsed(line);
    if (isFact(fact) && fact.fact === 'session' && fits(fact)) return fact;
  }
  return null;
}

/** The newest ones; an old session has been cleared away by its CLI. */
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
