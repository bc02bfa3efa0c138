// Finds which process uses a gemini session now: by its file's time and the processes in its folder, since the CLI takes no lock.

import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { changedLately } from '../../sessions/in-use.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';

/**
 * Called before a user's edit. A caller that has just ended its own gemini call in that session, and still holds the session's
 * turn, need not call this. Its own call changed the file.
 */
export async function userOf(session: SessionFile, lookup: Lookup, now: Date): Promise<string | null> {
  // It writes nothing while it waits for its model.
  const lately = changedLately(session, now);
  if (lately !== null) return lately;
  const pid = geminiIn(session.cwd ?? lookup.cwd);
  return pid === null ? null : `gemini runs in its folder (process ${pid})`;
}

/** Half a sentence about a gemini that resumes this session, or null. It has no lock: its command line shows it. */
export function namedBy({ id, cwd }: SessionFile, lookup: Lookup): string | null {
  const pid = geminiIn(cwd ?? lookup.cwd, (words) => words.some((word) => word === id || word.endsWith(`=${id}`)));
  return pid === null ? null : `gemini was started with it (process ${pid})`;
}

/** Only Linux shows a process's working folder without a further program; elsewhere only the file's time counts. */
function geminiIn(cwd: string, fits: (words: readonly string[]) => boolean = () => true): number | null {
  if (process.platform !== 'linux') return null;
  const folder = attempt(() => realpathSync(cwd));
  const pids = (attempt(() => readdirSync('/proc')) ?? []).map(Number).filter((pid) => pid > 0);
  const found = pids.find(
    (pid) =>
      attempt(() => readlinkSync(`/proc/${pid}/cwd`)) === folder &&
      isGemini(argumentsOf(pid)) &&
      fits(argumentsOf(pid)),
  );
  return folder === null ? null : (found ?? null);
}

const argumentsOf = (pid: number): string[] =>
  (attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').split('\0');

/** The program itself, or the script that node runs, after some flags; the words of a prompt come later. */
const isGemini = (words: readonly string[]): boolean =>
  words
    .slice(0, 6)
    .some(
      (word, at) =>
        word.includes('/@google/gemini-cli/') ||
        (path.basename(word) === 'gemini' && (at === 0 || path.isAbsolute(word))),
    );

function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
