// Finds the files that an agent may replace, as they are on disk at that moment.

import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import type { SabotageWorld } from './world.ts';

/**
 * @param id the call whose agent does it; null between two runs.
 * @returns an absolute path; any file of tollgate if none of the requested kind exists.
 */
export function placeOf(
  { target, salt }: { target: Target; salt: number },
  world: SabotageWorld,
  id: string | null,
): string | null {
  const kind = PLACES[target](world, id);
  const found = (kind.length > 0 ? kind : PLACES.any(world)).sort((a, b) => compare(shapeOf(a), shapeOf(b)));
  return found[salt % found.length] ?? null;
}

export type Target = keyof typeof PLACES;

export const PLACES = {
  manifest: (world) => [task(world, 'a', 'manifest.yaml')],
  input: (world) => below(task(world, 'a', 'inputs')).filter((file) => !file.includes('/prompt/')),
  sent_prompt: (world) => below(task(world, 'a', 'inputs/prompt')),
  template: ({ project }) =>
    ['rules.md', 'templates/brief.md', 'templates/part.md'].map((name) => path.join(project, name)),
  project_file: ({ project }) => [path.join(project, 'tollgate.yaml')],
  journal: (world) => [task(world, 'a', 'state/journal.jsonl')],
  stats: (world) => [task(world, 'a', 'state/stats.json')],
  last_failure: (world) => [task(world, 'a', 'state/last_failure.json')],
  answer: (world) => below(task(world, 'a', 'outputs')),
  next_answer: (world) =>
    ['out', 'err', 'raw', 'call.json'].flatMap((end) =>
      Object.entries(world.stages).map(([stage, tool]) => task(world, 'a', `outputs/${stage}.${tool}.${end}`)),
    ),
  marker: (world) => [task(world, 'a', 'done/plan.done'), task(world, 'a', 'done/check.done')],
  baseline: (world) => below(task(world, 'a', 'state/baseline')),
  sessions: ({ project }) => [path.join(project, '.tmp/state/sessions.json')],
  tree_queue: ({ project }) => below(path.join(project, '.tmp/state/trees')),
  session_queue: ({ project, home }) => [
    ...below(path.join(project, '.tmp/state/sessions')),
    ...below(path.join(home, '.local/state/tollgate/sessions')),
  ],
  error_log: ({ project }) => [path.join(project, '.tmp/state/api_errors.log')],
  register: ({ home }) => below(path.join(home, '.local/state/tollgate')),
  attempt: (world, id) => (id === null ? [] : attemptsOf(world, id)),
  attempt_file: (world, id) => (id === null ? [] : attemptsOf(world, id).flatMap(below)),
  folder: ({ project }) => folders(path.join(project, '.tmp')),
  other_manifest: (world) => [task(world, 'b', 'manifest.yaml')],
  other_journal: (world) => [task(world, 'b', 'state/journal.jsonl')],
  other_stats: (world) => [task(world, 'b', 'state/stats.json')],
  other_file: (world) => below(task(world, 'b', '.')),
  any: ({ project }) => below(path.join(project, '.tmp')),
} satisfies Record<string, (world: SabotageWorld, id: string | null) => string[]>;

const task = ({ project }: SabotageWorld, name: 'a' | 'b', file: string): string =>
  path.join(project, '.tmp/task', name, file);

const attemptsOf = (world: SabotageWorld, id: string): string[] =>
  folders(path.join(world.project, '.tmp/task')).filter((folder) => folder.endsWith(`/state/attempts/${id}`));

/** Files, and everything else that is not a folder. */
export const below = (folder: string): string[] =>
  entries(folder).flatMap((entry) => (entry.isDirectory() ? [] : [pathOf(entry)]));

const folders = (folder: string): string[] => [
  folder,
  ...entries(folder).flatMap((entry) => (entry.isDirectory() ? [pathOf(entry)] : [])),
];

export const everything = (folder: string): string[] => entries(folder).map(pathOf);

const pathOf = ({ parentPath, name }: Dirent): string => path.join(parentPath, name);

/** At any depth; entries that are removed meanwhile may be missing. */
function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry, ...entries(path.join(folder, entry.name))] : [entry],
    );
  } catch {
    return [];
  }
}

/** Ids and times differ in each round, and must not move the order. */
const shapeOf = (file: string): string => file.replace(/[0-9a-f]{8,}|\d{3,}/g, '#');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
