// A task's stages as far as it matters who writes and who reads whose answer.

import type { StageInLine } from '../../policies/gate/writer.ts';
import type { StagePlan } from './stage-plan.ts';

export const lineOfStages = (plans: readonly StagePlan[]): StageInLine[] =>
  plans.map(({ stage, role, access }) => ({
    name: stage.name,
    tool: stage.tool,
    role: stage.role,
    writes: role.changesTree && access !== 'read',
    reads: role.reads,
  }));
