// Plays one round: the real commands, struck at the planned moments, then a run that nothing strikes, and a check of the result.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT_BY_SIGNAL, OWN_EXIT, TOLLGATE_EXIT, WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { isHalf } from '../../state/calls/call-register.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { checkAlone, registerOf, sweep } from './alone.ts';
import { type Ended, type Started, start } from './command.ts';
import { DESCRIBED, DESCRIPTION, wordsOf } from './described.ts';
import { type Checked, checkTask, type Violation } from './invariants.ts';
import type { Behaviour, Plan, Strike } from './plan.ts';
import { ageTemporaries, harm, injected, signalAt } from './strike.ts';
import type { World } from './world.ts';

export interface Round {
  plan: Plan;
  violations: Violation[];
  /** The commands that were started. */
  runs: number;
  /** Calls that the service saw, that it answered, that were reserved, and those of them that were noted as started. */
  begun: number;
  answered: number;
  granted: number;
  started: number;
  struck: string[];
  ms: number;
}

/** Each of them requires one more call. */
const FAILING: readonly Behaviour[] = ['busy', 'hang', 'mute', 'dies'];

const TIMEOUT_MS = { fake: 4000, real: 60_000 };

export async function playRound(plan: Plan, world: World, agents: 'fake' | 'real'): Promise<Round> {
  const began = process.hrtime.bigint();
  const violations: Violation[] = [];
  const struck: string[] = [];
  const names = plan.kind === 'batch' ? ['a', 'b', 'c'] : ['a'];
  writeFileSync(path.join(world.project, 'ask.md'), 'Say hello.\n');
  if (plan.stages.some(({ tool }) => tool === DESCRIBED))
    writeFileSync(path.join(world.project, 'tollgate.yaml'), DESCRIPTION);
  for (const name of names) writeTask(plan, name, world, TIMEOUT_MS[agents]);
  let runs = 0;
  const ended = (one: Ended) => {
    runs += 1;
    violations.push(...exitMistakes(one));
  };
  for (const { strike, harm: harmed } of plan.strikes) {
    const began = plan.kind === 'crowd' ? crowd(plan, world) : [];
    const injection = injected(strike, plan, world.project, path.join(world.root, `counted-${runs}`));
    const env = { ...world.behaving(plan.behaviours), ...injection.env };
    const running = start(...commandOf(plan, names, runs), world.project, env);
    const count = strike.how === 'signal' ? await signalAt(strike, running, world) : 1;
    for (const one of [running, ...began]) ended(await one.ended);
    if (count > 0 && injection.landed()) struck.push(wordsFor(strike));
    for (const name of names) if (harmed !== null) harm(harmed, taskOf(world, name), path.join(world.project, '.tmp'));
  }
  for (const name of names) ageTemporaries(taskOf(world, name));
  ageTemporaries(registerOf(world), isHalf);
  const last = plan.kind === 'alone' ? [await sweep(world)] : await finish(plan, names, world);
  last.forEach(ended);
  violations.push(...wellness(last.at(-1)!));
  const seen = world.seen();
  if (plan.kind === 'alone') violations.push(...checkAlone(world, seen));
  const excused = plan.strikes.length + plan.behaviours.filter((each) => FAILING.includes(each)).length;
  const stages = plan.stages.map((stage, i) => ({ name: nameOf(plan, i), tool: stage.tool }));
  const checked = (plan.kind === 'alone' ? [] : names).map((name) =>
    checkTask(taskOf(world, name), { stages, excused }, seen, world),
  );
  violations.push(...checked.flatMap((each) => each.violations), ...strangers(plan, names, world));
  for (const { pid, command } of world.survivors())
    violations.push({ what: 'survivors', why: `${pid} ${command.slice(0, 120)}` });
  const sum = (of: (each: Checked) => number) => checked.reduce((total, each) => total + of(each), 0);
  return {
    plan,
    violations,
    runs,
    begun: seen.filter(({ what }) => what === 'begun').length,
    answered: seen.filter(({ what }) => what === 'answered').length,
    granted: sum(({ granted }) => granted),
    started: sum(({ started }) => started),
    struck,
    ms: Number(process.hrtime.bigint() - began) / 1e6,
  };
}

const taskOf = ({ project }: World, name: string) => path.join(project, '.tmp/task', name);

/** The default names of stages that the manifest does not name. */
const nameOf = ({ stages }: Plan, i: number): string => `s${i + 1}_${stages[i]!.role}`;

