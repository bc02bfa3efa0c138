// Finds codex's sessions: one file per thread, in a folder for the day on which it began, even after resumes.

import path from 'node:path';
import { homeOf } from '../../home.ts';
import { fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { filesIn, firstLines, foldersIn, linksBelow, measure } from '../../sessions/store-folder.ts';

export function find(id: string, lookup: Lookup): SessionFile | null {
  for (const rollout of rollouts(lookup)) {
    const size = rollout.id === id ? measure(rollout.file) : null;
    if (size !== null) return { ...identify(rollout, meta(rollout.file)), ...size };
  }
  return null;
}

export function recent(lookup: Lookup, since: Date): SessionFile[] {
  return [...rollouts(lookup)]
    .flatMap((rollout) => {
      const size = measure(rollout.file);
      if (size === null || size.changedAtMs < since.getTime()) return [];
      const begun = meta(rollout.file);
      return begun === null || isSubAgents(begun) ? [] : { ...identify(rollout, begun), ...size };
    })
    .sort((one, other) => other.changedAtMs - one.changedAtMs);
}

export function links(lookup: Lookup): string[] {
  const home = codexHome(lookup);
  return home === null ? [] : linksBelow(path.join(home, 'sessions'), 4);
}

/** `$CODEX_HOME`, or `.codex` in the home; null if there is no home. */
export function codexHome({ environment }: Lookup): string | null {
  if (environment.CODEX_HOME) return environment.CODEX_HOME;
  const home = homeOf(environment);
  return home === null ? null : path.join(home, '.codex');
}

/** The facts of a session_meta record. */
interface CodexSessionStart {
  id: string | null;
  cwd: string | null;
  version: string | null;
  source: unknown;
  threadSource: unknown;
  historyMode: string | null;
}

/** @returns null for a line that is not a session_meta record. */
export function readBegun(line: string): CodexSessionStart | null {
  const record = readRecord(line);
  if (record?.type !== 'session_meta') return null;
  const payload = fieldsOf(record.payload);
  return {
    id: textOf(payload.id) ?? textOf(payload.session_id),
    cwd: textOf(payload.cwd),
    version: textOf(payload.cli_version),
    source: payload.source,
    threadSource: payload.thread_source,
    historyMode: textOf(payload.history_mode),
  };
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

function meta(file: string): CodexSessionStart | null {
  try {
    return readBegun(firstLines(file, META_BYTES)[0] ?? '');
  } catch {
    return null;
  }
}

const isSubAgents = ({ source, threadSource }: CodexSessionStart): boolean =>
  threadSource === 'subagent' || 'subagent' in fieldsOf(source) || 'sub_agent' in fieldsOf(source);

const identify = ({ id, file }: Rollout, begun: CodexSessionStart | null) =>
  ({ tool: 'codex', id, file, cwd: begun?.cwd ?? null, cliVersion: begun?.version ?? null }) as const;
