// Defines a problem of a task for other programs: one finding of a gate or a review, or one failure.

import { createHash } from 'node:crypto';
import { visible } from '../text/visible-text.ts';
import { wellFormed } from '../text/well-formed.ts';

/** The most serious first. */
const PROBLEM_LEVELS = ['error', 'warning', 'note'] as const;

export type ProblemLevel = (typeof PROBLEM_LEVELS)[number];

/** A place in the tree. */
export interface FilePlace {
  /** Relative to the tree's root, with `/`, never outside the tree. */
  path: string;
  /** From 1. */
  line: number | null;
  /** Only for a range. */
  endLine: number | null;
}

export interface Problem {
  /** `failure/quota`, `gate/scope`, `review/major`: the same for all problems of one kind. */
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
