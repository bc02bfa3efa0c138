// Measures `tollgate history` on a session of 100 MB with 50,000 records, for each CLI: wall time and peak memory of the whole command.
// Run it with `npm run bench:history` after `npm run build`; it makes its files in the system's temporary folder and removes them.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BuiltIn, TOOLS } from '../policies/facts/tools.ts';
import { age, beginningOf, makeSession, SESSION_IDS, sessionFile, turnOf } from '../test/rig/session-files.ts';
import { PEAK_KIB } from './figures/peak-memory.ts';

const ROUNDS = 5;
const RECORDS = 50_000;
const BYTES = 100_000_000;
const LIMIT = { ms: 500, mib: 150 };

/** Prints how long the command took that ran in it: a small process starts others sooner than this one. */
const MEASURED = `
const { spawnSync } = require('node:child_process');
const began = process.hrtime.bigint();
const { status } = spawnSync(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
const ms = Number(process.hrtime.bigint() - began) / 1e6;
console.log(JSON.stringify({ status, ms }));
`;

const root = mkdtempSync(path.join(tmpdir(), 'bench-history-'));
try {
  console.log(
    `Median of ${ROUNDS}, the whole command; the limit is ${LIMIT.ms} ms (on an idle machine) and ${LIMIT.mib} MiB.\n`,
  );
  console.log('| CLI | file | wall | of it at work | peak memory | of the limits |\n|---|---|---|---|---|---|');
  for (const tool of TOOLS) measure(tool);
  const idle = run(['--version'], root);
  console.log(
    `\ntollgate --version: ${idle.ms.toFixed(0)} ms (${idle.cpuMs.toFixed(0)} at work), ${idle.mib.toFixed(0)} MiB.`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}

function measure(tool: BuiltIn): void {
  const home = path.join(root, tool);
  const project = path.join(home, 'project');
  mkdirSync(project, { recursive: true });
  const { records, bytes } = makeLarge(tool, { home, project });
  const rounds = Array.from({ length: ROUNDS }, () => run(['history', SESSION_IDS[tool]], home));
  const [ms, cpuMs, mib] = (['ms', 'cpuMs', 'mib'] as const).map((figure) =>
    median(rounds.map((round) => round[figure])),
  ) as [number, number, number];
  const ratio = `${Math.round((100 * ms) / LIMIT.ms)} % of the time, ${Math.round((100 * mib) / LIMIT.mib)} % of the memory`;
  console.log(
    `| ${tool} | ${(bytes / 1e6).toFixed(0)} MB, ${records} records | ${ms.toFixed(0)} ms | ${cpuMs.toFixed(0)} ms | ${mib.toFixed(0)} MiB | ${ratio} |`,
  );
  rmSync(home, { recursive: true, force: true });
}

/** Turns with a tool each, whose output makes up the size. */
function makeLarge(tool: BuiltIn, places: { home: string; project: string }) {
  makeSession(tool, places, []);
  const file = sessionFile(tool, places.home);
  const fd = openSync(file, 'w');
  let records = 0;
  const put = (lines: readonly string[]) => {
    records += lines.length;
    writeSync(fd, lines.map((line) => `${line}\n`).join(''));
  };
  const sized = (number: number, bytes: number) =>
    turnOf(
      tool,
      {
        prompt: `What does part ${number} do?`,
        thought: 'I look at it first.',
        tool: {
          name: 'shell',
          input: { command: `cat part-${number}` },
          output: 'a line of some file\n'.repeat(bytes / 20),
        },
        answer: `Part ${number} does its part.`,
      },
      number,
    );
  put(beginningOf(tool, SESSION_IDS[tool], places.project));
  const plain = sized(1, 0);
  const turns = Math.ceil(RECORDS / plain.length);
  const each = BYTES / turns - Buffer.byteLength(plain.join('\n'));
  // gemini repeats a tool's output in two records.
  const output = Math.floor(each / (tool === 'gemini' ? 2.1 : 1.05) / 20) * 20;
  for (let number = 1; number <= turns; number += 1) put(sized(number, output));
  closeSync(fd);
  age(file);
  return { records, bytes: statSync(file).size };
}

/** The peak is the kernel's figure (KiB), told by the command's own process as it exits; the time is of a run without that. */
function run(words: string[], home: string): { ms: number; cpuMs: number; mib: number } {
  const env = { PATH: process.env.PATH, HOME: home };
  const peak = `process.on('exit', () => {
    const told = { kib: ${PEAK_KIB}, ...process.resourceUsage() };
    require('node:fs').writeFileSync(process.env.PEAK, JSON.stringify(told));
  });`;
  const [preload, told] = [path.join(root, 'peak.cjs'), path.join(root, 'peak')];
  writeFileSync(preload, peak);
  const argv = ['-e', MEASURED, '--', path.resolve('dist/tollgate.cjs'), ...words];
  const cwd = home === root ? root : path.join(home, 'project');
  const timed = spawnSync(process.execPath, argv, { env, cwd, encoding: 'utf8' });
  const { status, ms } = JSON.parse(timed.stdout) as { status: number; ms: number };
  if (status !== 0) throw new Error(`tollgate ${words.join(' ')} exits ${status}: ${timed.stderr}`);
  spawnSync(process.execPath, ['--require', preload, path.resolve('dist/tollgate.cjs'), ...words], {
    env: { ...env, PEAK: told },
    cwd,
    stdio: 'ignore',
  });
  const { kib, userCPUTime, systemCPUTime } = JSON.parse(readFileSync(told, 'utf8')) as Told;
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000, mib: kib / 1024 };
}

type Told = NodeJS.ResourceUsage & { kib: number };

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
