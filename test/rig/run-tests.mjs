// Runs every test file in a separate process and counts the results that uvu prints.

// uvu's exit code alone would let four faults pass:
// a file without .run(), no file at all, a throwing hook, an early exit.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { staleBuild } from '../../build/sources.mjs';
import { compileTests, toSources } from './compile-tests.mjs';
import { memoryFolder } from './memory-folder.mjs';
import { runProcess } from './run-process.mjs';

const args = process.argv.slice(2);
const VALUED = ['--suite', '--limit', '--minutes'];
const wordAfter = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const suite = wordAfter('--suite') ?? 'fast';
/** The time limit of one file; those of the real CLIs wait for 20 s at each start. */
const limitSec = Number(wordAfter('--limit') ?? (suite === 'real' ? 1500 : 600));
/** After these minutes no further file starts; those that are left are named and count as skipped. */
const minutes = Number(wordAfter('--minutes') ?? Number.POSITIVE_INFINITY);
const pattern = new RegExp(args.find((arg, i) => !arg.startsWith('--') && !VALUED.includes(args[i - 1])) ?? '.');
/** Suites that need what a machine may lack have separate folders; all other tests are the fast suite. */
const APART = ['real', 'page'];
const suiteOf = (file) => APART.find((name) => file.startsWith(path.join('test', name, path.sep))) ?? 'fast';
/** They take long and come late in the alphabet. They start first, so that no core is idle while the last of them runs. */
const LONGEST = [
  'test/truth.test.ts',
  'test/state/broken-disk.test.ts',
  'test/state/readers.test.ts',
  'test/real/matrix.test.ts',
  'test/real/opencode.test.ts',
  'test/real/qwen.test.ts',
  'test/real/changed-sessions.test.ts',
  'test/real/tagged.test.ts',
  'test/real/undo.test.ts',
  'test/page/hostile.test.ts',
];
const files = testFiles('test').filter((file) => suiteOf(file) === suite && pattern.test(file));
files.sort((a, b) => Number(LONGEST.includes(b)) - Number(LONGEST.includes(a)));
const total = { passed: 0, failed: 0, skipped: 0 };
/** The number of lines of a failed test that are repeated at the end. */
const MOST_LINES = 25;
/** With --times: the time of each file, printed at the end. */
const times = args.includes('--times') ? [] : null;
/** The failures of each file, repeated at the end, where a log that was cut still shows them. */
const failures = [];
/** Files that failed while others ran. They run again, alone; those that then always pass are reported as flaky. */
const suspects = [];
/** How often such a file must pass. A fast file has no network and no browser to blame. */
const repeats = { fast: 3, real: 1, page: 1 }[suite];
const flaky = [];
const started = Date.now();

if (files.length === 0) fail(`no test file matches ${pattern}`, `in the suite "${suite}"`);
// The real CLIs are heavy: 12 at once take 20 s to start on two cores. So their suite runs two files at a time, since each of
// them waits for its model API. A browser has the machine alone. The others wait for the disk and for their processes.
const lanes = { fast: 2 * availableParallelism(), real: 2, page: 1 }[suite];
const folder = (suite === 'fast' && process.env.TMPDIR === undefined && memoryFolder()) || tmpdir();
const { outdir: compiled, needsBuild } = await compileTests(files);
if (args.includes('--build') && needsBuild && staleBuild() !== null)
  execFileSync(process.execPath, ['build/build.mjs']);
const stale = needsBuild ? staleBuild() : null;
if (stale !== null) {
  fail('the build:', `${stale}, so that tests would run other code than they are about. Run: npm run build`);
  files.length = 0;
}
await Promise.all(Array.from({ length: lanes }, lane));
for (const file of suspects) if (await passesAlone(file)) flaky.push(file);
if (times !== null) printTimes();
for (const file of flaky)
  console.log(`FLAKY ${file} failed beside others, and passed alone (${repeats} of ${repeats})`);
