// Strikes: the real commands, struck at the moments of a plan, then a run that nothing strikes, and a check of the result.

import { appendFileSync, existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isTemporary } from '../../loops/run/temporaries.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { COMMANDS, isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { isHalf } from '../../state/calls/call-register.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { faultEnv, faultShim } from '../../test/rig/fault-shim.ts';
import { randomFrom, whole } from '../random.ts';
import { dueIn, type Ended, endShown, isWell, type Started, start, strike } from './command.ts';
import { checkAlone, checkTask, registerOf, VIOLATIONS, type Violation } from './invariants.ts';
import { type Behaviour, DESCRIBED, DESCRIPTION, type Harm, type Plan, planOf, type Strike, wordsOf } from './plan.ts';
import { counted, kindOf, linesIn, readdirOr, sumOf, writeTask } from './rig.ts';
import { fakeWorld, realWorld, type World } from './world.ts';

export const STRIKES = kindOf({
  title: 'rounds',
  wrong: VIOLATIONS,
  async play(seed, n, agents) {
    const slowMs = whole(randomFrom('model', seed, n), 0, 1500);
    const world = agents === 'real' ? await realWorld(slowMs) : fakeWorld(n);
    const round = await playRound(planOf(seed, n, agents), world, agents);
    await world.close(round.violations.length === 0 ? 'removed' : 'kept');
    return round;
  },
  line: ({ plan, struck }) => `${plan.kind}, ${struck.join(', ')}`,
  more(rounds) {
    const sum = (name: 'runs' | 'granted' | 'started' | 'begun' | 'answered') => sumOf(rounds, (round) => round[name]);
    return [
      ...(faultShim() === null ? ['SKIPPED: no C compiler here, so no call of the system fails'] : []),
      `${sum('runs')} commands; calls: ${sum('granted')} granted, ${sum('started')} started, ${sum('begun')} seen by the service, ${sum('answered')} answered`,
      `struck: ${counted(rounds.flatMap(({ struck }) => struck))}`,
    ];
  },
});

/** Each of them costs one more call. */
const FAILING: readonly Behaviour[] = ['busy', 'hang', 'mute', 'dies'];

const TIMEOUT_MS = { fake: 4000, real: 60_000 };

export async function playRound(plan: Plan, world: World, agents: 'fake' | 'real') {
  const violations: Violation[] = [];
  const struck: string[] = [];
  const names = plan.kind === 'batch' ? ['a', 'b', 'c'] : ['a'];
  writeFileSync(path.join(world.project, 'ask.md'), 'Say hello.\n');
  if (plan.stages.some(({ tool }) => tool === DESCRIBED))
    writeFileSync(path.join(world.project, 'tollgate.yaml'), DESCRIPTION);
  for (const name of names) writeTask(world.project, name, manifestOf(plan, TIMEOUT_MS[agents]));
  let runs = 0;
  const ended = (one: Ended) => {
    runs += 1;
    if (one.hung || !((one.signal !== null && SIGNALS.includes(one.signal)) || isWell(one)))
      violations.push({ what: 'unwell', why: endShown(one) });
  };
  for (const { strike: struckBy, harm } of plan.strikes) {
    const beside = plan.kind === 'crowd' ? crowd(plan, world) : [];
    const injection = injected(struckBy, plan, world.project, path.join(world.root, `counted-${runs}`));
    const env = { ...world.behaving(plan.behaviours), ...injection.env };
    const running = start(commandOf(plan, names, runs), { ...world, env });
    const count = struckBy.how === 'signal' ? await signalled(struckBy, running, world) : 1;
    for (const one of [running, ...beside]) ended(await one.ended);
    if (count > 0 && injection.landed()) struck.push(strikeShown(struckBy));
    if (harm !== null) for (const name of names) HARMS[harm](taskOf(world, name), path.join(world.project, '.tmp'));
  }
  for (const name of names) ageTemporaries(taskOf(world, name));
  ageTemporaries(registerOf(world.env), isHalf);
  const last = await finish(plan, names, world);
  last.forEach(ended);
  const { command, code, stdout, stderr } = last.at(-1)!;
  if (code !== TOLLGATE_EXIT.ok)
    violations.push({
      what: 'unwell',
      why: `${command} exited ${code}: ${stderr.slice(-600)} ${stdout.slice(0, 1500)}`,
    });
  const seen = world.seen();
  const excused = plan.strikes.length + plan.behaviours.filter((each) => FAILING.includes(each)).length;
  const stages = plan.stages.map((stage, i) => ({ name: nameOf(plan, i), tool: stage.tool }));
  const checked =
    plan.kind === 'alone'
      ? [{ violations: checkAlone(world, seen), granted: 0, started: 0 }]
      : names.map((name) => checkTask(taskOf(world, name), { stages, excused }, seen, world));
  violations.push(...checked.flatMap((each) => each.violations), ...strangers(plan, names, world));
  for (const why of world.survivors()) violations.push({ what: 'survivors', why });
  return {
    ...{ plan, violations, root: world.root, runs, struck },
    begun: seen.filter(({ what }) => what === 'begun').length,
    answered: seen.filter(({ what }) => what === 'answered').length,
    granted: sumOf(checked, ({ granted }) => granted),
    started: sumOf(checked, ({ started }) => started),
  };
}

