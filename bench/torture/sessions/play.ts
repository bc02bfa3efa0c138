// Plays a round with sessions: its tasks one after another, over agents that keep conversations; some dispatchers are killed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ANY_ANSWER } from '../../../test/rig/task-run.ts';
import { start } from '../command.ts';
import { kill, tallyOf } from '../rig.ts';
import { checkTraces, type SessionViolation, tokenOf } from './invariants.ts';
import { FOLDERS, type SessionPlan, type SessionTask, sessionPlanOf } from './plan.ts';
import { fakeSessionWorld, realSessionWorld } from './world.ts';

export interface SessionRound {
  plan: SessionPlan;
  calls: number;
  /** Tasks that ended well. */
  done: number;
  killed: number;
  violations: SessionViolation[];
  /** The folder in which a bad round is kept. */
  root: string;
}

/** @param agents the real ones are slower: a dispatcher is struck later by the same factor. */
export async function playSessionRound(seed: number, n: number, agents: keyof typeof WORLDS): Promise<SessionRound> {
  const plan = sessionPlanOf(seed, n);
  const { slower, limitMs, worldOf } = WORLDS[agents];
  const world = await worldOf(plan);
  const { project, env, calls } = world;
  mkdirSync(path.join(project, 'inner'), { recursive: true });
  writeFileSync(path.join(project, 'tollgate.yaml'), 'sessions: {rest_sec: 0}\n');
  const done = new Set<string>();
  let killed = 0;
  for (const task of plan.tasks) {
    writeTask(project, plan, task);
    const run = () => start('tollgate', ['run', task.id, '--json', '--trust-workspace'], project, env, limitMs);
    if (task.killedAfterMs !== null) {
      const struck = run();
      for (const begun = calls(); calls() === begun && !struck.over(); ) await wait(5);
      await wait(task.killedAfterMs * slower);
      for (const pid of struck.over() ? [] : await struck.find('dispatcher')) {
        if (kill(pid)) killed += 1;
      }
      const { code, signal } = await struck.ended;
      // A dispatcher that ended by itself has reported what to do, and is not run again.
      if (signal === null) {
        if (code === 0) done.add(task.id);
        continue;
      }
    }
    if ((await run().ended).code === 0) done.add(task.id);
  }
  const traces = Object.fromEntries(
    FOLDERS.map((folder) => [folder, linesIn(path.join(project, folder, 'trace'))]),
  ) as Record<SessionTask['cwd'], string[]>;
  const violations = checkTraces(plan.tasks, traces, done);
  const round = { plan, calls: calls(), done: done.size, killed, violations, root: project };
  await world.close(violations.length === 0 ? 'removed' : 'kept');
  return round;
}

const WORLDS = {
  fake: { slower: 1, limitMs: 90_000, worldOf: fakeSessionWorld },
  real: { slower: 10, limitMs: 300_000, worldOf: realSessionWorld },
} as const;

function writeTask(project: string, { tool }: SessionPlan, { id, cwd }: SessionTask): void {
  const folder = path.join(project, '.tmp/task', id);
  mkdirSync(folder, { recursive: true });
  const manifest = {
    task_id: id,
    goal: `Do the work of ${tokenOf(id)} once.`,
    cwd,
    meta: { feature: 'shop' },
    // The model is named, since gemini calls a router first otherwise.
    stages: [{ tool, role: 'impl', access: 'full', model: 'gemini-2.5-flash', ...ANY_ANSWER }],
  };
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
}

const linesIn = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

/** Reports the result of rounds with sessions in words. */
export function sessionsTold(rounds: readonly SessionRound[], asked: number, agents: 'fake' | 'real'): string {
  const { sum, found, cut, bad } = tallyOf(rounds, asked);
  return [
    `${rounds.length} rounds with ${agents} agents${cut}, ${bad} bad: ${found('twice')} tools run twice, ${found('elsewhere')} in another tree, ${found('undone')} done without their tool`,
    `${sum(({ plan }) => plan.tasks.length)} tasks, ${sum(({ done }) => done)} done, ${sum(({ calls }) => calls)} ${agents === 'fake' ? 'calls' : 'requests'}, ${sum(({ killed }) => killed)} dispatchers killed`,
  ].join('\n');
}
