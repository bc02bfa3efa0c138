// Whether both parts can be started at all: of one that never can, the other would pay for the failures.

import { adapterOf } from '../../wrappers/adapters.ts';
import { startableCall } from '../call/check.ts';
import { stageRunOf } from '../run/stage-run-of.ts';
import { ownFlagsOf, requirementsOfStage } from '../task/own-flags.ts';
import type { Composing } from '../task/prompt.ts';

/** What is wrong with a part, by its name; null where both can be. */
export function partMistake(composing: Composing): string | null {
  const { open } = composing;
  for (const plan of open.plans) {
    const { stage, access, options, context } = stageRunOf(composing, plan, null);
    const startable = startableCall(adapterOf(stage.tool), {
      model: stage.model ?? null,
      resumeSession: null,
      newSession: '',
      access,
      maxTurns: stage.max_turns ?? null,
      innerRetries: 'cut',
      trustWorkspace: options.trustWorkspace,
      cwd: open.cwd,
      environment: context.environment,
      requires: requirementsOfStage(stage),
      own: ownFlagsOf(stage),
    });
    if (startable.how === 'refused')
      return `the ${stage.name} (${stage.tool}) cannot be started, and nothing was paid: ${startable.refusal.message}`;
  }
  return null;
}
