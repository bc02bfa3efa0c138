// What a prompt is made of, as it was read: the hand-over from the disk to the composition.

import type { ResolvedRole } from '../manifest/resolved-role.ts';
import type { Excerpt } from './excerpt.ts';

export interface PromptSource {
  taskId: string;
  stage: string;
  role: ResolvedRole;
  rules: string;
  /** With its includes and variables filled in. */
  template: string;
  goal: string;
  request: TextFile | null;
  /** `path` is null for what an earlier brief handed off. */
  context: { path: string | null; text: string } | null;
  /** null where the stage asks for none. */
  changes: Changes | null;
  attachments: Attachment[];
  answers: AnswerSource[];
  allow: readonly string[];
  deny: readonly string[];
  forbidden: readonly string[];
  criteria: readonly string[];
  commands: readonly string[];
  /** JSON Schema of the answer. */
  schema: object | null;
}

export interface TextFile {
  /** Relative to the tree in which the CLI runs. */
  path: string;
  text: string;
}

export interface Attachment {
  /** As the glob has it: `attachments/build.log`, `src/a.ts`. */
  name: string;
  /** Relative to the tree in which the CLI runs. */
  path: string;
  bytes: number;
  holds: { how: 'text'; excerpt: Excerpt } | { how: 'binary'; sha256: string } | { how: 'forbidden'; glob: string };
}

/** What has changed in the tree, as a unified diff. */
export interface Changes {
  /** `main`, or `the task began`. */
  since: string;
  /** Empty: nothing. */
  text: string;
  /** How many the diff shows, and how many more there are of which it must not. */
  files: number;
  forbidden: number;
}

/** What an earlier stage of the task answered. */
export interface AnswerSource {
  stage: string;
  role: string;
  text: string;
  /** Characters behind it that were not read, since no prompt would take them. */
  unread?: number;
}