function writeTask(plan: Plan, name: string, world: World, timeoutMs: number): void {
  const folder = taskOf(world, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stages = plan.stages.map(({ tool, role }, i) => ({
    id: nameOf(plan, i),
    tool,
    role,
    requires: [],
    min_lines: 0,
    timeout_ms: timeoutMs,
    ...(role === 'impl' ? { may_be_empty: true } : {}),
  }));
  const manifest = {
    task_id: name,
    goal: 'Find out.',
    stages,
    budgets: { paid_call_budget: plan.budget, retry_budget: 2 },
  };
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
}

function commandOf(plan: Plan, names: readonly string[], n = 0): [command: string, argv: string[]] {
  switch (plan.kind) {
    case 'batch':
      return ['tollgate', ['batch', ...names, '--concurrency', '2', '--json', ...FLAGS]];
    case 'wrapper':
    case 'alone':
      return wrapperOf(plan, n);
    default:
      return ['tollgate', ['run', names[0]!, '--json', ...FLAGS]];
  }
}

const FLAGS = ['--retry-dirty', '--trust-workspace'];

function wrapperOf({ kind, stages }: Plan, n: number, timeoutMs = TIMEOUT_MS.fake): [command: string, argv: string[]] {
  const { tool } = stages[0]!;
  const files = ['--prompt-file', 'ask.md', '--out', `${n}.out`, '--err', `${n}.err`, '--result', `${n}.json`];
  const charge = kind === 'alone' ? [] : ['--task', 'a'];
  const [command, ...words] = wordsOf(tool);
  return [command, [...words, ...files, ...charge, '--timeout-ms', `${timeoutMs}`, '--trust-workspace']];
}

/** Four wrappers that share the budget. */
function crowd(plan: Plan, world: World): Started[] {
  const env = world.behaving(plan.behaviours);
  return [1, 2, 3, 4].map((n) => start(...wrapperOf(plan, n), world.project, env));
}

/** Runs it to its end with agents that answer; raises a budget that is used up, as its message says. */
async function finish(plan: Plan, names: readonly string[], world: World): Promise<Ended[]> {
  const env = world.behaving([]);
  const run: [string, string[]] =
    plan.kind === 'batch' ? commandOf(plan, names) : ['tollgate', ['run', 'a', '--json', ...FLAGS]];
  const first = await start(...run, world.project, env).ended;
  if (first.code !== TOLLGATE_EXIT.failure || !first.stdout.includes('"budget"')) return [first];
  const more: Ended[] = [];
  for (const name of names) {
    const { used } = openJournal(taskOf(world, name), () => new Date()).read().ledger;
    more.push(await start('tollgate', ['budget', name, '--set', `${used + 4}`], world.project, env).ended);
  }
  return [first, ...more, await start(...run, world.project, env).ended];
}

function wellness({ command, code, stdout, stderr }: Ended): Violation[] {
  if (code === TOLLGATE_EXIT.ok) return [];
  return [{ what: 'unwell', why: `${command} exited ${code}: ${stderr.slice(-600)} ${stdout.slice(0, 1500)}` }];
}

/**
 * A shell reports the first three by the same numbers as tollgate's exit codes. Before the command's first line the system
 * decides.
 */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'];

const PUBLISHED = new Set<number>([
  ...Object.values(TOLLGATE_EXIT),
  ...Object.values(EXIT_BY_SIGNAL),
  ...Object.values(OWN_EXIT),
  ...Object.values(WRAPPER_EXIT).flatMap((codes) => Object.values(codes).filter((code) => code !== null)),
]);

/** A command that was not killed ends with a published code and without a stack trace. */
function exitMistakes({ command, code, signal, stderr }: Ended): Violation[] {
  const isHung = stderr.includes('TORTURE: still ran');
  if (
    !isHung &&
    ((signal !== null && SIGNALS.includes(signal)) ||
      (code !== null && PUBLISHED.has(code) && !stderr.includes('bug of tollgate')))
  )
    return [];
  return [{ what: 'unwell', why: `${command} ended with ${signal ?? code}: ${stderr.slice(-800)}` }];
}

/** Calls that the service saw and that are in no journal. */
function strangers({ kind }: Plan, names: readonly string[], world: World): Violation[] {
  if (kind === 'alone') return [];
  const known = new Set(
    names.flatMap((name) => [
      ...openJournal(taskOf(world, name), () => new Date())
        .read()
        .ledger.calls.keys(),
    ]),
  );
  return world
    .seen()
    .filter(({ what, id }) => what === 'begun' && !known.has(id))
    .map(({ id }) => ({ what: 'lost', why: `the service saw ${id}, which no journal knows` }));
}

function wordsFor(strike: Strike): string {
  switch (strike.how) {
    case 'signal':
      return `${strike.signal} ${strike.at}`;
    case 'fault':
      return `${strike.does} in the ${strike.at}`;
    case 'clock':
      return `clock of the ${strike.at}`;
  }
}
