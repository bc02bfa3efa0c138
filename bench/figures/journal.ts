// Durable appends to one journal from several processes at once, and whether a line of them was lost.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { timesOf } from './pairs.ts';
import type { Figure, FigureRow } from './row.ts';
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

export const JOURNAL: Figure = {
  about: `${APPENDS} appends, each synced, to one journal`,
  rounds: 3,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      const writer = path.join(world.root, 'writer.cjs');
      const stdin = { contents: WRITER, resolveDir: process.cwd(), loader: 'ts' } as const;
      await build({ stdin, outfile: writer, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
      const rows: FigureRow[] = [];
      for (const writers of WRITERS) rows.push(await row(world, writer, writers, rounds));
      return rows;
    } finally {
      world.dispose();
    }
  },
};

async function row(world: BenchWorld, writer: string, writers: number, rounds: number): Promise<FigureRow> {
  const rates: number[] = [];
  let lost = 0;
  for (let round = 0; round < rounds; round += 1) {
    const task = path.join(world.root, `journal-${writers}-${round}`);
    mkdirSync(path.join(task, 'state'), { recursive: true });
    const each = APPENDS / writers;
    const children = Array.from({ length: writers }, () =>
      spawn(process.execPath, [writer, task, String(each)], { env: world.env, stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
    const began = performance.now();
    const ends = children.map(ended);
    for (const { stdin } of children) stdin.write('go\n');
    await Promise.all(ends);
    rates.push(APPENDS / ((performance.now() - began) / 1000));
    lost += APPENDS - written(task);
  }
  const { median, min } = timesOf(rates);
  const isFast = { goal: `≥ ${GOAL} a second`, isReached: median >= GOAL };
  return {
    what: `durable appends, ${writers} process${writers === 1 ? '' : 'es'}, ${lost} lost`,
    unit: 'a second',
    ours: median,
    min,
    peer: null,
    goals: [...(writers === 32 ? [isFast] : []), { goal: '0 lost', isReached: lost === 0 }],
  };
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
