// Finds the session files in gemini's folders: by their names and times, and then by their first bytes.

import { lstatSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { readBeginning } from './beginning.ts';
import { type GeminiPlace, names, placesOf } from './places.ts';

/** Only this many of the newest are opened; a folder may hold thousands. */
const OPENED_FILES = 500;

const NAME = /^session-.*\.jsonl?$/;

/**
 * Several files may have one id. The CLI begins one for each resume and leaves it without a prompt. An old version's file remains
 * beside the one into which a new version converts it. Among those with a prompt, the one that changed last counts.
 */
export async function findSession(id: string, lookup: Lookup): Promise<SessionFile | null> {
  const { own, others } = placesOf(lookup);
  const named = (name: string) => name.replace(/\.jsonl?$/, '').endsWith(`-${id.slice(0, 8)}`);
  for (const places of [own, others]) {
    const found = sessionsIn(places, named, () => true).find((session) => session.id === id);
    if (found) return found;
  }
  return null;
}

export async function recentSessions(lookup: Lookup, since: Date): Promise<SessionFile[]> {
  const sessions = sessionsIn(
    placesOf(lookup).own,
    () => true,
    ({ mtimeMs }) => mtimeMs >= since.getTime(),
  );
  const seen = new Set<string>();
  return sessions.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Returns the newest first. */
function sessionsIn(
  places: readonly GeminiPlace[],
  named: (name: string) => boolean,
  chosen: (stats: Stats) => boolean,
): SessionFile[] {
  const files = places.flatMap((place) =>
    names(place.folder)
      .filter((name) => NAME.test(name) && named(name))
      .flatMap((name) => {
        const file = path.join(place.folder, name);
        const stats = lstatSync(file, { throwIfNoEntry: false });
        return stats?.isFile() && chosen(stats) ? [{ file, stats, place }] : [];
      }),
  );
  return files
    .sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs)
    .slice(0, OPENED_FILES)
    .flatMap(({ file, stats, place }): SessionFile[] => {
      const beginning = readBeginning(file);
      if (beginning === null || beginning.subagent || beginning.empty) return [];
      const { id, cliVersion } = beginning;
      return [{ tool: 'gemini', id, file, cwd: place.cwd, cliVersion, bytes: stats.size, changedAtMs: stats.mtimeMs }];
    });
}
