// Measures what the tests find: inserts one small fault at a time into a copy of the sources and runs the tests that should fail.

// npm run bench:mutants -- [--only REGEX] tests 2 faults at a time. It fails below 95 %, and if a row no longer fits the sources.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ROWS from './mutants.json' with { type: 'json' };

/** One line of the JSON. `find` occurs once in `file`; `tests` matches the paths of test files, and one of them should fail. */
type Row = (typeof ROWS)[number];

type Result = { how: 'found' | 'missed' | 'stale'; words: string };

const LEAST_SHARE = 0.95;
const LANES = 2;
/** No test file in a row takes half of this time on a busy machine. */
const LIMIT_SEC = 120;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const only = new RegExp(values.only);
const rows = ROWS.filter(({ file, what }) => only.test(`${file}: ${what}`));
if (rows.length === 0) throw new Error(`no row matches ${only}`);

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'bench-mutants-')));
const running = new Set<ChildProcess>();
const results = new Map<Row, Result>();
process.on('exit', () => {
  for (const child of running) child.kill();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    console.log(`ended by ${signal} after ${results.size} of ${rows.length} faults`);
    process.exit(1);
  });

const began = Date.now();
const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
const testFiles = tracked.filter((file) => file.endsWith('.test.ts') && !/^test\/(?:real|page)\//.test(file));
const copies = Array.from({ length: LANES }, (_, lane) => copySources(path.join(folder, `lane-${lane}`)));
const costs = await costOfTests(copies[0]!);
console.log(`${costs.size} test files pass without a fault, after ${Math.round((Date.now() - began) / 1000)} s`);
const waiting = [...rows];
await Promise.all(copies.map(workOff));

const thatAre = (how: Result['how']) => rows.filter((row) => results.get(row)?.how === how);
const [found, stale] = [thatAre('found').length, thatAre('stale')];
for (const row of [...stale, ...thatAre('missed')]) console.log(`${results.get(row)!.how} ${row.file}: ${row.what}`);
const words = `${found} of ${rows.length} faults found (${((100 * found) / rows.length).toFixed(1)} %)`;
console.log(`${words}, ${stale.length} rows stale, in ${Math.round((Date.now() - began) / 1000)} s`);
process.exitCode = stale.length > 0 || found / rows.length < LEAST_SHARE ? 1 : 0;

function copySources(copy: string): string {
  for (const file of tracked) if (file !== '' && existsSync(file)) cpSync(file, path.join(copy, file));
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'));
  mkdirSync(path.join(copy, '.tmp'));
  return copy;
}

/**
 * All of them pass without a fault; otherwise a failure would prove nothing.
 * @returns the seconds of each; the quickest runs first.
 */
async function costOfTests(copy: string): Promise<Map<string, number>> {
  const named = testFiles.filter((file) => rows.some(({ tests }) => new RegExp(tests).test(file)));
  const ran = await runTests(copy, named, ['--times']);
  if (ran.failed === null) throw new Error(`the tests could not be run:\n${ran.output}`);
  for (const [, file] of ran.output.matchAll(/^FAIL (test\/\S+)/gm)) {
    const again = await runTests(copy, [file!]);
    if (again.failed !== 0) throw new Error(`${file} fails without a fault:\n${ran.output}`);
    console.log(`flaky: ${file} failed once and passed then; what it finds may be chance`);
  }
  const times = [...ran.output.matchAll(/^ *([\d.]+) +[\d.]+ {2}(test\/\S+)$/gm)];
  return new Map(times.map(([, seconds, file]) => [file!, Number(seconds)]));
}

async function workOff(copy: string): Promise<void> {
  for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
    const rowBegan = Date.now();
    const { how, words } = await tryFault(row, copy);
    results.set(row, { how, words });
    const seconds = ((Date.now() - rowBegan) / 1000).toFixed(1);
    console.log(`${how.padEnd(6)} ${results.size}/${rows.length} ${row.file}: ${row.what} (${words}, ${seconds} s)`);
  }
}

async function tryFault({ file, find, replace, tests }: Row, copy: string): Promise<Result> {
  const source = readFileSync(path.join(copy, file), 'utf8');
  const times = source.split(find).length - 1;
  if (times !== 1) return { how: 'stale', words: `what it replaces is there ${times} times` };
  const pattern = new RegExp(tests);
  const named = testFiles.filter((one) => pattern.test(one)).sort((a, b) => costs.get(a)! - costs.get(b)!);
  if (named.length === 0) return { how: 'stale', words: `no test file matches ${tests}` };
  writeFileSync(
    path.join(copy, file),
    source.replace(find, () => replace),
  );
  try {
    for (const test of named) {
      const { failed, output } = await runTests(copy, [test]);
      if (failed === null) return { how: 'stale', words: `it does not build: ${output.slice(0, 500)}` };
      if (failed > 0) return { how: 'found', words: test };
    }
    return { how: 'missed', words: `${named.length} test files pass` };
  } finally {
    writeFileSync(path.join(copy, file), source);
  }
}

/** @returns `failed`: the number of failed tests; null if none was run. */
function runTests(
  copy: string,
  files: string[],
  more: string[] = [],
): Promise<{ failed: number | null; output: string }> {
  const pattern = `^(?:${files.map((file) => file.replaceAll('.', '\\.')).join('|')})$`;
  const argv = ['test/rig/run-tests.mjs', pattern, '--build', '--limit', String(LIMIT_SEC), ...more];
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const child = spawn(process.execPath, argv, { cwd: copy, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on('close', () => {
      running.delete(child);
      const failed = /^\d+ passed, (\d+) failed/m.exec(output)?.[1];
      resolve({ failed: failed === undefined ? null : Number(failed), output });
    });
  });
}
