// Plays a supervised round: its processes are killed at random, the user writes notes, and it restarts until the task is done.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunReport } from '../../../loops/run/report.ts';
import type { JournalLine } from '../../../state/journal/facts.ts';
import { endSurvivors } from '../../../test/rig/survivors.ts';
import { type Started, start } from '../command.ts';
import { kill, tallyOf } from '../rig.ts';
import { checkSupervised, type SuperviseViolation } from './invariants.ts';
import { type SupervisePlan, type SuperviseStrike, supervisePlanOf } from './plan.ts';
import { type SeenCall, seenCalls } from './seen.ts';
import { GOAL, type SuperviseWorld, superviseWorld } from './world.ts';

export interface SuperviseRound {
  plan: SupervisePlan;
  calls: readonly SeenCall[];
  /** The strikes that hit, in words. */
  struck: string[];
  notes: number;
  starts: number;
  violations: SuperviseViolation[];
  root: string;
}

/** More starts than strikes, saved sessions and questions can require. */
const MAX_STARTS = 30;

export async function playSuperviseRound(seed: number, n: number): Promise<SuperviseRound> {
  const plan = supervisePlanOf(seed, n);
  const world = superviseWorld(plan);
  const { root } = world;
  const run = (words: string[]) => start('tollgate', words, world.project, world.env, 120_000);
  const struck: string[] = [];
  let notes = 0;
  const say = async () => {
    notes += 1;
    await run(['answer', 'loop', `say ${notes}`, '--later']).ended;
  };
  let code: number | null = null;
  let starts = 0;
  for (; starts < MAX_STARTS && code !== 0; starts += 1) {
    // A saved run is refused in a tree that an agent changed later; a user who starts it again would look, and give this flag.
    const running = run(['supervise', 'loop', '--json', '--accept-tree']);
    const noteMs = plan.notes[starts] ?? null;
    const noted = noteMs === null ? null : wait(noteMs).then(say);
    const strike = plan.strikes[starts];
    if (strike !== undefined && (await hit(running, strike))) struck.push(`${strike.signal} ${strike.at}`);
    const ended = await running.ended;
    await noted;
    code = ended.code;
    if (isParked(ended.stdout)) await say();
  }
  await endSurvivors(world.marker);
  const { calls, ...left } = leftIn(world);
  const stopped = struck.some((one) => one.startsWith('SIGINT') || one.endsWith('guardian'));
  const violations = checkSupervised(GOAL, { ...left, calls, stopped, code });
  if (violations.length === 0) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  return { plan, calls: [...calls.values()], struck, notes, starts, violations, root };
}

/** @returns false if all processes had ended by then. */
async function hit(running: Started, { at, signal, afterMs }: SuperviseStrike): Promise<boolean> {
  await Promise.race([wait(afterMs), running.ended]);
  while (!running.over()) {
    const pids = await running.find(at);
    if (pids.length > 0) return pids.map((pid) => kill(pid, signal)).includes(true);
    // Between two calls there is no guardian, and no agent.
    await wait(5);
  }
  return false;
}

function isParked(stdout: string): boolean {
  try {
    return (JSON.parse(stdout) as RunReport).supervision?.how === 'parked';
  } catch {
    return false;
  }
}

function leftIn({ task, seen }: SuperviseWorld) {
  const texts = path.join(task, 'state/supervise');
  return {
    calls: seenCalls(seen),
    lines: readFileSync(path.join(task, 'state/journal.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as JournalLine),
    texts: new Map(
      readdirSync(texts).map((name) => [path.basename(name, '.md'), readFileSync(path.join(texts, name), 'utf8')]),
    ),
  };
}

/** Reports the result of supervised rounds in words. */
export function superviseTold(rounds: readonly SuperviseRound[], asked: number): string {
  const { sum, found, cut, bad } = tallyOf(rounds, asked);
  const said = (how: string) => sum(({ calls }) => calls.filter((call) => call.said?.how === how).length);
  const hits = rounds.flatMap(({ struck }) => struck);
  const byTarget = [...new Set(hits)].sort().map((one) => `${hits.filter((hit) => hit === one).length} ${one}`);
  return [
    `${rounds.length} supervised rounds${cut}, ${bad} bad: ${found('course')} off the document's table (paid twice, skipped, or told something else), ${found('twice')} answers that counted for nothing, ${found('undone')} not brought to their end`,
    `${sum(({ calls }) => calls.length)} calls in ${sum(({ starts }) => starts)} runs; killed: ${byTarget.join(', ') || 'nothing'}`,
    `the reasoner: ${said('fails')} failed, ${said('garbage')} without an answer, ${said('continue')} instructions, ${said('no_op')} no_op, ${said('refused')} done not believed, ${said('ask')} questions, ${said('save_session')} saved; ${sum(({ notes }) => notes)} notes of people`,
  ].join('\n');
}
