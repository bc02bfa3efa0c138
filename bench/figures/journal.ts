// Durable appends to one journal from several processes at once, beside bare writes that are synced, and whether a line of them was lost.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { inTurns } from './pairs.ts';
import { type Figure, type FigureRow, rowOf } from './row.ts';
import { BenchWorld } from './world.ts';

const WRITERS = [1, 8, 32];
const APPENDS = 8192;
/** Asked of 32 writers. */
const GOAL = 8000;

/** Begins when it is told to, so that all begin at once. */
const WRITER = `
import { openJournal } from './state/journal/journal.ts';
const [folder, count] = process.argv.slice(2);
const journal = openJournal(folder, () => new Date());
const line = { fact: 'decided', run_id: 'bench', stage: 'bench', action: 'accept', why: String(process.pid), wait_ms: 0 };
process.stdin.once('data', () => {
  for (let n = 0; n < Number(count); n += 1) journal.append(line);
  process.exit();
});
console.log('ready');
`;

/** The same lines to the same file, written and synced one by one, and nothing else. */
const BARE = `
const fs = require('node:fs');
const [folder, count] = process.argv.slice(2);
const line = JSON.stringify({ v: 1, at: new Date().toISOString(), fact: 'decided', run_id: 'bench', stage: 'bench', action: 'accept', why: String(process.pid), wait_ms: 0 });
const fd = fs.openSync(folder + '/state/journal.jsonl', 'a');
process.stdin.once('data', () => {
  for (let n = 0; n < Number(count); n += 1) {
    fs.writeSync(fd, line + '\\n');
    fs.fdatasyncSync(fd);
  }
  process.exit();
});
console.log('ready');
`;

export const JOURNAL: Figure = {
  about: `${APPENDS} appends, each synced, to one journal`,
  rounds: 3,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      const writer = path.join(world.root, 'writer.cjs');
      const stdin = { contents: WRITER, resolveDir: process.cwd(), loader: 'ts' } as const;
      await build({ stdin, outfile: writer, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
      const bare = world.write('bare-writer.cjs', BARE);
      const rows: FigureRow[] = [];
      for (const writers of WRITERS) rows.push(await row(world, { ours: writer, bare }, writers, rounds));
      return rows;
    } finally {
      world.dispose();
    }
  },
};

async function row(
  world: BenchWorld,
  scripts: Record<'ours' | 'bare', string>,
  writers: number,
  rounds: number,
): Promise<FigureRow> {
  let lost = 0;
  const { ours, bare } = await inTurns(rounds, {
    ours: async (round) => {
      const { perSecond, lines } = await appended(world, scripts.ours, writers, `ours-${writers}-${round}`);
      lost += APPENDS - lines;
      return perSecond;
    },
    bare: async (round) => (await appended(world, scripts.bare, writers, `bare-${writers}-${round}`)).perSecond,
  });
  const isFast = { goal: `≥ ${GOAL} a second`, isReached: ours.median >= GOAL };
  return rowOf(
    `durable appends, ${writers} process${writers === 1 ? '' : 'es'}, ${lost} lost`,
    'a second',
    ours,
    { name: '`node`, each written and synced', ...bare },
    [...(writers === 32 ? [isFast] : []), { goal: '0 lost', isReached: lost === 0 }],
  );
}

async function appended(world: BenchWorld, script: string, writers: number, name: string) {
  const task = path.join(world.root, `journal-${name}`);
  mkdirSync(path.join(task, 'state'), { recursive: true });
  const each = APPENDS / writers;
  const children = Array.from({ length: writers }, () =>
    spawn(process.execPath, [script, task, String(each)], { env: world.env, stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
  const began = performance.now();
  const ends = children.map(ended);
  for (const { stdin } of children) stdin.write('go\n');
  await Promise.all(ends);
  return { perSecond: APPENDS / ((performance.now() - began) / 1000), lines: written(task) };
}

/** Some stand behind an empty line: a writer cannot know whether the one before it has ended its own. */
const written = (task: string): number =>
  readFileSync(path.join(task, 'state/journal.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '').length;

async function ended(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`a writer of the journal exited ${code}`);
}