/** A shell gives the first three the numbers of exit codes of ours; before our first line the system decides. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'];

/** @returns how many processes got the signal. */
async function signalled(
  { signal, at, when: { after, ms } }: Extract<Strike, { how: 'signal' }>,
  running: Started,
  world: World,
): Promise<number> {
  const count = () => world.seen().filter(({ what }) => what === after).length;
  const before = count();
  if (after !== 'start') await dueIn(() => count() > before, running);
  return strike(running, { at, signal, afterMs: ms });
}

/** What happens to a task's state between two runs. @param tmp the project's `.tmp`. */
const HARMS: Record<Harm, (task: string, tmp: string) => void> = {
  half_line: (task) => append(journalIn(task), '{"v":1,"at":"2026-01-01T00:00:00.000Z","fact":"rese'),
  zero_bytes: (task) => append(journalIn(task), '\0'.repeat(512)),
  no_stats: (task) => rmSync(statsIn(task), { force: true }),
  empty_stats: (task) => existsSync(statsIn(task)) && writeFileSync(statsIn(task), ''),
  no_summary: (task) => rmSync(path.join(task, 'outputs/_summary.md'), { force: true }),
  no_queue: (_, tmp) => rmSync(path.join(tmp, 'state/trees'), { recursive: true, force: true }),
};

const journalIn = (task: string) => path.join(task, 'state/journal.jsonl');
const statsIn = (task: string) => path.join(task, 'state/stats.json');

function append(file: string, text: string): void {
  if (existsSync(file)) appendFileSync(file, text);
}

