// Counts what commands do from within: files loaded, opened, read, written and synced, processes started, in order.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

export interface CountedEvent {
  /**
   * `builtin`: a part of Node was loaded. `drain`: Node ended the process, which did not exit by itself.
   * `look`: a stat or similar. `list`: a folder was read. `change`: a name was created, renamed or removed.
   * `background sync`: a sync that no code waits for.
   */
  what:
    | 'builtin'
    | 'evaluate'
    | 'open'
    | 'read'
    | 'write'
    | 'sync'
    | 'background sync'
    | 'look'
    | 'list'
    | 'change'
    | 'spawn'
    | 'drain';
  /** The affected file; for `spawn` the program. */
  file: string;
  /** For `evaluate`, `read` and `write`, if it is known. */
  bytes?: number;
  /** For `write`: how often the data contain the sought text. */
  holds?: number;
  /** The time since the process began: to find where time is spent, never for a test. */
  ms: number;
}

export interface CountedProcess {
  /** The command's own file, such as `gemini_headless.cjs`. */
  script: string;
  pid: number;
  events: CountedEvent[];
}

const HOOK = path.join(import.meta.dirname, 'counting-hook.cjs');

/**
 * From now on counts each tollgate process that a rig starts.
 * @param text the text that is sought in written data.
 * @returns a function that returns the processes that have ended since its last call.
 */
export function countIn(rig: { root: string; env: NodeJS.ProcessEnv }, text?: string): () => CountedProcess[] {
  const folder = path.join(rig.root, 'counted');
  mkdirSync(folder);
  rig.env.NODE_OPTIONS = `--require ${HOOK}`;
  rig.env.COUNT_INTO = folder;
  if (text !== undefined) rig.env.COUNT_TEXT = text;
  return () =>
    readdirSync(folder)
      .map((name) => path.join(folder, name))
      .map((file) => {
        const told = JSON.parse(readFileSync(file, 'utf8')) as CountedProcess;
        rmSync(file);
        return told;
      });
}

/**
 * The events of one kind, in order.
 * @param of the files; all by default.
 */
export const eventsOf = ({ events }: CountedProcess, what: CountedEvent['what'], of = /(?:)/): CountedEvent[] =>
  events.filter((event) => event.what === what && of.test(event.file));

export const bytesOf = (events: readonly CountedEvent[]): number =>
  events.reduce((sum, { bytes = 0 }) => sum + bytes, 0);

/** The names of the evaluated bundles; a starter counts as the bundle that it starts. */
export const bundlesOf = (counted: CountedProcess): string[] => [
  ...new Set(
    eventsOf(counted, 'evaluate', /\/dist\//).map(({ file }) => path.basename(file).replace('.body.cjs', '.cjs')),
  ),
];
