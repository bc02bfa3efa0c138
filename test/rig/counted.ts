// What our commands did, counted from within: files loaded, opened, read, written and synced, processes started, in order.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

export interface CountedEvent {
  /** `builtin` is a part of Node that is asked for, `drain` that it ended by Node and not by itself, `look` a stat or its like, `list` a folder read, `change` whatever makes, renames or removes a name, `background sync` one that nobody stands still for. */
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
  /** The file it is done to; of `spawn` the program. */
  file: string;
  /** Of `evaluate`, `read` and `write`, where it is known. */
  bytes?: number;
  /** Of `write`: how often it holds the text that is looked for. */
  holds?: number;
  /** Since the process began: for who looks for the time, never for a test. */
  ms: number;
}

export interface CountedProcess {
  /** The command's own file, such as `gemini_headless.cjs`. */
  script: string;
  pid: number;
  events: CountedEvent[];
}

const HOOK = path.join(import.meta.dirname, 'counting-hook.cjs');

/** From now on each process of ours that a rig starts is counted. @param text looked for in what is written. @returns what those did that have ended since the last look. */
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

/** Those of one kind, in order. @param of which files; all unless told. */
export const eventsOf = ({ events }: CountedProcess, what: CountedEvent['what'], of = /(?:)/): CountedEvent[] =>
  events.filter((event) => event.what === what && of.test(event.file));

export const bytesOf = (events: readonly CountedEvent[]): number =>
  events.reduce((sum, { bytes = 0 }) => sum + bytes, 0);

/** The bundles that were evaluated, each by its name; a starter counts with the bundle that it starts. */
export const bundlesOf = (counted: CountedProcess): string[] => [
  ...new Set(
    eventsOf(counted, 'evaluate', /\/dist\//).map(({ file }) => path.basename(file).replace('.body.cjs', '.cjs')),
  ),
];