/** As if two hours had passed: a temporary file of a killed writer then has no owner. */
function ageTemporaries(folder: string, which: (name: string) => boolean = isTemporary): void {
  const old = new Date(Date.now() - 7_200_000);
  for (const name of readdirOr(folder, 'recursive').filter((name) => which(path.basename(name))))
    try {
      utimesSync(path.join(folder, name), old, old);
    } catch (error) {
      // A writer that still lives may rename it just now.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}

/**
 * What the strike needs in the environment; empty for a signal, and where the library cannot be built.
 * @param under the folder of the files.
 * @param log a new file outside of it, for the counted calls.
 * @returns `landed`: whether it has happened.
 */
function injected(strike: Strike, { kind, stages }: Plan, under: string, log: string) {
  if (strike.how === 'signal') return { env: {}, landed: () => true };
  const { tool = TOOLS[0] } = stages[0] ?? {};
  // tollgate itself calls a described one, as its dispatcher: the name is among the words.
  const wrapper = isBuiltIn(tool) ? `${COMMANDS[tool]}.cjs` : tool;
  const isWrapper = strike.at === 'guardian' || kind === 'wrapper' || kind === 'alone';
  const common = { in: isWrapper ? wrapper : 'tollgate.cjs', under, log };
  const nth = strike.how === 'clock' ? 1 : strike.nth;
  const env =
    strike.how === 'clock'
      ? faultEnv({ ...common, clockSeconds: strike.seconds })
      : faultEnv({ ...common, at: nth, does: strike.does });
  return { env, landed: () => countIn(log) >= nth };
}

/** The highest number of a call that any process made. */
const countIn = (log: string): number => Math.max(0, ...linesIn(log).map((line) => Number.parseInt(line, 10) || 0));

const taskOf = ({ project }: World, name: string) => path.join(project, '.tmp/task', name);

/** The default names of stages that the manifest does not name. */
const nameOf = ({ stages }: Plan, i: number): string => `s${i + 1}_${stages[i]!.role}`;

function manifestOf(plan: Plan, timeout_ms: number): object {
  const stages = plan.stages.map(({ tool, role }, i) => ({
    ...{ id: nameOf(plan, i), tool, role, requires: [], min_lines: 0, timeout_ms },
    ...(role === 'impl' ? { may_be_empty: true } : {}),
  }));
  return { stages, budgets: { paid_call_budget: plan.budget, retry_budget: 2 } };
}

function commandOf(plan: Plan, names: readonly string[], n = 0): string[] {
  if (plan.kind === 'wrapper' || plan.kind === 'alone') return wrapperOf(plan, n);
  return plan.kind === 'batch' ? ['tollgate', 'batch', ...names, '--concurrency', '2', ...FLAGS] : RUN;
}

const FLAGS = ['--json', '--retry-dirty', '--trust-workspace'];
const RUN = ['tollgate', 'run', 'a', ...FLAGS];

function wrapperOf({ kind, stages }: Plan, n: number): string[] {
  const files = ['--prompt-file', 'ask.md', '--out', `${n}.out`, '--err', `${n}.err`, '--result', `${n}.json`];
  const charge = kind === 'alone' ? [] : ['--task', 'a'];
  return [...wordsOf(stages[0]!.tool), ...files, ...charge, '--timeout-ms', `${TIMEOUT_MS.fake}`, '--trust-workspace'];
}

/** Four wrappers that share the budget. */
function crowd(plan: Plan, world: World): Started[] {
  const env = world.behaving(plan.behaviours);
  return [1, 2, 3, 4].map((n) => start(wrapperOf(plan, n), { ...world, env }));
}

/** Runs it to its end with agents that answer, or ends and settles calls without a task; raises a used-up budget, as its message says. */
async function finish(plan: Plan, names: readonly string[], world: World): Promise<Ended[]> {
  const run = (words: readonly string[]) => start(words, { ...world, env: world.behaving([]) }).ended;
  if (plan.kind === 'alone') return [await run(['tollgate', 'preflight', '--sweep', '--now', '--json'])];
  const last = plan.kind === 'batch' ? commandOf(plan, names) : RUN;
  const ends = [await run(last)];
  if (ends[0]!.code !== TOLLGATE_EXIT.failure || !ends[0]!.stdout.includes('"budget"')) return ends;
  for (const name of names)
    ends.push(await run(['tollgate', 'budget', name, '--set', `${ledgerOf(world, name).used + 4}`]));
  return [...ends, await run(last)];
}

const ledgerOf = (world: World, name: string) => openJournal(taskOf(world, name), () => new Date()).read().ledger;

/** Calls that the service saw and that are in no journal. */
function strangers({ kind }: Plan, names: readonly string[], world: World): Violation[] {
  if (kind === 'alone') return [];
  const known = new Set(names.flatMap((name) => [...ledgerOf(world, name).calls.keys()]));
  return world
    .seen()
    .filter(({ what, id }) => what === 'begun' && !known.has(id))
    .map(({ id }) => ({ what: 'lost', why: `the service saw ${id}, which no journal knows` }));
}

function strikeShown(strike: Strike): string {
  switch (strike.how) {
    case 'signal':
      return `${strike.signal} ${strike.at}`;
    case 'fault':
      return `${strike.does} in the ${strike.at}`;
    case 'clock':
      return `clock of the ${strike.at}`;
  }
}
