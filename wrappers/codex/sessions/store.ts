// Implements the session store of codex: finds its sessions, and tells which process uses one.

import path from 'node:path';
import { homeOf } from '../../home.ts';
import { changedLately, holderOf } from '../../sessions/in-use.ts';
import { fieldsOf } from '../../sessions/record.ts';
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
import { openRollout } from './conversation.ts';
import { type CodexSessionStart, promptOf, readBegun } from './lines.ts';

export const CODEX_SESSIONS: SessionStore = {
  tool: 'codex',
  boundToCwd: false,
  isLocal: true,
  takesLock: true,
  find: async (id, lookup) => find(id, lookup),
  recent: async (lookup, since) => recent(lookup, since),
  links,
  ask: null,
  firstPrompt: ({ file }) => firstOf(file, promptOf),
  open: openRollout,
  renamed: null,
  usedBy: async (session, lookup, now) => usedBy(session, lookup, now),
};

/** A session is one file per thread, in a folder for the day on which it began, even after resumes. */
function find(id: string, lookup: Lookup): SessionFile | null {
  for (const rollout of rollouts(lookup)) {
    const size = rollout.id === id ? measure(rollout.file) : null;
    if (size !== null) return { ...identify(rollout, meta(rollout.file)), ...size };
  }
  return null;
}

function recent(lookup: Lookup, since: Date): SessionFile[] {
  return [...rollouts(lookup)]
    .flatMap((rollout) => {
      const size = measure(rollout.file);
      if (size === null || size.changedAtMs < since.getTime()) return [];
      const begun = meta(rollout.file);
      return begun === null || isSubAgents(begun) ? [] : { ...identify(rollout, begun), ...size };
    })
    .sort((one, other) => other.changedAtMs - one.changedAtMs);
}

function links(lookup: Lookup): string[] {
  const home = codexHome(lookup);
  return home === null ? [] : linksBelow(path.join(home, 'sessions'), 4);
}

/** `$CODEX_HOME`, or `.codex` in the home; null if there is no home. */
function codexHome({ environment }: Lookup): string | null {
  if (environment.CODEX_HOME) return environment.CODEX_HOME;
  const home = homeOf(environment);
  return home === null ? null : path.join(home, '.codex');
}

interface Rollout {
  id: string;
  file: string;
}

/** More than any user has: a search must be short. */
const MOST = 20_000;

const NAME = /^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)\.jsonl$/;

/** The record contains codex's own instructions (some 20 kB). */
const META_BYTES = 256 * 1024;

/** Returns the newest first, and at most MOST. */
function* rollouts(lookup: Lookup): Generator<Rollout> {
  const home = codexHome(lookup);
  let seen = 0;
  for (const day of home === null ? [] : daysIn(path.join(home, 'sessions'), 3))
    for (const name of filesIn(day).sort().reverse()) {
      const id = NAME.exec(name)?.[1];
      if (id === undefined) continue;
      if (seen === MOST) return;
      seen += 1;
      yield { id, file: path.join(day, name) };
    }
}

/** The levels are year, month, day. */
function* daysIn(folder: string, levels: number): Generator<string> {
  if (levels === 0) yield folder;
  else for (const name of foldersIn(folder)) yield* daysIn(path.join(folder, name), levels - 1);
}

const meta = (file: string): CodexSessionStart | null => readBegun(firstRecords(file, META_BYTES).next().value ?? null);

const isSubAgents = ({ source, threadSource }: CodexSessionStart): boolean =>
  threadSource === 'subagent' || 'subagent' in fieldsOf(source) || 'sub_agent' in fieldsOf(source);

const identify = ({ id, file }: Rollout, begun: CodexSessionStart | null) =>
  ({ tool: 'codex', id, file, cwd: begun?.cwd ?? null, cliVersion: begun?.version ?? null }) as const;

/** Is a codex session in use? codex holds a kernel lock on a file for each thread, which ends with the process. */
function usedBy(session: SessionFile, lookup: Lookup, now: Date): string | null {
  const folder = path.join(codexHome(lookup) ?? '', 'thread-writer-locks');
  const lock = path.join(folder, `${session.id}.lock`);
  // For versions without such a folder, only the file's age shows it.
  if (!isFolder(folder)) return changedLately(session, now);
  if (measure(lock) === null) return null;
  const held = holderOf(lock);
  if (held === 'free') return null;
  if (held === 'unknown') return changedLately(session, now);
  return held.pid > 0 ? `codex (pid ${held.pid}) holds its lock` : 'codex holds its lock';
}