for (const { file, why } of failures) console.log(`FAILED ${file}\n${why.map((line) => `  ${line}\n`).join('')}`);
console.log(`\n${suite} suite: ${((Date.now() - started) / 1000).toFixed(1)} s`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`);
for (const made of [compiled, path.join(folder, `code-caches-${path.basename(compiled)}`)])
  rmSync(made, { recursive: true, force: true });
process.exitCode = total.failed > 0 ? 1 : 0;

async function lane() {
  for (let file = files.shift(); file !== undefined; file = files.shift())
    if (Date.now() - started < minutes * 60_000) await runFile(file, 'first');
    else {
      total.skipped += 1;
      console.log(`SKIPPED ${file}: the ${minutes} minutes of this run were over`);
    }
}

async function passesAlone(file) {
  for (let n = 0; n < repeats; n++) if (!(await runFile(file, 'last'))) return false;
  return true;
}

/**
 * @returns whether it passes.
 * @param turn a failure of a `first` one does not count: the file runs again.
 */
async function runFile(file, turn) {
  const declared = (readFileSync(file, 'utf8').match(/\.run\(\)/g) ?? []).length;
  const began = Date.now();
  const { code, output: said, timed, overdue } = await run(path.join(compiled, file.replace(/\.ts$/, '.js')));
  const output = toSources(said);
  times?.push({ file, cpuSec: secondsIn(timed), wallSec: (Date.now() - began) / 1000 });
  const counts = [...output.matchAll(/^\s+(Total|Passed|Skipped):\s+(\d+)/gm)];
  const sum = (name) => counts.filter((row) => row[1] === name).reduce((n, row) => n + Number(row[2]), 0);
  const failed = sum('Total') - sum('Passed');
  let why = null;
  if (overdue)
    why = `still ran after ${limitSec} s, and was ended with what it had started; --limit SECONDS gives it longer`;
  else if (declared === 0) why = 'never calls .run(), so uvu would pass it silently';
  else if (sum('Total') + sum('Skipped') === 0) why = `ran no test (exit ${code})`;
  else if (code !== 0 && failed === 0) why = `exited ${code} though no test failed`;
  const isPassed = why === null && failed === 0;
  if (turn === 'first' && !isPassed && !(overdue && suite === 'fast')) {
    suspects.push(file);
    console.log(
      `${output}\nAGAIN ${file} ${why ?? `(${sum('Passed')} of ${sum('Total')})`}: it runs again, alone, at the end`,
    );
    return false;
  }
  total.passed += sum('Passed');
  total.skipped += sum('Skipped');
  total.failed += failed;
  if (why !== null) fail(file, why, declared === 0 ? '' : output);
  else if (failed > 0) {
    failures.push({ file, why: failedTests(output) });
    console.log(output);
  }
  console.log(`${failed ? 'FAIL' : 'ok  '} ${file} (${sum('Passed')} of ${sum('Total')})`);
  return isPassed;
}

function run(file) {
  const env = { ...process.env, FORCE_COLOR: '0', NODE_NO_WARNINGS: '1', COMPILED_TESTS: compiled, TMPDIR: folder };
  for (const name of ['NODE_EXTRA_CA_CERTS', 'TOLLGATE_STATE', 'TOLLGATE_CALL_ID']) delete env[name];
  // Tests set their own CI variables, and must not use the files of a real CI step.
  for (const name of Object.keys(env)) if (/^(?:CI|CI_.*|GITLAB_.*|GITHUB_.*)$/.test(name)) delete env[name];
  const argv = [process.execPath, file];
  // The shell's `times` counts its children, and their children.
  if (times !== null) argv.unshift('sh', '-c', '"$@"; code=$?; times >&3; exit $code', 'sh');
  return runProcess(argv, { env, limitSec });
}

/** @param timed such as `0m0.01s 0m0.00s`: minutes and seconds, for the user and the system, of the shell and of its children. */
function secondsIn(timed) {
  return [...timed.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, min, sec]) => sum + min * 60 + Number(sec), 0);
}

/** The slowest file first. */
function printTimes() {
  const row = (cpu, wall, name) => console.log(`${String(cpu).padStart(8)} ${String(wall).padStart(8)}  ${name}`);
  console.log();
  row('cpu s', 'wall s', 'file');
  times.sort((a, b) => b.cpuSec - a.cpuSec);
  for (const { file, cpuSec, wallSec } of times) row(cpuSec.toFixed(2), wallSec.toFixed(1), file);
  const sum = (key) => times.reduce((n, took) => n + took[key], 0).toFixed(1);
  row(sum('cpuSec'), sum('wallSec'), 'in all');
}

function testFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .sort();
}

function fail(file, why, output = '') {
  total.failed += 1;
  failures.push({ file, why: [why] });
  console.log(`FAIL ${file} ${why}\n${output}`);
}

/** Parses uvu's output: the suite, if it has a name, and the test in quotes, with the expected and actual values below it. */
function failedTests(output) {
  const lines = output.split('\n');
  return lines.flatMap((line, at) => {
    const [, test] = /^\s+FAIL\s+(.+)$/.exec(line) ?? [];
    if (test === undefined) return [];
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((next) => /^\s+(?:FAIL|Total:)\s/.test(next));
    const said = rest.slice(0, end < 0 ? MOST_LINES : Math.min(end, MOST_LINES)).filter((next) => next.trim() !== '');
    return [test, ...said];
  });
}
