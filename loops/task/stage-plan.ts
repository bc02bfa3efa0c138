// A stage of a task with its role and what its CLI may do.

import type { ResolvedRole } from '../../policies/manifest/resolved-role.ts';
import type { Stage } from '../../state/project/manifest-schema.ts';
import type { Access } from '../../wrappers/adapter.ts';
import type { PromptTurn } from '../prompt/compose.ts';

/** `access`: what the CLI may do to the tree. */
export interface StagePlan {
  stage: Stage;
  role: ResolvedRole;
  access: Access;
  /** What an iteration of a supervised task asks beside. */
  turn?: PromptTurn;
}
