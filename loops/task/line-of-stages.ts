// Reduces a task's stages to what determines which stage writes, and which stages read its answer.

import type { StageInLine } from '../../policies/gate/next-actions.ts';
import type { StagePlan } from './stage-plan.ts';

export const lineOfStages = (plans: readonly StagePlan[]): StageInLine[] =>
  plans.map(({ stage, role, access }) => ({
    name: stage.name,
    tool: stage.tool,
    role: stage.role,
    writes: role.changesTree && access !== 'read',
    reads: role.reads,
  }));
