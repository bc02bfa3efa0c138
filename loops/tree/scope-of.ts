// Reads from a manifest what a task may touch.

import type { Scope } from '../../policies/gate/scope.ts';
import { globInTree } from '../../policies/text/globs.ts';
import { realOr } from '../../state/disk/real-path.ts';
import type { Manifest } from '../../state/project/manifest-schema.ts';

/** Returns the globs as the manifest has them. */
export const scopeOf = ({ scope, security }: Pick<Manifest, 'scope' | 'security'>): Scope => ({
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
      if (judged.how === 'in_tree') return judged.glob;
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
