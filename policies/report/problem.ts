// A problem of a task as other programs take it: one finding of a gate or a review, or one failure.

import { createHash } from 'node:crypto';
import { visible } from '../text/visible-text.ts';
import { wellFormed } from '../text/well-formed.ts';

/** Gravest first. */
const PROBLEM_LEVELS = ['error', 'warning', 'note'] as const;

export type ProblemLevel = (typeof PROBLEM_LEVELS)[number];

/** Where in the tree. */
export interface FilePlace {
  /** Relative to the tree's root, with `/`, never out of it. */
  path: string;
  /** From 1. */
  line: number | null;
  /** Of a range alone. */
  endLine: number | null;
}

export interface Problem {
  /** `failure/quota`, `gate/scope`, `review/major`: equal for all of one kind. */
  rule: string;
  level: ProblemLevel;
  task_id: string;
  /** null where it failed before any. */
  stage: string | null;
  place: FilePlace | null;
  text: string;
  signature: string | null;
  /** ISO time of its result, where an earlier run than the last one found it; else null. */
  earlier_at: string | null;
}

/** The gravest first, and else in the order given. */
export const byGravity = (problems: readonly Problem[]): Problem[] =>
  PROBLEM_LEVELS.flatMap((level) => problems.filter((problem) => problem.level === level));

/** Not of the line, which moves with every change above it. */
export const fingerprint = ({ rule, place, text }: Problem): string =>
  createHash('sha256')
    .update(JSON.stringify([rule, place?.path, text.replaceAll(/:\d+/g, '')]))
    .digest('hex');

/** With the task and the stage that it is of. */
export const textOf = ({ task_id, stage, text, earlier_at }: Problem): string =>
  `${[task_id, stage].filter((word) => word !== null).join(' ')}: ${wellFormed(visible(text))}${earlierWords(earlier_at)}`;

export const earlierWords = (at: string | null): string => (at === null ? '' : ` (result of an earlier run, of ${at})`);
