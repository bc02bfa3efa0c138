// How long a tree of eleven processes outlives its time of grace, alone and beside 300 others: `npm run bench:kill -- [ROUNDS] [OTHERS]`.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { endTrees } from './figures/kill-tree.ts';

const ROUNDS = Number(process.argv[2] ?? 30);
const OTHERS = Number(process.argv[3] ?? 300);

if (process.platform !== 'linux') {
  console.log('SKIPPED: the moments of the deaths are read from /proc');
  process.exit();
}
const others: ChildProcess[] = [];
try {
  console.log(`${ROUNDS} rounds each, node ${process.version}, ${countProcesses()} processes beside.\n`);
  console.log('| tree of 11 | others | median ms | max ms | left over |\n|---|---|---|---|---|');
  await measure();
  for (let i = 0; i < OTHERS; i += 1) others.push(spawn('sleep', ['600'], { stdio: 'ignore' }));
  await measure();
} finally {
  for (const other of others) other.kill('SIGKILL');
}

async function measure(): Promise<void> {
  for (const [what, obeys] of [
    ['ignores TERM: after the grace', 'no'],
    ['obeys TERM: in all', 'yes'],
  ] as const) {
    const { ms, leftOver } = await endTrees(ROUNDS, obeys);
    ms.sort((a, b) => a - b);
    const [median, max] = [ms[Math.floor(ms.length / 2)]!, ms.at(-1)!];
    console.log(`| ${what} | ${others.length} | ${median.toFixed(1)} | ${max.toFixed(1)} | ${leftOver} |`);
  }
}

function countProcesses(): number {
  return Number(spawnSync('sh', ['-c', 'ls -d /proc/[0-9]* | wc -l'], { encoding: 'utf8' }).stdout);
}
