// What a task may touch, as its manifest says.

import type { Scope } from '../../policies/gate/scope.ts';
import { globInTree } from '../../policies/text/globs.ts';
import { realOr } from '../../state/disk/real-path.ts';
import type { Manifest } from '../../state/project/manifest-schema.ts';

/** Globs as the manifest has them. */
export const scopeOf = ({ scope, security }: Pick<Manifest, 'scope' | 'security'>): Scope => ({
  allow: scope.allow,
  deny: scope.deny,
  forbidden: security.forbidden_paths,
});

/** With its globs relative to the tree, in which they may have been written out as absolute paths. */
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
