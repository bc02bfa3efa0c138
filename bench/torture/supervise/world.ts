// The world of a supervised round: a project in git, a task with a scope and an acceptance command, and agents on the PATH.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import type { SupervisePlan } from './plan.ts';

export const GOAL = 'Task A';
const [WORKER, REASONER] = ['codex', 'gemini'] as const;

export interface SuperviseWorld {
  project: string;
  task: string;
  /** Where agents say what they saw. */
  seen: string;
  env: Record<string, string>;
  /** In the environment of all that belongs to it. */
  marker: string;
}

export function superviseWorld(root: string, { script, workMs }: SupervisePlan): SuperviseWorld {
  const at = (name: string) => path.join(root, name);
  for (const name of ['home', 'bin', 'tmp', 'project/.tmp/task/loop']) mkdirSync(at(name), { recursive: true });
  for (const tool of [WORKER, REASONER]) {
    writeFileSync(at(`bin/${tool}`), `#!${process.execPath}\n${agentText()}`);
    chmodSync(at(`bin/${tool}`), 0o755);
  }
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
  const marker = `TORTURE_ROUND=${path.basename(root)}`;
  const env = {
    PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    TORTURE_ROUND: path.basename(root),
    TORTURE_SEEN: at('seen'),
    TORTURE_RED: at('red'),
    TORTURE_SCRIPT: JSON.stringify(script),
    TORTURE_WORK_MS: String(workMs),
    NO_COLOR: '1',
  };
  return { project: at('project'), task: at('project/.tmp/task/loop'), seen: at('seen'), env, marker };
}

let built: string | null = null;

/** One file, since each start of the TypeScript source would cost half a second. */
function agentText(): string {
  built ??= buildSync({
    entryPoints: [path.join(import.meta.dirname, 'agent.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'error',
  }).outputFiles[0]!.text;
  return built;
}
