// Plays one round of sabotage: the real commands, agents that replace files during their calls, and the same task run again.

import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { PEAK_KIB } from '../../figures/world.ts';
import { start } from '../command.ts';
import { kindOf, readdirOr, sumOf, textOr } from '../rig.ts';
import {
  type Command,
  type Done,
  type Evidence,
  fileTable,
  idOf,
  journalLines,
  originalsOf,
  personFiles,
} from './evidence.ts';
import { INVARIANTS, violationsOf } from './invariants.ts';
import { placeOf } from './places.ts';
import { type Act, PROBES, type SabotagePlan, sabotagePlanOf } from './plan.ts';
import { replaceBy } from './replace.ts';
import { type Caller, type SabotageWorld, type Seen, sabotageWorld } from './world.ts';

export const SABOTAGE = kindOf({
  title: 'rounds of sabotage',
  wrong: Object.fromEntries(Object.keys(INVARIANTS).map((name) => [name, name])),
  play: playSabotageRound,
  line: ({ plan, acts }) => `${plan.kind}: ${acts.join('; ') || 'nothing was done'}`,
  more(rounds) {
    const replaced = sumOf(rounds, ({ evidence }) => evidence.done.filter(({ place }) => place !== null).length);
    const commands = sumOf(rounds, ({ evidence }) => evidence.commands.length);
    const calls = sumOf(rounds, ({ evidence }) => evidence.seen.filter(({ what }) => what === 'begun').length);
    return [`${replaced} things replaced; ${commands} commands, ${calls} calls seen by the service`];
  },
});

export async function playSabotageRound(seed: number, n: number) {
  const plan = sabotagePlanOf(seed, n);
  const world = sabotageWorld(plan);
  const { root, project } = world;
  const evidence = await playSabotage(plan, world);
  const violations = violationsOf(evidence, world);
  await world.close(violations.length === 0 ? 'removed' : 'kept');
  if (violations.length > 0) {
    const said = evidence.commands.map(
      ({ as, command, code, signal, stdout, stderr }) =>
        `$ ${command} (${as}): ${signal ?? code}\n${stdout}\n${stderr}`,
    );
    world.write('commands.txt', said.join('\n\n'));
  }
  return { plan, evidence, acts: evidence.done.map((done) => actShown(done, project)), violations, root };
}

const actShown = ({ act, place }: Done, project: string): string =>
  `${act.target} (${place === null ? 'nothing there' : path.relative(project, place)}) by ${act.by}, ${act.caller} ${act.moment}, salt ${act.salt}`;

/** A command that takes longer hangs, and is killed by its pid. */
const LIMIT_MS = 60_000;
const FLAGS = ['--retry-dirty', '--trust-workspace'];

async function playSabotage(plan: SabotagePlan, world: SabotageWorld): Promise<Evidence> {
  const commands: Command[] = [];
  const done: Done[] = [];
  const before = personFiles(world);
  const run = async (as: Command['as'], argv: readonly string[], env: Record<string, string> = {}) => {
    const command = await ended(as, argv, env, world);
    commands.push(command);
  };
  for (const name of plan.failedBefore)
    await run('before', ['tollgate', 'run', name, '--json', ...FLAGS], {
      SABOTAGE_FAILS: Object.values(plan.tools).join(' '),
    });
  const main = run('main', mainOf(plan), { SABOTAGE_GATES: world.gates });
  await keepGates(plan, world, main, done, () =>
    Promise.all(plan.during.map((probe) => run('during', ['tollgate', ...PROBES[probe]]))),
  );
  const afterMain = fileTable(world.root);
  for (const act of plan.acts.filter(({ moment }) => moment === 'between'))
    done.push(await carryOut(act, world, null, done));
  for (const probe of plan.afterwards) await run('afterwards', ['tollgate', ...PROBES[probe]]);
  for (const name of ['b', 'a']) await run('rerun', ['tollgate', 'run', name, '--json', ...FLAGS]);
  return {
    plan,
    done,
    commands,
    seen: world.seen(),
    person: { before, after: personFiles(world) },
    files: { main: afterMain, end: fileTable(world.root) },
    ran: existsSync(world.ran),
    survivors: world.survivors(),
  };
}

