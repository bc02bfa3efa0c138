// Reads from a manifest where a task works: the folder in which its CLIs run, and the files that they may touch.

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Scope } from '../../policies/gate/scope.ts';
import { globInTree } from '../../policies/text/globs.ts';
import { isWithin, realOr } from '../../state/disk/real-folder.ts';
import type { Manifest } from '../../state/project/manifest-schema.ts';
import { isSystemError } from '../../state/system-error.ts';

/** Returns the globs as the manifest has them. */
export const scopeOf = ({ scope, security }: Manifest): Scope => ({
  allow: scope.allow,
  deny: scope.deny,
  forbidden: security.forbidden_paths,
});

/** Makes the globs relative to the tree. The manifest may have absolute ones. */
export function withOwnGlobs(
  manifest: Manifest,
  tree: string,
): { how: 'read'; manifest: Manifest } | { how: 'invalid'; message: string } {
  const roots = [tree, realOr(tree)];
  const mistakes: string[] = [];
  const own = (field: string, globs: readonly string[]) =>
    globs.map((glob) => {
      const judged = globInTree(glob, roots);
      if (judged.how === 'read') return judged.glob;
      mistakes.push(`${field}: ${judged.message}`);
      return glob;
    });
  const { scope, security } = manifest;
  const [allow, deny] = [own('scope.allow', scope.allow), own('scope.deny', scope.deny)];
  const forbidden_paths = own('security.forbidden_paths', security.forbidden_paths);
  if (mistakes.length > 0) return { how: 'invalid', message: mistakes.join('\n') };
  return {
    how: 'read',
    manifest: { ...manifest, scope: { ...scope, allow, deny }, security: { ...security, forbidden_paths } },
  };
}

interface WorkingFolder {
  /** As the manifest has it. */
  cwd: string | undefined;
  manifest: string;
  /** The folder to which it is relative: the project's root, or the task's worktree. */
  root: string;
  trust: 'trusted' | 'untrusted';
}

/** What is wrong with the folder, or null. It must exist, and be in the project unless the workspace is trusted. */
export function workingFolderMistake({ cwd, manifest, root, trust }: WorkingFolder): string | null {
  if (cwd === undefined) return null;
  const folder = path.resolve(root, cwd);
  const said = `${manifest}: cwd: "${cwd}"`;
  try {
    // The path is checked before the disk is read: a stranger's manifest must not learn what exists elsewhere.
    const real = isWithin(root, folder) ? realpathSync.native(folder) : folder;
    if (trust === 'untrusted' && !isWithin(realpathSync.native(root), real) && !isWithin(root, real))
      return `${said} leads out of the project (${root}); name a folder in it, or use --trust-workspace if you trust this task`;
    return statSync(folder).isDirectory() ? null : `${said} is not a folder (${folder}); name one, from ${root}`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be used (${error.code})`;
    return `${said} ${why} (${folder}); make it, or name another folder, from ${root}`;
  }
}
