// Plays one supervised round: its dispatcher is killed at random moments and started again, until the task is done.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { endSurvivors } from '../../../test/rig/survivors.ts';
import { start } from '../command.ts';
import { type Asked, checkCalls, expectedCalls, type SuperviseViolation } from './invariants.ts';
import { type SupervisePlan, supervisePlanOf } from './plan.ts';

export interface SuperviseRound {
  plan: SupervisePlan;
  calls: number;
  killed: number;
  violations: SuperviseViolation[];
  root: string;
}

const GOAL = 'Task A';
const [WORKER, REASONER] = ['codex', 'gemini'] as const;
/** More starts than kills and saved sessions can ask for. */
const MAX_STARTS = 20;

export async function playSuperviseRound(seed: number, n: number): Promise<SuperviseRound> {
  const plan = supervisePlanOf(seed, n);
  const root = mkdtempSync(path.join(tmpdir(), `torture-supervise-${n}-`));
  const { project, env, seen } = worldIn(root, plan);
  const run = () => start('tollgate', ['supervise', 'loop', '--json'], project, env, 120_000);
  let killed = 0;
  let code: number | null = null;
  for (let starts = 0; starts < MAX_STARTS && code !== 0; starts += 1) {
    const running = run();
    const afterMs = plan.killedAfterMs[starts];
    if (afterMs !== undefined) {
      await Promise.race([wait(afterMs), running.ended]);
      for (const pid of running.over() ? [] : await running.find('dispatcher')) if (kill(pid)) killed += 1;
    }
    code = (await running.ended).code;
  }
  const made = existsSync(seen)
    ? readFileSync(seen, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Asked)
    : [];
  const violations = checkCalls(made, expectedCalls(plan.script, GOAL), code);
  await endSurvivors(`TORTURE_ROUND=${path.basename(root)}`);
  if (violations.length === 0) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  return { plan, calls: made.length, killed, violations, root };
}

function worldIn(root: string, { script, workMs }: SupervisePlan) {
  const at = (name: string) => path.join(root, name);
  for (const name of ['home', 'bin', 'tmp', 'project/.tmp/task/loop']) mkdirSync(at(name), { recursive: true });
  for (const tool of [WORKER, REASONER]) {
    writeFileSync(at(`bin/${tool}`), `#!${process.execPath}\n${agentText()}`);
    chmodSync(at(`bin/${tool}`), 0o755);
  }
  const manifest = {
    task_id: 'loop',
    goal: GOAL,
    supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER }, max_iterations: 100, stall_after: 100 },
    budgets: { paid_call_budget: 200 },
  };
  writeFileSync(at('project/.tmp/task/loop/manifest.json'), JSON.stringify(manifest));
  writeFileSync(at('project/tollgate.yaml'), 'sessions: {rest_sec: 0}\n');
  const env = {
    PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    TORTURE_ROUND: path.basename(root),
    TORTURE_SEEN: at('seen'),
    TORTURE_SCRIPT: JSON.stringify(script),
    TORTURE_WORK_MS: String(workMs),
    NO_COLOR: '1',
  };
  return { project: at('project'), env, seen: at('seen') };
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

/** false where it had ended by itself by then. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
