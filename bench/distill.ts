// Measures a distillation of 1,000 sections against a service in this process: what a turn costs by itself, and how memory grows.
// Run it with `npm run bench:distill`; it makes its files in the system's temporary folder and removes them.

import { rmSync } from 'node:fs';
import { distillRig, fakeService } from '../test/rig/book-service.ts';

const SECTIONS = 1000;
const LIMIT = { ms: 20, growth: 1.1 };

const rig = distillRig();
const service = fakeService({ sections: SECTIONS, remember: false });
const turns: { ms: number; rss: number }[] = [];
let asked = 0;
try {
  await rig.run(service, {}, (request) => {
    request.context.tell = (event) => {
      if (event.event === 'asking') asked = performance.now();
      if (event.event !== 'answered') return;
      if (turns.length % 100 === 99) globalThis.gc?.();
      turns.push({ ms: performance.now() - asked, rss: process.memoryUsage.rss() });
    };
  });
  const { state, sections } = await rig.view();
  const last = turns.slice(-100).map(({ ms }) => ms);
  const growth = turns.at(-1)!.rss / turns[99]!.rss;
  console.log(`${sections} sections, ${state}; ${service.paid} answers paid for`);
  console.log('| figure | measured | limit |\n|---|---|---|');
  console.log(`| own time of a turn, median | ${median(turns.map(({ ms }) => ms)).toFixed(1)} ms | ${LIMIT.ms} ms |`);
  console.log(`| the same, of the last hundred | ${median(last).toFixed(1)} ms | ${LIMIT.ms} ms |`);
  console.log(`| memory at the 100th section | ${mib(turns[99]!.rss)} MiB | |`);
  console.log(
    `| memory at the last | ${mib(turns.at(-1)!.rss)} MiB (${growth.toFixed(2)} times) | ${LIMIT.growth} times |`,
  );
} finally {
  rmSync(rig.folder, { recursive: true, force: true });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
