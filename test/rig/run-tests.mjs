// Runs every test file in a process of its own and counts what uvu says, because uvu's exit code alone lets
// four kinds of nothing pass: a file without .run(), no file at all, a throwing hook, an early exit.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const args = process.argv.slice(2);
const suite = args.includes('--suite') ? args[args.indexOf('--suite') + 1] : 'fast';
const pattern = new RegExp(args.find((arg, i) => !arg.startsWith('--') && args[i - 1] !== '--suite') ?? '.');
const files = testFiles('test').filter(
  (file) => (suite === 'real') === file.startsWith(`test${path.sep}real`) && pattern.test(file),
);
const total = { passed: 0, failed: 0, skipped: 0 };
const started = Date.now();

if (files.length === 0) fail(`no test file matches ${pattern} in the suite "${suite}"`);
// The real CLIs are heavy (12 at once take 20 s to start on two cores), so that suite runs one file at a time.
const lanes = suite === 'real' ? 1 : Math.max(2, availableParallelism());
await Promise.all(Array.from({ length: lanes }, lane));
console.log(`\n${suite} suite: ${((Date.now() - started) / 1000).toFixed(1)} s`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function lane() {
  for (let file = files.shift(); file !== undefined; file = files.shift()) await runFile(file);
}

async function runFile(file) {
  const declared = (readFileSync(file, 'utf8').match(/\.run\(\)/g) ?? []).length;
  const { code, output } = await run(file);
  const counts = [...output.matchAll(/^\s+(Total|Passed|Skipped):\s+(\d+)/gm)];
  const sum = (name) => counts.filter((row) => row[1] === name).reduce((n, row) => n + Number(row[2]), 0);
  const failed = sum('Total') - sum('Passed');
  total.passed += sum('Passed');
  total.skipped += sum('Skipped');
  total.failed += failed;
  if (declared === 0) fail(`${file} never calls .run(), so uvu would pass it silently`);
  else if (sum('Total') + sum('Skipped') === 0) fail(`${file} ran no test (exit ${code})`, output);
  else if (code !== 0 && failed === 0) fail(`${file} exited ${code} though no test failed`, output);
  else if (failed > 0) console.log(output);
  console.log(`${failed ? 'FAIL' : 'ok  '} ${file} (${sum('Passed')} of ${sum('Total')})`);
}

function run(file) {
  return new Promise((resolve) => {
    const env = { ...process.env, FORCE_COLOR: '0', NODE_NO_WARNINGS: '1' };
    for (const name of ['NODE_EXTRA_CA_CERTS', 'TOLLGATE_STATE', 'TOLLGATE_CALL_ID']) delete env[name];
    const child = spawn(process.execPath, ['--import', 'tsx', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

function testFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .sort();
}

function fail(message, output = '') {
  total.failed += 1;
  console.log(`FAIL ${message}\n${output}`);
}
