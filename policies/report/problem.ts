// Defines a problem of a task for other programs, and finds the place in the tree that its text names.

import { createHash } from 'node:crypto';
import { cut, visible, wellFormed } from '../text/display.ts';

/** The most serious first. */
const PROBLEM_LEVELS = ['error', 'warning', 'note'] as const;

export type ProblemLevel = (typeof PROBLEM_LEVELS)[number];

export interface FilePlace {
  /** Relative to the tree's root, with `/`, never outside the tree. */
  path: string;
  /** From 1. */
  line: number | null;
  /** Only for a range. */
  endLine: number | null;
}

export interface Problem {
  /** `failure/quota`, `gate/scope`, `review/major`, `answer/lacks`: the same for all problems of one kind. */
  rule: string;
  level: ProblemLevel;
  task_id: string;
  /** null if the task failed before any stage. */
  stage: string | null;
  place: FilePlace | null;
  text: string;
  signature: string | null;
  /** ISO time of its result, if an earlier run than the last one found it; otherwise null. */
  earlier_at: string | null;
}

/** An agent chooses the words of a finding, its place too. */
export const redactedProblem = (problem: Problem, redact: (text: string) => string): Problem => ({
  ...problem,
  rule: redact(problem.rule),
  place: problem.place && { ...problem.place, path: redact(problem.place.path) },
  text: redact(problem.text),
});

/** The most serious first; the order is otherwise unchanged. */
export const byGravity = (problems: readonly Problem[]): Problem[] =>
  PROBLEM_LEVELS.flatMap((level) => problems.filter((problem) => problem.level === level));

/** The line is not included, because it changes with every edit above it. */
export const fingerprint = ({ rule, place, text }: Problem): string =>
  createHash('sha256')
    .update(JSON.stringify([rule, place?.path, text.replaceAll(/:\d+/g, '')]))
    .digest('hex');

/** The text with its task and stage. */
export const textOf = ({ task_id, stage, text, earlier_at }: Problem): string =>
  `${[task_id, stage].filter((word) => word !== null).join(' ')}: ${wellFormed(visible(text))}${earlierWords(earlier_at)}`;

export const earlierWords = (at: string | null): string => (at === null ? '' : ` (result of an earlier run, of ${at})`);

/** Returns null if the text names no place. @param root of the tree; an absolute path below it becomes relative. */
export function placeIn(text: string, root: string | null): FilePlace | null {
  const said = cut(text, MAX_TEXT);
  for (const [, named, first, last] of [...said.matchAll(QUOTED), ...said.matchAll(BARE)]) {
    const path = isFileName(named!) ? withinTree(named!, root) : null;
    if (path === null) continue;
    const [line, end] = [Number(first), last === undefined ? null : Number(last)];
    return { path, line, endLine: end !== null && end > line ? end : null };
  }
  return null;
}

/** Returns null if the path is outside the tree, or is not a file's path. */
export function withinTree(named: string, root: string | null): string | null {
  const below = root !== null && named.startsWith(`${root}/`) ? named.slice(root.length + 1) : named;
  const parts = below.replace(/^(?:\.\/)+/, '').split('/');
  const isFile = parts.every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.git');
  return isFile && !/[\p{Cc}\p{Cf}\\]/u.test(below) ? parts.join('/') : null;
}

/** Removes each folder with which a path in the text begins; the folder itself is `.`. @param folders absolute. */
export function withRelativePaths(text: string, folders: readonly string[]): string {
  return folders
    .filter((folder) => folder !== '/')
    .map((folder) => new RegExp(`${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|(?!\\.?[\\w-]))`, 'g'))
    .reduce((shown, place) => shown.replace(place, (found) => (found.endsWith('/') ? '' : '.')), text);
}

const MAX_TEXT = 2000;

/** The format that a review is required to use; the path may contain spaces. */
const QUOTED = /`([^`\n:]{1,400}):([1-9]\d{0,6})(?:[-–]([1-9]\d{0,6}))?(?::\d+)?`/gu;

/** The text before `:12`, `:12-20` or `:12:5`. */
const BARE =
  /(?<![\p{L}\p{N}\p{M}_./@+~:-])([\p{L}\p{N}\p{M}_./@+~-]{0,400}[\p{L}\p{N}]):([1-9]\d{0,6})(?:[-–]([1-9]\d{0,6}))?(?!\d)/gu;

/** A folder, an extension or a capital letter indicates a file; `localhost:8080` and `at 10:30` are not files. */
const isFileName = (named: string): boolean => /\/|\.\p{L}[\p{L}\p{N}]*$|^\p{Lu}/u.test(named);
