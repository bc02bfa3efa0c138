// Creates the world of a supervised round: a project in git, a task with a scope and an acceptance command, agents on the PATH.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { agentOf, makePlace, type Place } from '../rig.ts';
import type { SupervisePlan } from './plan.ts';

export const GOAL = 'Task A';
const [WORKER, REASONER] = ['codex', 'gemini'] as const;

export interface SuperviseWorld extends Place {
  project: string;
  task: string;
  /** The file in which agents note what they saw. */
  seen: string;
}

export function superviseWorld({ n, script, workMs }: SupervisePlan): SuperviseWorld {
  const agent = agentOf(path.join(import.meta.dirname, 'agent.ts'));
  const place = makePlace(`torture-supervise-${n}`, { [WORKER]: agent, [REASONER]: agent });
  const { at } = place;
  mkdirSync(at('project/.tmp/task/loop'), { recursive: true });
  spawnSync('git', ['init', '--quiet', at('project')]);
  const manifest = {
    task_id: 'loop',
    goal: GOAL,
    supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER }, max_iterations: 100, stall_after: 100 },
    acceptance: { commands: [`test ! -e '${at('red')}'`] },
    scope: { allow: ['src/**'] },
    budgets: { paid_call_budget: 200, retry_budget: 0 },
  };
  writeFileSync(at('project/.tmp/task/loop/manifest.json'), JSON.stringify(manifest));
  writeFileSync(at('project/tollgate.yaml'), 'sessions: {rest_sec: 0}\n');
  const env = {
    ...place.env,
    TORTURE_SEEN: at('seen'),
    TORTURE_RED: at('red'),
    TORTURE_SCRIPT: JSON.stringify(script),
    TORTURE_WORK_MS: String(workMs),
  };
  return { ...place, project: at('project'), task: at('project/.tmp/task/loop'), seen: at('seen'), env };
}
