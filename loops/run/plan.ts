// What a run has to do, before anything is paid: each stage with its prompt, and whether it is done already.

import type { Stage } from '../../state/manifest-schema.ts';
import { composePrompt, type Prompt } from './prompt.ts';
import { doorOf, type Wishes } from './stage-door.ts';
import type { OpenTask } from './task.ts';

export interface Plan {
  stage: Stage;
  prompt: Prompt;
  door: 'open' | 'done_earlier';
}

export type Planned = { how: 'planned'; stages: Plan[] } | { how: 'mistaken'; message: string };

export async function planStages(open: OpenTask, wishes: Wishes): Promise<Planned> {
  const names = new Set(open.stages.map((stage) => stage.name));
  for (const name of [...wishes.redo, ...wishes.keep])
    if (!names.has(name))
      return { how: 'mistaken', message: `there is no stage "${name}"; the stages are ${[...names].join(', ')}` };
  const plans: Plan[] = [];
  for (const stage of open.stages) {
    const composed = await composePrompt(open.task, open.manifest, stage, 'off');
    if (composed.how === 'mistaken') return composed;
    const { prompt } = composed;
    const door = doorOf(stage.name, prompt, open.journal, wishes);
    if (door.how === 'changed') return { how: 'mistaken', message: door.message };
    plans.push({ stage, prompt, door: door.how });
  }
  return { how: 'planned', stages: plans };
}
