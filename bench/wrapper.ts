// What a wrapper costs over a no-op CLI, paired with bare node in one run, and what it keeps of a flood of stderr.

import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOOLS } from '../policies/facts/tools.ts';
import { ADAPTERS } from '../wrappers/adapters.ts';

const PAIRS = Number(process.argv[2] ?? 30);
const FLOOD_BYTES = 1024 ** 3;
const root = mkdtempSync(path.join(tmpdir(), 'bench-'));
const bin = path.join(root, 'bin');
mkdirSync(bin);
const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOME: root };
// It adds 45 to 50 ms to every process of Node 20, ours and bare node alike.
delete env.NODE_EXTRA_CA_CERTS;

try {
  writeFileSync(path.join(root, 'ask.md'), 'Say hello.\n');
  const bare = path.join(root, 'bare.cjs');
  writeFileSync(bare, '');
  for (const tool of TOOLS) {
    copyFileSync('test/rig/noop-cli.sh', path.join(bin, tool));
    chmodSync(path.join(bin, tool), 0o755);
  }
  console.log(`Medians of ${PAIRS} pairs, node ${process.version}.\n`);
  console.log('| no-op CLI | wrapper ms | bare node ms | difference ms | ratio |\n|---|---|---|---|---|');
  for (const tool of TOOLS) {
    const pairs = Array.from({ length: PAIRS + 1 }, () => [timed(flagsFor(tool)), timed([bare])] as const).slice(1);
    const [ours, theirs] = [median(pairs.map(([a]) => a)), median(pairs.map(([, b]) => b))];
    const difference = median(pairs.map(([a, b]) => a - b));
    const ratio = median(pairs.map(([a, b]) => a / b));
    console.log(
      `| ${ADAPTERS[tool].command} | ${ours.toFixed(1)} | ${theirs.toFixed(1)} | ${difference.toFixed(1)} | ${ratio.toFixed(2)} |`,
    );
  }
  dispatch();
  if (process.argv[3] !== 'no-flood') flood();
} finally {
  rmSync(root, { recursive: true, force: true });
}

function flagsFor(tool: (typeof TOOLS)[number], ...more: string[]): string[] {
  const files = [
    '--prompt-file',
    'ask.md',
    '--out',
    'o.out',
    '--err',
    'o.err',
    '--result',
    'o.json',
    '--trust-workspace',
  ];
  return [path.resolve('dist', `${ADAPTERS[tool].command}.cjs`), ...files, ...more];
}

function timed(argv: string[]): number {
  const began = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${argv.join(' ')} exited ${status}: ${stderr}`);
  return Number(process.hrtime.bigint() - began) / 1e6;
}

/** One whole dispatched stage: dispatcher, guardian, CLI, report. */
function dispatch(): void {
  const times = Array.from({ length: Math.ceil(PAIRS / 3) }, (_, i) => {
    const task = path.join(root, '.tmp/task', `t${i}`);
    mkdirSync(task, { recursive: true });
    const manifest = {
      task_id: `t${i}`,
      goal: 'Nothing.',
      stages: [{ tool: 'codex', role: 'brief', requires: [], min_lines: 0 }],
    };
    writeFileSync(path.join(task, 'manifest.json'), JSON.stringify(manifest));
    return timed([path.resolve('dist/tollgate.cjs'), 'run', `t${i}`, '--quiet']);
  });
  console.log(
    `\nA whole dispatched stage with a no-op CLI: ${median(times).toFixed(0)} ms (median of ${times.length}).`,
  );
}

/** 1 GiB of stderr through a wrapper, its peak memory told by the process itself. */
function flood(): void {
  const told = path.join(root, 'rss');
  const hook = path.join(root, 'rss.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`,
  );
  const line = 'a line of stderr that says nothing in particular, and says it again and again and again';
  writeFileSync(
    path.join(bin, 'codex'),
    `#!/bin/sh\nyes '${line}' | head -c ${FLOOD_BYTES} >&2\n. '${path.resolve('test/rig/noop-cli.sh')}'\n`,
  );
  const ms = timed(['--require', hook, ...flagsFor('codex', '--max-output-bytes', String(2 * FLOOD_BYTES))]);
  const mib = Number(readFileSync(told, 'utf8')) / 1024;
  console.log(`\n1 GiB of stderr: ${(ms / 1000).toFixed(1)} s, peak ${mib.toFixed(0)} MiB of memory in the wrapper.`);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
