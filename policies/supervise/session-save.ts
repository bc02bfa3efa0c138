// Defines the saved session of a supervision: all that a user, another machine or a later version needs to resume it.

import type { Change } from '../facts/gate-record.ts';
import type { Tool } from '../facts/tools.ts';
import { partOf } from '../text/json.ts';
import type { IterationCells } from './supervise-text.ts';
import type { LeftHow } from './supervision.ts';

export const SAVE_SCHEMA = 1;

interface SavedTree {
  /** Changes since the supervision began. `sha256` is that of the content; null if gone, or not a regular file. */
  changed_files: (Pick<Change, 'path' | 'how'> & { sha256: string | null })[];
  /** `status`: the hash of git's list of uncommitted files. */
  git: { head: string | null; branch: string | null; status: string | null } | null;
}

export interface SessionSave extends SavedTree {
  schema: number;
  task_id: string;
  saved_at: string;
  how: LeftHow;
  why: string;
  /** For each part, the session of its last call; null if none is known. */
  sessions: Record<'worker' | 'reasoner', { tool: Tool; session_id: string | null }>;
  /** The original task, and the current instruction. */
  task: string;
  instruction: string;
  instruction_sha256: string;
  iterations: number;
  progress: IterationCells[];
  /** The beginning of the worker's last answer, redacted; null if there is none. */
  last_message: string | null;
  question: string | null;
  /** The name of a unified diff of these files, stored beside this file; null outside git. */
  patch: string | null;
  budget: { used: number; total: number; left: number; tokens: number; usd: number };
  resume: string;
  /** The command that answers the question, with dots where the answer belongs; null if no question waits. */
  answer: string | null;
}

/** Returns as part of a sentence what is wrong with a file that claims to be a saved session; null if nothing is. */
export function saveMistake(value: unknown): string | null {
  const { schema, changed_files, sessions, git } = partOf(value) ?? {};
  if (schema !== SAVE_SCHEMA)
    return `it was saved by another version (schema ${String(schema)}; this one knows ${SAVE_SCHEMA})`;
  const files = Array.isArray(changed_files) && changed_files.every((one) => typeof one?.path === 'string');
  const whole = files && typeof sessions === 'object' && sessions !== null && (git === null || typeof git === 'object');
  return whole ? null : 'it is not whole';
}

/** Compares the saved state of the tree with the current one. Returns parts of sentences; empty if nothing changed. */
export function movedSince(saved: SavedTree, now: SavedTree & { branches: readonly string[] | null }): string[] {
  const was = new Map(saved.changed_files.map((file) => [file.path, file.sha256]));
  const is = new Map(now.changed_files.map((file) => [file.path, file.sha256]));
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => was.get(path) !== is.get(path) || was.has(path) !== is.has(path),
  );
  const branch = saved.git?.branch ?? null;
  // A branch without a commit is in no list.
  const isGone =
    branch !== null && branch !== (now.git?.branch ?? null) && now.branches !== null && !now.branches.includes(branch);
  return [
    ...(isGone ? [`the branch ${branch} is gone`] : []),
    ...(branch !== (now.git?.branch ?? null) && !isGone
      ? [`it was on ${branch ?? 'no branch'}, and is on ${now.git?.branch ?? 'no branch'}`]
      : []),
    ...((saved.git?.head ?? null) === (now.git?.head ?? null)
      ? []
      : [`HEAD was ${short(saved.git?.head)}, and is ${short(now.git?.head)}`]),
    ...(paths.length > 0 ||
    (saved.git?.status ?? null) === (now.git?.status ?? null) ||
    saved.git?.head !== now.git?.head
      ? []
      : ['other files than those of the session have changed']),
    ...(paths.length === 0
      ? []
      : [
          `${paths.length === 1 ? 'a file was' : `${paths.length} files were`} changed since: ${paths.slice(0, MAX_PATHS).join(', ')}`,
        ]),
  ];
}

const MAX_PATHS = 5;

const short = (commit: string | null | undefined): string => commit?.slice(0, 12) ?? 'none';
