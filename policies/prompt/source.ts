// Defines the sources of a prompt, as they were read from the disk and are passed to the composition.

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
  /** `path` is null if an earlier brief handed the text off. */
  context: { path: string | null; text: string } | null;
  /** null if the stage requests none. */
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

interface TextFile {
  /** Relative to the tree in which the CLI runs. */
  path: string;
  text: string;
}

export interface Attachment {
  /** As the glob gives it: `attachments/build.log`, `src/a.ts`. */
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
  /** Empty if nothing has changed. */
  text: string;
  /** `files`: how many the diff shows. `forbidden`: how many more changed files it must not show. */
  files: number;
  forbidden: number;
}

export interface AnswerSource {
  stage: string;
  role: string;
  text: string;
  /** The number of further characters, which were not read because no prompt could hold them. */
  unread?: number;
}
