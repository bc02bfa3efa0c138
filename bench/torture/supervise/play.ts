// Plays one supervised round: its processes are killed at random moments, people say something, and it is started again until the task is done.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunReport } from '../../../loops/run/report.ts';
import type { JournalLine } from '../../../state/journal/facts.ts';
import { isJson } from '../../../test/rig/is-json.ts';
import { start, strike } from '../command.ts';
import { agentOf, counted, kindOf, linesIn, makePlace, readdirOr, sumOf, textOr, writeTask } from '../rig.ts';
import type { Seen } from './agent.ts';
import { checkSupervised, type SeenCall, WRONG } from './invariants.ts';
import { type SupervisePlan, supervisePlanOf } from './plan.ts';

export const SUPERVISE = kindOf({
  title: 'supervised rounds',
  wrong: WRONG,
  play: playSuperviseRound,
  line: ({ plan, calls, struck }) => `${calls.length} calls, ${struck.join(', ')}: ${plan.script.join(' ')}`,
  more(rounds) {
    const calls = rounds.flatMap((round) => round.calls);
    const said = (how: string) => calls.filter((call) => call.said?.how === how).length;
    return [
      `${calls.length} calls in ${sumOf(rounds, ({ starts }) => starts)} runs; killed: ${counted(rounds.flatMap(({ struck }) => struck))}`,
      `the reasoner: ${said('fails')} failed, ${said('garbage')} without an answer, ${said('continue')} instructions, ${said('no_op')} no_op, ${said('refused')} done not believed, ${said('ask')} questions, ${said('save_session')} saved; ${sumOf(rounds, ({ notes }) => notes)} notes of people`,
    ];
  },
});

/** More starts than strikes, saved sessions and questions can need. */
const MAX_STARTS = 30;

const GOAL = 'Task A';
const [WORKER, REASONER] = ['codex', 'gemini'] as const;

export async function playSuperviseRound(seed: number, n: number) {
  const plan = supervisePlanOf(seed, n);
  const place = makeWorld(plan);
  const run = (...words: string[]) => start(['tollgate', ...words], place, 120_000);
  const struck: string[] = [];
  let notes = 0;
  const say = async () => {
    notes += 1;
    await run('answer', 'loop', `say ${notes}`, '--later').ended;
  };
  let code: number | null = null;
  let starts = 0;
  for (; starts < MAX_STARTS && code !== 0; starts += 1) {
    // A tree that an agent changed after a session was saved is refused; a person would look, and then say this.
    const running = run('supervise', 'loop', '--json', '--accept-tree');
    const noteMs = plan.notes[starts] ?? null;
    const noted = noteMs === null ? null : wait(noteMs).then(say);
    const one = plan.strikes[starts];
    // Between two calls there is no guardian, and no agent.
    if (one !== undefined && (await strike(running, one, 5)) > 0) struck.push(`${one.signal} ${one.at}`);
    const ended = await running.ended;
    await noted;
    code = ended.code;
    if (isParked(ended.stdout)) await say();
  }
  const task = path.join(place.project, '.tmp/task/loop');
  const texts = path.join(task, 'state/supervise');
  await place.close('kept');
  const calls = seenCalls(place.at('seen'));
  const violations = checkSupervised(GOAL, {
    ...{ calls, code },
    lines: wholeLines<JournalLine>(path.join(task, 'state/journal.jsonl')),
    texts: new Map(readdirOr(texts).map((name) => [path.basename(name, '.md'), textOr(path.join(texts, name))])),
    stopped: struck.some((one) => one.startsWith('SIGINT') || one.endsWith('guardian')),
  });
  if (violations.length === 0) await place.close('removed');
  return { plan, calls: [...calls.values()], struck, notes, starts, violations, root: place.root };
}

/** A project in git, a task with a scope and an acceptance command, and agents on the PATH. */
function makeWorld({ n, script, workMs }: SupervisePlan) {
  const agent = agentOf(path.join(import.meta.dirname, 'agent.ts'));
  const place = makePlace(`torture-supervise-${n}`, { [WORKER]: agent, [REASONER]: agent });
  const { project, at } = place;
  spawnSync('git', ['init', '--quiet', project]);
  writeTask(project, 'loop', {
    goal: GOAL,
    supervise: { worker: { tool: WORKER }, reasoner: { tool: REASONER }, max_iterations: 100, stall_after: 100 },
    acceptance: { commands: [`test ! -e '${at('red')}'`] },
    scope: { allow: ['src/**'] },
    budgets: { paid_call_budget: 200, retry_budget: 0 },
  });
  place.write('project/tollgate.yaml', 'sessions: {rest_sec: 0}\n');
  const more = { TORTURE_RED: at('red'), TORTURE_SCRIPT: JSON.stringify(script), TORTURE_WORK_MS: String(workMs) };
  return { ...place, env: { ...place.env, ...more } };
}

const isParked = (stdout: string): boolean =>
  isJson(stdout) && (JSON.parse(stdout) as RunReport | null)?.supervision?.how === 'parked';

/** A killed agent may leave half a line. */
const wholeLines = <Line>(file: string): Line[] =>
  linesIn(file).flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Line] : []));

function seenCalls(file: string): Map<string, SeenCall> {
  const calls = new Map<string, SeenCall>();
  for (const seen of wholeLines<Seen>(file)) {
    const { call_id } = seen;
    if (seen.what === 'asked') calls.set(call_id, { part: seen.part, text: seen.text, said: null, answered: false });
    else if (seen.what === 'says') calls.get(call_id)!.said = seen.said;
    else calls.get(call_id)!.answered = true;
  }
  return calls;
}
