// Collects the evidence of a round of sabotage: what was replaced, how each command ended, what the service saw.

import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Ended } from '../command.ts';
import { below, everything } from './places.ts';
import type { Act, SabotagePlan } from './plan.ts';
import type { SabotageWorld, Seen } from './world.ts';

export interface Done {
  act: Act;
  /** Absolute; null if no such file existed. */
  place: string | null;
  /** The call whose agent did it; null between two runs. */
  call: string | null;
  /** What was in the place afterwards, as `dev:ino`; null for nothing. */
  intruder: string | null;
  /** The files on which a stage's result depends, with their bytes before the act; the paths are absolute. */
  originals: ReadonlyMap<string, Buffer>;
  /** The lines of the journals of task a and of b, before the act. */
  journals: Record<'a' | 'b', string[]>;
}

export interface Command extends Ended {
  /** `main`: the agents sabotage during this command. */
  as: 'before' | 'main' | 'during' | 'afterwards' | 'rerun';
  /** The memory of the largest process, in MiB. */
  maxRssMib: number;
}

export interface Evidence {
  plan: SabotagePlan;
  done: Done[];
  commands: Command[];
  seen: Seen[];
  /** By path: the state of the user's files before and after the round. */
  person: Record<'before' | 'after', ReadonlyMap<string, string>>;
  /** The files below the round's folder right after the main command, and at the end. */
  files: Record<'main' | 'end', ReturnType<typeof fileTable>>;
  /** Whether a command of an edited manifest was run. */
  ran: boolean;
  survivors: string[];
}

/** Returns the kind, mode and content of each of the user's files beside the project. */
export function personFiles({ person, home }: Pick<SabotageWorld, 'person' | 'home'>): Map<string, string> {
  const files = [person, path.join(person, 'folder'), ...below(person), path.join(home, '.profile')];
  return new Map(files.map((file) => [file, lookOf(file)]));
}

function lookOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  const content = found.isFile()
    ? readFileSync(file, 'latin1')
    : found.isSymbolicLink()
      ? readlinkSync(file)
      : readdirSync(file).sort().join(' ');
  return `${found.mode} ${content}`;
}

/** Returns the regular files on which the result of a stage of task a depends. */
export function originalsOf({ project }: Pick<SabotageWorld, 'project'>): Map<string, Buffer> {
  const task = path.join(project, '.tmp/task/a');
  const files = [
    ...['tollgate.yaml', 'rules.md', 'templates/brief.md', 'templates/part.md'].map((name) => path.join(project, name)),
    path.join(task, 'manifest.yaml'),
    ...below(path.join(task, 'inputs')).filter((file) => !file.includes('/prompt/')),
    ...below(path.join(task, 'done')),
  ];
  return new Map(
    files.flatMap((file) => {
      const bytes = ordinary(file);
      return bytes === null ? [] : [[file, bytes] as const];
    }),
  );
}

export const journalLines = ({ project }: Pick<SabotageWorld, 'project'>, name: 'a' | 'b'): string[] =>
  (ordinary(path.join(project, '.tmp/task', name, 'state/journal.jsonl'))?.toString('utf8') ?? '')
    .split('\n')
    .filter(Boolean);

/** `ids`: `dev:ino` by absolute path. `texts`: the contents of regular files that are not large. */
export function fileTable(root: string) {
  const ids = new Map<string, string>();
  const texts = new Map<string, Buffer>();
  for (const place of everything(root)) {
    const id = idOf(place);
    if (id !== null) ids.set(place, id);
    const bytes = ordinary(place);
    if (bytes !== null) texts.set(place, bytes);
  }
  return { ids, texts };
}

/** `dev:ino` of the path itself; links are not followed. */
export function idOf(place: string): string | null {
  const found: BigIntStats | undefined = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

const MAX_BYTES = 4 * 1024 * 1024;

function ordinary(file: string): Buffer | null {
  try {
    const found = lstatSync(file);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(file) : null;
  } catch {
    return null;
  }
}
