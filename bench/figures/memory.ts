// What twenty waiting wrappers hold, beside as many bare nodes that wait, and as many that do the promised work.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { timesOf } from './pairs.ts';
import { type Figure, rowOf } from './row.ts';
import { BenchWorld, command, PROMISED, peer } from './world.ts';

const WAITING = 20;

const SLEEPER = `#!/bin/sh
[ "$1" = --version ] && echo codex-cli 0.169.0 && exit
: >"$READY/$$"
exec sleep 60
`;

export const MEMORY: Figure = {
  about: `${WAITING} waiting wrappers, by /proc (Linux alone)`,
  rounds: null,
  async measure() {
    if (process.platform !== 'linux') return [];
    const world = new BenchWorld();
    world.write('bin/codex', SLEEPER, 0o755);
    world.write(
      'wait.cjs',
      `require('node:fs').writeFileSync(process.env.READY + '/' + process.pid, ''); setInterval(() => {}, 60_000);`,
    );
    try {
      const bare = await held(world, 'bare', () => ['wait.cjs']);
      const ours = await held(world, 'ours', (n) => [
        command('run_codex'),
        ...['--prompt-file=ask.md', `--out=${n}.out`, `--err=${n}.err`, '--trust-workspace'],
      ]);
      const promised = await held(world, 'promised', (n) => [
        ...[peer('node-wrapper.cjs'), 'codex', 'ask.md'],
        ...['out', 'err', 'json'].map((end) => `promised-${n}.${end}`),
      ]);
      return (['Rss', 'Pss'] as const).flatMap((kind) => {
        const row = (name: string, them: typeof bare) =>
          rowOf(`a waiting wrapper, ${kind.toUpperCase()}`, 'MiB', timesOf(ours[kind]), {
            name,
            ...timesOf(them[kind]),
          });
        return [row('bare `node`', bare), row(PROMISED, promised)];
      });
    } finally {
      world.dispose();
    }
  },
};

/** MiB of each, once all of them wait. */
async function held(world: BenchWorld, name: string, argv: (n: number) => string[]) {
  const ready = path.join(world.root, `ready-${name}`);
  mkdirSync(ready);
  const env = { ...world.env, READY: ready };
  const children = Array.from({ length: WAITING }, (_, n) =>
    spawn(process.execPath, argv(n), { cwd: world.root, env, stdio: 'ignore' }),
  );
  try {
    while (readdirSync(ready).length < WAITING) await wait(20);
    // What a start has thrown away is collected when the process next rests.
    await wait(1000);
    return { Rss: children.map((child) => mibOf(child, 'Rss')), Pss: children.map((child) => mibOf(child, 'Pss')) };
  } finally {
    await Promise.all(children.map(ended));
  }
}

function mibOf({ pid }: ChildProcess, kind: string): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${kind}: +(\\d+) kB`, 'm').exec(text)![1]) / 1024;
}

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
