// Measures the look at the real tree: snapshots before and after a stage, and what changed, on 100,000 files and on 20.
// Run it with `npm run bench:scope`; it makes its trees in the system's temporary folder and removes them.

import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { changesBetween } from '../loops/tree/changes.ts';
import { loadSnapshot, saveSnapshot } from '../loops/tree/saved-snapshot.ts';
import { type TreeSnapshot, takeSnapshot } from '../loops/tree/snapshot.ts';
import { compileGlobs } from '../policies/text/globs.ts';

const ROUNDS = 5;
const FILES_IN_FOLDER = 100;

const folder = mkdtempSync(path.join(tmpdir(), 'bench-scope-'));
try {
  const trees = [
    ['20 files, plain', makeTree('tiny', 20, 'plain')],
    ['20 files, git', makeTree('tiny-git', 20, 'git')],
    ['100,000 files, plain', makeTree('large', 100_000, 'plain')],
    ['100,000 files, git', makeTree('large-git', 100_000, 'git')],
    ['100,000 files, git, 50,000 more ignored', makeTree('ignored-git', 100_000, 'git', 50_000)],
  ] as const;
  const columns = Object.keys(await measure(trees[0][1]));
  console.log(`Milliseconds, median of ${ROUNDS} (first: nothing is known of the tree yet).\n`);
  console.log(`| tree | ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}`);
  for (const [name, root] of trees)
    console.log(
      `| ${name} | ${Object.values(await measure(root))
        .map((ms) => ms.toFixed(ms < 10 ? 1 : 0))
        .join(' | ')} |`,
    );
  console.log(
    `\n20,000 files of one content, copied and the old ones deleted: compared in ${await measureMoves(20_000)} ms.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Waits first, so that the pause for the newest file's tick is not measured. */
async function measure(root: string): Promise<Record<string, number>> {
  const take = (more: { before?: TreeSnapshot; earlier?: TreeSnapshot } = {}) =>
    takeSnapshot({ root, apart: [path.join(root, '.tmp')], ignored: 'left_out', ...more });
  const saved = path.join(folder, 'saved');
  const rows: Record<string, number>[] = [];
  await take();
  for (let round = 0; round < ROUNDS; round++) {
    const row: Record<string, number> = {};
    const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const began = performance.now();
      const result = await work();
      row[name] = performance.now() - began;
      return result;
    };
    const before = await timed('first snapshot', () => take());
    const after = await timed('snapshot after', () => take({ before }));
    await timed('compare, nothing changed', () => changesBetween(before, after));
    const third = path.join(root, 'folder-0/file-3.ts');
    appendFileSync(third, 'changed\n');
    utimesSync(third, 1, round);
    const changed = await take({ before });
    const changes = await timed('compare, 1 changed', () => changesBetween(before, changed));
    if (changes.length !== 1) throw new Error(`expected 1 change, found ${JSON.stringify(changes.slice(0, 5))}`);
    await timed('save', () => saveSnapshot(saved, before));
    await timed('load', () => loadSnapshot(saved));
    await timed('20 globs on every path', async () => {
      const match = compileGlobs(Array.from({ length: 20 }, (_, i) => `packages/*/src-${i}/**/*.ts`));
      for (const name of before.entries.keys()) match(name);
    });
    rows.push(row);
  }
  return Object.fromEntries(
    Object.keys(rows[0]!).map((name) => [name, rows.map((row) => row[name]!).sort((a, b) => a - b)[ROUNDS >> 1]!]),
  );
}

/** Every file that came could be any of those that went. */
async function measureMoves(files: number): Promise<string> {
  const root = path.join(folder, 'moved');
  mkdirSync(path.join(root, 'old'), { recursive: true });
  for (let file = 0; file < files; file++) writeFileSync(path.join(root, `old/${file}`), 'same\n');
  const before = await takeSnapshot({ root, apart: [], ignored: 'left_out' });
  cpSync(path.join(root, 'old'), path.join(root, 'new'), { recursive: true });
  rmSync(path.join(root, 'old'), { recursive: true });
  const after = await takeSnapshot({ root, apart: [], ignored: 'left_out', before });
  const began = performance.now();
  const { length } = await changesBetween(before, after);
  if (length !== files) throw new Error(`expected ${files} changes, found ${length}`);
  return (performance.now() - began).toFixed(0);
}

function makeTree(name: string, files: number, how: 'plain' | 'git', ignored = 0): string {
  const root = path.join(folder, name);
  mkdirSync(root);
  fill(root, files);
  if (how === 'plain') return root;
  writeFileSync(path.join(root, '.gitignore'), 'node_modules/\n');
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root, stdio: 'ignore' });
  git('init');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-m', 'all');
  if (ignored > 0) fill(path.join(root, 'node_modules'), ignored);
  return root;
}

function fill(root: string, files: number): void {
  for (let file = 0; file < files; file++) {
    const home = path.join(root, `folder-${Math.floor(file / FILES_IN_FOLDER)}`);
    if (file % FILES_IN_FOLDER === 0) mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, `file-${file}.ts`), `export const x${file} = ${file};\n`.repeat(1 + (file % 50)));
  }
}
