// What the walls around files cost: this build beside an older one, in turns, a wrapper and a stage on a tree of 1,000 files.
// `npm run bench:walls -- --against DIST [--pairs N]`; DIST is the dist/ of a worktree of the older commit.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { TOOLS } from '../policies/facts/tools.ts';
import { ADAPTERS } from '../wrappers/adapters.ts';

const FILES = 1000;
const FILES_IN_FOLDER = 50;
/** What the walls may cost. */
const GOAL_MS = { wrapper: 1, stage: 5 };

const { values } = parseArgs({ options: { against: { type: 'string' }, pairs: { type: 'string', default: '30' } } });
const pairs = Number(values.pairs);
if (values.against === undefined) {
  console.log(
    'SKIPPED: nothing to compare with. Build an older commit beside this one, and name its dist/:\n' +
      '  git worktree add /tmp/before COMMIT && cp -al node_modules /tmp/before/ && (cd /tmp/before && node build.mjs)\n' +
      '  npm run bench:walls -- --against /tmp/before/dist',
  );
  process.exit();
}
if (!(pairs >= 1) || !existsSync(path.join(values.against, 'tollgate.cjs'))) {
  console.error(
    `bench:walls: --pairs takes a number of at least 1, and ${values.against} must be a dist/ that was built`,
  );
  process.exit(2);
}
const SIDES = { now: path.resolve('dist'), before: path.resolve(values.against) } as const;
type Side = keyof typeof SIDES;
interface Cost {
  wall: number;
  /** User and system time of all that was waited for: other work on the machine disturbs it less. */
  cpu: number;
}

const root = mkdtempSync(path.join(tmpdir(), 'bench-walls-'));
const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${path.join(root, 'bin')}:${process.env.PATH}`, HOME: root };
// It adds 45 to 50 ms to every process of Node 20, on both sides.
delete env.NODE_EXTRA_CA_CERTS;
try {
  makeTree();
  console.log(`Medians of ${pairs} pairs in turns, node ${process.version}; ms. CPU: user and system, children too.\n`);
  console.log('| what | wall now | wall before | difference | CPU now | CPU before | difference | ratio | goal |');
  console.log(`|${'---|'.repeat(9)}`);
  // The older build may not have them all.
  for (const tool of TOOLS.filter((each) => existsSync(path.join(SIDES.before, `${ADAPTERS[each].command}.cjs`))))
    compare(ADAPTERS[tool].command, GOAL_MS.wrapper, (side) => wrapper(tool, side));
  compare('codex with --task', GOAL_MS.wrapper, (side) =>
    wrapper('codex', side, '--task', path.join('.tmp/task', `charged-${side}`)),
  );
  compare(`a stage on ${FILES} files`, GOAL_MS.stage, stage);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** The first pair warms what is cached, and does not count; who goes first changes from pair to pair. */
function compare(what: string, goalMs: number, run: (side: Side, n: number) => Cost): void {
  const all = Array.from({ length: pairs + 1 }, (_, n) => {
    if (n % 2 === 0) return { now: run('now', n), before: run('before', n) };
    const before = run('before', n);
    return { now: run('now', n), before };
  }).slice(1);
  const cells = (['wall', 'cpu'] as const).flatMap((kind) => [
    median(all.map(({ now }) => now[kind])).toFixed(1),
    median(all.map(({ before }) => before[kind])).toFixed(1),
    median(all.map(({ now, before }) => now[kind] - before[kind])).toFixed(1),
  ]);
  const ratio = median(all.map(({ now, before }) => now.cpu / before.cpu)).toFixed(2);
  console.log(`| ${[what, ...cells, ratio, `≤ ${goalMs}`].join(' | ')} |`);
}

function wrapper(tool: (typeof TOOLS)[number], side: Side, ...more: string[]): Cost {
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
  return timed([path.join(SIDES[side], `${ADAPTERS[tool].command}.cjs`), ...files, ...more]);
}

function stage(side: Side, n: number): Cost {
  const id = `${side}-${n}`;
  makeTask(id);
  const cost = timed([path.join(SIDES[side], 'tollgate.cjs'), 'run', id, '--quiet']);
  // What other tasks lie there costs too, and must be the same for both.
  rmSync(path.join(root, '.tmp/task', id), { recursive: true });
  return cost;
}

/** The shell waits for it, and says what it and its children took. */
function timed(argv: readonly string[]): Cost {
  const began = process.hrtime.bigint();
  const { status, stderr, stdout } = spawnSync(
    'bash',
    ['-c', '"$@" >/dev/null; code=$?; times; exit $code', 'bash', process.execPath, ...argv],
    { cwd: root, env, encoding: 'utf8' },
  );
  const wall = Number(process.hrtime.bigint() - began) / 1e6;
  if (status !== 0) throw new Error(`${argv.join(' ')} exited ${status}: ${stderr}`);
  const seconds = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return { wall, cpu: 1000 * seconds.slice(2).reduce((sum, each) => sum + each, 0) };
}

function makeTree(): void {
  mkdirSync(path.join(root, 'bin'));
  writeFileSync(path.join(root, 'ask.md'), 'Say hello.\n');
  for (const tool of TOOLS) {
    copyFileSync('test/rig/noop-cli.sh', path.join(root, 'bin', tool));
    chmodSync(path.join(root, 'bin', tool), 0o755);
  }
  for (let file = 0; file < FILES; file++) {
    const folder = path.join(root, 'src', `folder-${Math.floor(file / FILES_IN_FOLDER)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `file-${file}.ts`), `export const number = ${file};\n`);
  }
  execFileSync('git', ['init', '-q', '.'], { cwd: root });
  writeFileSync(path.join(root, '.gitignore'), '.tmp/\n.local/\no.*\n');
  for (const side of Object.keys(SIDES)) makeTask(`charged-${side}`);
}

function makeTask(id: string): void {
  const task = path.join(root, '.tmp/task', id);
  mkdirSync(path.join(task, 'inputs'), { recursive: true });
  writeFileSync(path.join(task, 'inputs/user_request.md'), 'Tell me.\n');
  const manifest = {
    task_id: id,
    goal: 'Nothing.',
    stages: [{ tool: 'codex', role: 'brief', requires: [], min_lines: 0 }],
    scope: { deny: ['secret/**'] },
    security: { forbidden_paths: ['.env'] },
    budgets: { paid_call_budget: 1000 },
  };
  writeFileSync(path.join(task, 'manifest.json'), JSON.stringify(manifest));
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
