// What a task may touch, as its manifest says.

import type { Scope } from '../../policies/scope.ts';
import type { Manifest } from '../../state/manifest-schema.ts';

export const scopeOf = ({ scope, security }: Pick<Manifest, 'scope' | 'security'>): Scope => ({
  allow: scope.allow,
  deny: scope.deny,
  forbidden: security.forbidden_paths,
});