function mainOf({ kind, tools }: SabotagePlan): string[] {
  if (kind === 'batch') return ['tollgate', 'batch', 'a', 'b', '--concurrency', '2', '--json', ...FLAGS];
  if (kind === 'run') return ['tollgate', 'run', 'a', '--json', ...FLAGS];
  const files = ['--prompt-file', 'rules.md', '--out', 'w.out', '--err', 'w.err', '--result', 'w.json'];
  return [ADAPTERS[tools.first].command, ...files, '--task', 'a', '--timeout-ms', '20000', '--trust-workspace'];
}

async function ended(
  as: Command['as'],
  words: readonly string[],
  env: Record<string, string>,
  { at, write, project, env: usual }: SabotageWorld,
): Promise<Command> {
  // Each process writes the most memory that it held, in KiB, as it ends.
  const name = `memory-${process.hrtime.bigint()}`;
  const file = `${JSON.stringify(`${at(name)}/`)} + process.pid`;
  write(
    `${name}/hook.cjs`,
    `process.on('exit', () => { try { require('node:fs').writeFileSync(${file}, String(${PEAK_KIB})) } catch {} })`,
  );
  const all = { ...usual, ...env, NODE_OPTIONS: `--require ${JSON.stringify(at(`${name}/hook.cjs`))}` };
  const one = await start(words, { project, env: all }, LIMIT_MS).ended;
  const pids = readdirOr(at(name)).filter((file) => file !== 'hook.cjs');
  const kib = pids.map((pid) => Number(textOr(at(`${name}/${pid}`))));
  return { ...one, as, maxRssMib: Math.max(0, ...kib) / 1024 };
}

/** Lets each agent go on from step to step, and does before what its plan says. */
async function keepGates(
  plan: SabotagePlan,
  world: SabotageWorld,
  main: Promise<void>,
  done: Done[],
  during: () => Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const over = main.finally(() => {
    isOver = true;
  });
  const held: number[] = [];
  const late: Promise<void>[] = [];
  const met = new Set<Act>();
  const callerOf = (seen: Seen) =>
    (Object.keys(plan.tools) as Caller[]).find((caller) => plan.tools[caller] === seen.tool);
  for (let next = world.seen().length; !isOver; ) {
    const seen = world.seen()[next];
    if (seen === undefined) {
      await Promise.race([pause(4), over]);
      continue;
    }
    next += 1;
    const due = plan.acts.filter((act) => !met.has(act) && act.caller === callerOf(seen));
    for (const act of due.filter(({ moment }) => moment === seen.what)) {
      met.add(act);
      done.push(await carryOut(act, world, seen.id, done));
    }
    if (due.some(({ moment }) => moment === seen.what)) await during();
    held.push(letOn(path.join(world.gates, `${seen.id}.${seen.what}`)));
    for (const act of due.filter(({ moment }) => moment === 'late' && seen.what === 'answered')) {
      met.add(act);
      late.push(pause(act.salt % 80).then(async () => void done.push(await carryOut(act, world, seen.id, done))));
    }
  }
  await Promise.all([over, ...late]);
  held.forEach(closeSync);
}

/** Open for both ends, so it does not wait; it stays open until the agent has read. */
function letOn(gate: string): number {
  const fd = openSync(gate, constants.O_RDWR | constants.O_NONBLOCK);
  writeSync(fd, 'on\n');
  return fd;
}

async function carryOut(act: Act, world: SabotageWorld, call: string | null, earlier: readonly Done[]): Promise<Done> {
  const standing = earlier.flatMap(({ place, intruder }) =>
    place !== null && intruder !== null && idOf(place) === intruder ? [`${place}/`] : [],
  );
  // A file in a folder that an agent put there is the agent's.
  const originals = new Map(
    [...originalsOf(world)].filter(([file]) => !standing.some((folder) => file.startsWith(folder))),
  );
  const journals = { a: journalLines(world, 'a'), b: journalLines(world, 'b') };
  const place = placeOf(act, world, call);
  const isDone = place !== null && (await replaceBy(act.by, place, act.salt, world));
  return { act, call, originals, journals, place: isDone ? place : null, intruder: isDone ? idOf(place) : null };
}
