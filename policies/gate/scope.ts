// Checks the changes in the tree against the scope of a task.

import type { Change, Finding } from '../facts/gate-record.ts';
import { toDo } from '../facts/next-action.ts';
import { atAnyDepth, compileForbidden, compileGlobs, compileReach } from '../text/globs.ts';

export interface Scope {
  /** Empty: everything that no other list forbids. */
  allow: readonly string[];
  deny: readonly string[];
  /** `security.forbidden_paths`: paths that may neither be read nor be changed. */
  forbidden: readonly string[];
}

/** A path and the list that it violates: it is in `deny` or `forbidden`, is not in `allow`, or is within `.git`. */
export interface Violation {
  path: string;
  how: Change['how'];
  /** The old path, if `path` is the new path of a rename. */
  from?: string;
  list: 'deny' | 'forbidden' | 'git' | 'allow';
  /** The glob that matched; null if the violation is that none matched. */
  glob: string | null;
}

/** In the order of the changes. Both ends of a rename are checked. */
export function judgeScope(changes: readonly Change[], scope: Scope): Violation[] {
  const judge = compileScope(scope);
  return changes.flatMap(({ path, how, from }) =>
    (from === undefined ? [path] : [from, path]).flatMap((end) => {
      const judged = judge(end);
      const old = from === undefined || end === from ? {} : { from };
      return judged.allowed ? [] : [{ path: end, how, ...old, list: judged.list, glob: judged.glob }];
    }),
  );
}

/** Whether this path may be changed, and which line of the manifest decides it. */
export function askScope(path: string, scope: Scope): { allowed: boolean; why: string } {
  const judged = compileScope(scope)(path);
  if (!judged.allowed) return { allowed: false, why: WHY[judged.list](judged.glob) };
  return { allowed: true, why: judged.glob === null ? 'no list speaks against it' : `scope.allow "${judged.glob}"` };
}

/** For callers that check many paths: whether the scope keeps the agent from this one. */
export function outsideScope(scope: Scope): (path: string) => boolean {
  const judge = compileScope(scope);
  return (path) => !judge(path).allowed;
}

/** The paths that the task protects. They are watched even if git ignores them. */
export type KeptOut = { deny: readonly string[]; forbidden: readonly string[] };

interface ScopeWatch {
  names(path: string): boolean;
  /** Whether the task may name something below this folder. */
  reaches(folder: string): boolean;
}

export function watchOf({ deny, forbidden }: KeptOut): ScopeWatch {
  const [denied, forbade] = [compileGlobs(deny), compileForbidden(forbidden)];
  return {
    names: (path) => denied(path) !== null || forbade(path) !== null,
    reaches: compileReach([...deny, ...forbidden.flatMap(atAnyDepth)]),
  };
}

/** The gate's finding about the violations; null if there are none. */
export function violationsFinding(violations: readonly Violation[]): Finding | null {
  if (violations.length === 0) return null;
  const lines = violations.map(lineOf);
  const [first, ...others] = lines;
  return {
    check: 'scope',
    class: 'scope_violation',
    reason: 'out_of_scope',
    missing: capped(lines, MAX_LISTED),
    // The changed files vary between two runs of the same failure; the globs do not.
    signed: [...new Set(violations.map(({ list, glob }) => `${list} ${glob ?? '-'}`))],
    text: `${lines.length} ${lines.length === 1 ? 'change is' : 'changes are'} out of scope: ${capped([first!, ...others], MAX_TOLD).join('; ')}`,
    next_actions: [toDo('review these changes, and revert the unintended ones')],
  };
}

/** The limit in the record. A tree that was moved as a whole has as many violations as files. */
const MAX_LISTED = 200;
/** The limit in one sentence. */
const MAX_TOLD = 5;

type Judged = { allowed: true; glob: string | null } | { allowed: false; list: Violation['list']; glob: string | null };

const INTERNAL = /^\.git(?:\/|$)/;

function compileScope({ allow, deny, forbidden }: Scope): (path: string) => Judged {
  const [allowed, denied, forbade] = [compileGlobs(allow), compileGlobs(deny), compileForbidden(forbidden)];
  return (path) => {
    const no = denied(path);
    if (no !== null) return { allowed: false, list: 'deny', glob: no };
    const never = forbade(path);
    if (never !== null) return { allowed: false, list: 'forbidden', glob: never };
    const yes = allowed(path);
    if (yes !== null) return { allowed: true, glob: yes };
    // Hooks and settings of git run code. So they are allowed only if a list names them.
    if (INTERNAL.test(path)) return { allowed: false, list: 'git', glob: null };
    return allow.length === 0 ? { allowed: true, glob: null } : { allowed: false, list: 'allow', glob: null };
  };
}

const WHY = {
  deny: (glob) => `scope.deny "${glob}"`,
  forbidden: (glob) => `security.forbidden_paths "${glob}"`,
  git: () => 'git\'s own files need a glob in scope.allow that names ".git"',
  allow: () => 'no glob of scope.allow matches',
} as const satisfies Record<Violation['list'], (glob: string | null) => string>;

/** A name may contain a line break, but a line of the report must be one line. */
const lineOf = ({ path, how, list, glob }: Violation): string =>
  `${JSON.stringify(path).slice(1, -1)} (${how}; ${WHY[list](glob)})`;

function capped(lines: readonly string[], max: number): string[] {
  if (lines.length <= max) return [...lines];
  return [...lines.slice(0, max), `and ${lines.length - max} more`];
}
