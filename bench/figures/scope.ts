// Measures the look at a tree of 100,000 files before and after a stage, and the comparison of both.

import { execFileSync } from 'node:child_process';
import { appendFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { changesBetween } from '../../loops/tree/changes.ts';
import { takeSnapshot } from '../../loops/tree/snapshot.ts';
import { type Figure, type FigureRow, timesOf } from './measure.ts';
import { type BenchWorld, inWorld } from './world.ts';

const FILES = 100_000;
const FILES_IN_FOLDER = 100;

export const SCOPE: Figure = {
  about: 'the look at a tree before and after a stage',
  rounds: 5,
  measure: (rounds) =>
    inWorld(async (world) => [...(await looks(world, 'plain', rounds)), ...(await looks(world, 'git', rounds))]),
};

async function looks(world: BenchWorld, name: 'plain' | 'git', rounds: number): Promise<FigureRow[]> {
  const root = path.join(world.root, name);
  for (let file = 0; file < FILES; file += 1) {
    const folder = `${name}/folder-${Math.floor(file / FILES_IN_FOLDER)}`;
    world.write(`${folder}/file-${file}.ts`, `export const x${file} = ${file};\n`.repeat(1 + (file % 50)));
  }
  if (name === 'git')
    for (const words of [
      ['init', '-q'],
      ['add', '-A'],
      ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'all'],
    ])
      execFileSync('git', words, { cwd: root });
  const taken: Record<'first look' | 'look after' | 'comparison, one file changed', number[]> = {
    'first look': [],
    'look after': [],
    'comparison, one file changed': [],
  };
  const timed = async <T>(what: keyof typeof taken, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    taken[what].push(performance.now() - began);
    return result;
  };
  const look = { root, apart: [path.join(root, '.tmp')], ignored: 'left_out' as const };
  // The first look, which waits for the clock tick of the newest file, is not measured.
  await takeSnapshot(look);
  for (let round = 0; round < rounds; round += 1) {
    const before = await timed('first look', () => takeSnapshot(look));
    await timed('look after', () => takeSnapshot({ ...look, before }));
    const file = path.join(root, 'folder-0/file-3.ts');
    appendFileSync(file, 'changed\n');
    utimesSync(file, 1, round);
    const changed = await takeSnapshot({ ...look, before });
    const { length } = await timed('comparison, one file changed', () => changesBetween(before, changed));
    if (length !== 1) throw new Error(`one file was changed, and ${length} changes were found`);
  }
  const tree = `${FILES.toLocaleString('en')} files, ${name === 'git' ? 'in git' : 'without git'}`;
  return Object.entries(taken).map(
    ([what, ms]): FigureRow => ({ what: `${tree}: ${what}`, unit: 'ms', ours: timesOf(ms), peer: null, goal: null }),
  );
}
