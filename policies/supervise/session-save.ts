// The saved session of a supervision: what a person, another machine or a later version needs to go on.

import type { Change } from '../facts/gate-record.ts';
import type { Tool } from '../facts/tools.ts';
import type { IterationCells } from './iteration-table.ts';
import type { LeftHow } from './supervise-facts.ts';

export const SAVE_SCHEMA = 1;

export interface SessionSave {
  schema: number;
  task_id: string;
  saved_at: string;
  how: LeftHow;
  why: string;
  /** Of each part the session that its last call was made in; null where none is known. */
  sessions: Record<'worker' | 'reasoner', { tool: Tool; session_id: string | null }>;
  /** The original task, and what is in force. */
  task: string;
  instruction: string;
  instruction_sha256: string;
  iterations: number;
  progress: IterationCells[];
  /** What the worker said last, without secrets, its beginning; null where it has said nothing. */
  last_message: string | null;
  question: string | null;
  /** Since the supervision began; `sha256`: of the content, null for what is gone or no file. */
  changed_files: (Pick<Change, 'path' | 'how'> & { sha256: string | null })[];
  /** A unified diff of them, beside this file; null outside of git. */
  patch: string | null;
  /** `status`: git's list of what is not committed, hashed. */
  git: { head: string | null; branch: string | null; status: string | null } | null;
  budget: { used: number; total: number; left: number; tokens: number; usd: number };
  /** The line to type. */
  resume: string;
  /** With the answer in place of the dots; null where no question waits. */
  answer: string | null;
}

/** What is wrong with a file that says it is one, in half a sentence; null where nothing is. */
export function saveMistake(value: unknown): string | null {
  const { schema, changed_files, sessions, git } = (value ?? {}) as Partial<SessionSave>;
  if (schema !== SAVE_SCHEMA)
    return `it was saved by another version (schema ${String(schema)}; this one knows ${SAVE_SCHEMA})`;
  const files = Array.isArray(changed_files) && changed_files.every((one) => typeof one?.path === 'string');
  const whole = files && typeof sessions === 'object' && sessions !== null && (git === null || typeof git === 'object');
  return whole ? null : 'it is not whole';
}

/** What the tree was left as, against what it is: half sentences, none where nothing moved. */
export function movedSince(
  saved: Pick<SessionSave, 'changed_files' | 'git'>,
  now: Pick<SessionSave, 'changed_files' | 'git'> & { branches: readonly string[] | null },
): string[] {
  const was = new Map(saved.changed_files.map((file) => [file.path, file.sha256]));
  const is = new Map(now.changed_files.map((file) => [file.path, file.sha256]));
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter(
    (path) => was.get(path) !== is.get(path) || was.has(path) !== is.has(path),
  );
  const branch = saved.git?.branch ?? null;
  // One without a commit is in no list.
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
          `${paths.length === 1 ? 'a file is' : `${paths.length} files are`} not as they were left: ${paths.slice(0, MAX_PATHS).join(', ')}`,
        ]),
  ];
}

const MAX_PATHS = 5;

const short = (commit: string | null | undefined): string => commit?.slice(0, 12) ?? 'none';
