// Plays one round with sessions: its tasks one after another over fake agents that keep conversations, their dispatchers killed now and then.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { TOOLS } from '../../../policies/tools.ts';
import { endSurvivors } from '../../../test/rig/survivors.ts';
import { ANY_ANSWER } from '../../../test/rig/task-run.ts';
import { start } from '../command.ts';
import { checkTraces, type SessionViolation, tokenOf } from './invariants.ts';
import { FOLDERS, type SessionPlan, type SessionTask, sessionPlanOf } from './plan.ts';

export interface SessionRound {
  plan: SessionPlan;
  calls: number;
  /** Tasks that ended well. */
  done: number;
  killed: number;
  violations: SessionViolation[];
  /** Where it is kept, if it is bad. */
  root: string;
}

export async function playSessionRound(seed: number, n: number): Promise<SessionRound> {
  const plan = sessionPlanOf(seed, n);
  const root = mkdtempSync(path.join(tmpdir(), `torture-sessions-${n}-`));
  const at = (name: string) => path.join(root, name);
  for (const name of ['home', 'bin', 'tmp', 'project/inner']) mkdirSync(at(name), { recursive: true });
  for (const tool of TOOLS) {
    writeFileSync(at(`bin/${tool}`), `#!${process.execPath}\n${agentText()}`);
    chmodSync(at(`bin/${tool}`), 0o755);
  }
  writeFileSync(at('seen'), '');
  writeFileSync(at('project/tollgate.yaml'), 'sessions: {rest_sec: 0}\n');
  const marker = `TORTURE_ROUND=${path.basename(root)}`;
  const env = {
    PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: at('home'),
    TMPDIR: at('tmp'),
    TORTURE_ROUND: path.basename(root),
    TORTURE_SEEN: at('seen'),
    TORTURE_SCRIPT: plan.behaviours.join(' '),
    NO_COLOR: '1',
  };
  const calls = () => linesIn(at('seen')).length;
  const done = new Set<string>();
  let killed = 0;
  for (const task of plan.tasks) {
    writeTask(at('project'), plan, task);
    const run = () => start('tollgate', ['run', task.id, '--json', '--trust-workspace'], at('project'), env);
    if (task.killedAfterMs !== null) {
      const struck = run();
      for (const begun = calls(); calls() === begun && !struck.over(); ) await wait(5);
      await wait(task.killedAfterMs);
      for (const pid of struck.over() ? [] : await struck.find('dispatcher')) {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      }
      const { code, signal } = await struck.ended;
      // One that has ended by itself has said what to do, and nobody runs it again.
      if (signal === null) {
        if (code === 0) done.add(task.id);
        continue;
      }
    }
    if ((await run().ended).code === 0) done.add(task.id);
  }
  const traces = Object.fromEntries(
    FOLDERS.map((folder) => [folder, linesIn(path.join(at('project'), folder, 'trace'))]),
  ) as Record<SessionTask['cwd'], string[]>;
  const violations = checkTraces(plan.tasks, traces, done);
  const round = { plan, calls: calls(), done: done.size, killed, violations, root };
  await endSurvivors(marker);
  if (violations.length === 0) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  return round;
}

function writeTask(project: string, { tool }: SessionPlan, { id, cwd }: SessionTask): void {
  const folder = path.join(project, '.tmp/task', id);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    task_id: id,
    goal: `Do the work of ${tokenOf(id)} once.`,
    cwd,
    meta: { feature: 'shop' },
    stages: [{ tool, role: 'impl', access: 'full', ...ANY_ANSWER }],
  };
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
}

const linesIn = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

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
