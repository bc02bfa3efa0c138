// Finds copilot's sessions: a folder for each id, with the session's events in it.

import path from 'node:path';
import { homeOf } from '../../home.ts';
import { countOf, fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
import type { Lookup, SessionFile } from '../../sessions/store.ts';
import { firstLines, foldersIn, isFolder, linksBelow, measure } from '../../sessions/store-folder.ts';
import { workspaceOf } from './workspace.ts';

export function find(id: string, lookup: Lookup): SessionFile | null {
  const store = stateFolder(lookup);
  if (store === null || !PLAIN.test(id) || !isFolder(path.join(store, id))) return null;
  return look(store, id);
}

export function recent(lookup: Lookup, since: Date): SessionFile[] {
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

export function links(lookup: Lookup): string[] {
  const store = stateFolder(lookup);
  return store === null ? [] : linksBelow(store, 2);
}

/** The facts of a session.start event. */
interface CopilotSessionStart {
  id: string | null;
  cwd: string | null;
  version: string | null;
  /** The version of the file format. */
  form: number | null;
}

/** @returns null for a line that is not a session.start event. */
export function readBegun(line: string): CopilotSessionStart | null {
  const event = readRecord(line);
  if (event?.type !== 'session.start') return null;
  const data = fieldsOf(event.data);
  return {
    id: textOf(data.sessionId),
    cwd: textOf(fieldsOf(data.context).cwd),
    version: textOf(data.copilotVersion),
    form: countOf(data.version),
  };
}

const EVENTS = 'events.jsonl';
/** Ids are uuids; any other text from a user must not lead out of the store. */
const PLAIN = /^[\da-z][\w-]*$/i;
const START_BYTES = 64 * 1024;

/** `$COPILOT_HOME`, or `.copilot` in the home; null if there is no home. */
function stateFolder({ environment }: Lookup): string | null {
  const home = homeOf(environment);
  const own = environment.COPILOT_HOME || (home === null ? null : path.join(home, '.copilot'));
  return own === null ? null : path.join(own, 'session-state');
}

function look(store: string, id: string): SessionFile | null {
  const file = path.join(store, id, EVENTS);
  const size = measure(file);
  return size && identify(store, id, start(file), size);
}

function start(file: string): CopilotSessionStart | null {
  try {
    return readBegun(firstLines(file, START_BYTES)[0] ?? '');
  } catch {
    return null;
  }
}

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
