// What a batch costs a stage beyond its guardian, at several numbers at once: `npm run bench:batch -- [TASKS] [AT_ONCE]`.

import { measureBatch } from './figures/batch.ts';
import { BenchWorld } from './figures/world.ts';

const count = Number(process.argv[2] ?? 1000);
const atOnce = process.argv[3] === undefined ? [2, 4] : [Number(process.argv[3])];
const world = new BenchWorld();
try {
  console.log(
    `${count} one-stage tasks with a no-op CLI, node ${process.version}; half of the bare guardians and of the promised work before the batch, half after it, the faster half of each.\n`,
  );
  console.log(
    '| at once | bare guardian ms | the promised work alone ms | batch, ms a stage | beyond the guardian ms | dispatcher CPU ms a stage | RSS MiB after 10 %, 50 %, all |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const lanes of atOnce) {
    const { guardianMs, promised, batchMs, cpuMs, rss } = await measureBatch(world, count, lanes);
    const cells = [guardianMs, promised.ms, batchMs, batchMs - guardianMs, cpuMs];
    console.log(`| ${[lanes, ...cells.map((cell) => cell.toFixed(1)), rss.join(', ')].join(' | ')} |`);
  }
} finally {
  world.dispose();
}
