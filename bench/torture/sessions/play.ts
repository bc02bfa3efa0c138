// Plays a round with sessions: its tasks one after another, over agents that keep conversations; some dispatchers are killed.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ANY_ANSWER } from '../../../test/rig/task-run.ts';
import { dueIn, start, strike } from '../command.ts';
import { kindOf, linesIn, sumOf, type Violation, writeTask } from '../rig.ts';
import { type SessionTask, sessionPlanOf } from './plan.ts';
import { fakeSessionWorld, realSessionWorld } from './world.ts';

const WRONG = { twice: 'tools run twice', elsewhere: 'in another tree', undone: 'done without their tool' };

export const SESSIONS = kindOf({
  title: 'rounds with sessions',
  wrong: WRONG,
  play: playSessionRound,
  line: ({ plan, calls, done }) => `${plan.tool}, ${calls} calls, ${done} done: ${plan.behaviours.join(' ')}`,
  more(rounds) {
    const sum = (name: 'done' | 'calls' | 'killed') => sumOf(rounds, (round) => round[name]);
    const tasks = sumOf(rounds, ({ plan }) => plan.tasks.length);
    return [`${tasks} tasks, ${sum('done')} done, ${sum('calls')} calls, ${sum('killed')} dispatchers killed`];
  },
});

/** @param agents the real ones are slower: a dispatcher is struck later by the same factor. */
export async function playSessionRound(seed: number, n: number, agents: keyof typeof WORLDS) {
  const plan = sessionPlanOf(seed, n);
  const { slower, limitMs, worldOf } = WORLDS[agents];
  const world = await worldOf(plan);
  const { project, calls } = world;
  mkdirSync(path.join(project, 'inner'), { recursive: true });
  writeFileSync(path.join(project, 'tollgate.yaml'), 'sessions: {rest_sec: 0}\n');
  const done = new Set<string>();
  let killed = 0;
  for (const { id, cwd, killedAfterMs } of plan.tasks) {
    // Named, since gemini has a router choose otherwise.
    const stage = { tool: plan.tool, role: 'impl', access: 'full', model: 'gemini-2.5-flash', ...ANY_ANSWER };
    const goal = `Do the work of ${tokenOf(id)} once.`;
    writeTask(project, id, { goal, cwd, meta: { feature: 'shop' }, stages: [stage] });
    const run = () => start(['tollgate', 'run', id, '--json', '--trust-workspace'], world, limitMs);
    if (killedAfterMs !== null) {
      const struck = run();
      const before = calls();
      await dueIn(() => calls() > before, struck);
      killed += await strike(struck, { at: 'dispatcher', afterMs: killedAfterMs * slower });
      const { code, signal } = await struck.ended;
      // One that ended by itself said what to do, and is not run again.
      if (signal === null) {
        if (code === 0) done.add(id);
        continue;
      }
    }
    if ((await run().ended).code === 0) done.add(id);
  }
  const tracesOf = (folder: string) => linesIn(path.join(project, folder, 'trace'));
  const violations = checkTraces(plan.tasks, { '.': tracesOf('.'), inner: tracesOf('inner') }, done);
  const round = { plan, calls: calls(), done: done.size, killed, violations, root: project };
  await world.close(violations.length === 0 ? 'removed' : 'kept');
  return round;
}

const WORLDS = {
  fake: { slower: 1, limitMs: 90_000, worldOf: fakeSessionWorld },
  real: { slower: 10, limitMs: 300_000, worldOf: realSessionWorld },
} as const;

/** What must be true of the traces of the tools, whatever struck their round. @param traces of each folder, a token a line. @param done the tasks that ended well. */
export function checkTraces(
  tasks: readonly SessionTask[],
  traces: Readonly<Record<SessionTask['cwd'], readonly string[]>>,
  done: ReadonlySet<string>,
): Violation<keyof typeof WRONG>[] {
  return tasks.flatMap(({ id, cwd }) => {
    const found: Violation<keyof typeof WRONG>[] = [];
    const token = tokenOf(id);
    const all = Object.entries(traces).flatMap(([folder, lines]) =>
      lines.filter((line) => line === token).map(() => folder),
    );
    if (all.length > 1) found.push({ what: 'twice', why: `${token} in ${all.join(' and ')}` });
    const strange = all.find((folder) => folder !== cwd);
    if (strange !== undefined) found.push({ what: 'elsewhere', why: `${token} of ${cwd} in ${strange}` });
    if (done.has(id) && all.length === 0) found.push({ what: 'undone', why: `${id} is done without its ${token}` });
    return found;
  });
}

/** In the goal of the task, and in the trace once its tool has run. */
const tokenOf = (id: string): string => `TOKEN-${id}`;
