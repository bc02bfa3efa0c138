// The floors of `npm run bench`: plain Node writes, syncs and starts as much as ours does, so that it is no floor of less than what is promised, nor of more.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open, watch, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTask } from '../../bench/figures/tasks.ts';
import { BenchWorld, command, ONE_CALL, peer, promisedCall } from '../../bench/figures/world.ts';
import { FAILING } from '../../bench/figures/wrappers.ts';
import { type CountedEvent, type CountedProcess, countIn, eventsOf } from '../rig/counted.ts';

const test = suite<{ world: BenchWorld; counted: () => CountedProcess[] }>('floors');
test.before.each((context) => {
  const world = new BenchWorld();
  Object.assign(context, { world, counted: countIn(world) });
});
test.after.each(({ world }) => world.dispose());

/** Of all processes together, without the cgroup of a call, which is no file on a disk. */
function countsOf(counted: readonly CountedProcess[]): { syncs: number; starts: number; writing: number } {
  const all = (what: CountedEvent['what']) => counted.flatMap((one) => eventsOf(one, what, /^(?!\/sys\/)/)).length;
  return {
    syncs: all('sync') + all('background sync'),
    starts: all('spawn'),
    writing: all('write') + all('change'),
  };
}

/** As many syncs and processes; of writes, renames and the like about as many. */
function assertFloor(floor: readonly CountedProcess[], ours: ReturnType<typeof countsOf>): void {
  const { writing, ...same } = countsOf(floor);
  assert.equal(same, { syncs: ours.syncs, starts: ours.starts });
  assert.ok(
    writing <= 1.1 * ours.writing && writing >= 0.75 * ours.writing,
    `${writing} writes beside ${ours.writing} of ours`,
  );
}

const WRAPPER = [command('gemini_headless'), ...ONE_CALL];
const FLOOR = promisedCall('gemini');

for (const [what, exit] of [
  ['succeeds', 0],
  ['fails', 12],
] as const)
  test(`a call that ${what} syncs and starts as much by plain Node as by ours`, ({ world, counted }) => {
    if (exit !== 0) world.write('bin/gemini', FAILING, 0o755);
    const second = (argv: readonly string[]) => {
      // The first learns the CLI's version, or of a limit.
      world.node(argv, exit);
      counted();
      world.node(argv, exit);
      return counted();
    };
    const ours = countsOf(second(WRAPPER));
    assertFloor(second(FLOOR), ours);
    // The record, and the answer where there is one.
    assert.is(ours.syncs, exit === 0 ? 2 : 1);
  });

test('plain Node tells a call as ours does: its answer, its class, and what it exits', ({ world }) => {
  const read = (name: string) => readFileSync(path.join(world.root, name), 'utf8');
  for (const argv of [WRAPPER, FLOOR]) world.node(argv);
  assert.is(read('n.out'), read('o.out'));
  assert.is(read('n.raw'), read('o.raw'));
  world.write('bin/gemini', FAILING, 0o755);
  for (const argv of [WRAPPER, FLOOR]) world.node(argv, 12);
  assert.is(JSON.parse(read('n.json')).class, JSON.parse(read('o.json')).verdict.class);
  assert.is(read('n.err'), read('o.err'));
  world.write('ask.md', ' \n');
  world.node(FLOOR, 40);
});

/** Makes the task before it runs it. */
const runs = (world: BenchWorld) => ({
  ours: (id: string) => world.node([command('tollgate'), 'run', makeTask(world, id), '--quiet']),
  floor: (id: string) => world.node([peer('node-run.cjs'), '1', `.tmp/task/${makeTask(world, id)}`]),
});

test('a run of one stage, and one that has nothing to do, syncs and starts as much by plain Node as by ours', ({
  world,
  counted,
}) => {
  const { ours, floor } = runs(world);
  for (const [run, id] of [
    [ours, 'a'],
    [floor, 'b'],
  ] as const)
    run(`${id}-first`);
  counted();
  const of = (run: typeof ours, id: string) => {
    run(id);
    return counted();
  };
  const stage = countsOf(of(ours, 'a'));
  assertFloor(of(floor, 'b'), stage);
  assert.ok(stage.syncs > 20 && stage.starts === 2, JSON.stringify(stage));
  const nothing = countsOf(of(ours, 'a'));
  assertFloor(of(floor, 'b'), nothing);
  assert.equal([nothing.syncs, nothing.starts], [2, 0]);
});

/** Says by a FIFO that it has begun, and goes on when it is told to by another. */
const WAITING = `#!/bin/sh
: >"$BEGUN"
read -r _ <"$GO"
. ${path.resolve('test/rig/noop-cli.sh')}
`;

test('a guardian of plain Node outlives a dispatcher that is killed, and publishes what was paid', async ({
  world,
}) => {
  world.write('bin/codex', WAITING, 0o755);
  const [begun, go] = [path.join(world.root, 'begun'), path.join(world.root, 'go')];
  execFileSync('mkfifo', [begun, go]);
  const env = { ...world.env, BEGUN: begun, GO: go };
  const task = path.join(world.root, '.tmp/task', makeTask(world, 'left'));
  const dispatcher = spawn(process.execPath, [peer('node-run.cjs'), '1', task], {
    cwd: world.root,
    env,
    stdio: 'ignore',
  });
  const dead = once(dispatcher, 'exit');
  await open(begun);
  dispatcher.kill('SIGKILL');
  await dead;
  // Of all that the guardian does its counts come last but for three files of the user.
  const counts = untilThere(path.join(task, 'state'), 'stats.json');
  await writeFile(go, 'on\n');
  await counts;
  assert.is(readFileSync(path.join(task, 'outputs/only.codex.out'), 'utf8'), 'done');
  const facts = readFileSync(path.join(task, 'state/journal.jsonl'), 'utf8').trimEnd().split('\n');
  assert.is(JSON.parse(facts.at(-1)!).fact, 'verdict');
});

async function untilThere(folder: string, name: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename === name) return;
}

test.run();
