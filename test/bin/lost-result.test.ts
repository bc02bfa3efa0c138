// A result that cannot be written is no success, of any command; what was done and paid for is kept.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SUBCOMMANDS } from '../../bin/tollgate/subcommands.ts';
import { TOLLGATE_EXIT, WAIT_EXIT, WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type Fault, faultEnv } from '../rig/fault-shim.ts';
import { SESSION_IDS } from '../rig/session-files.ts';
import { makeIn } from '../rig/session-run.ts';
import { answerWith } from '../rig/streams.ts';
import { play, superviseTask } from '../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('lost result');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.answer((call) => answerWith(call.report.tool, 'ok'));
});
test.after.each(({ rig }) => rig.dispose());

const ID = SESSION_IDS.codex;
const CALL = ['--prompt-file=err', '--out=o', '--err=e'];

/** Of each word of tollgate, arguments with which it succeeds; `out` where it says so on stdout without --json, `lines` where --json is a line for each, `client` where it has nothing to say but to a client. */
const WORDS: Record<string, { argv: string[]; out: boolean; lines?: true; client?: true }> = {
  run: { argv: ['fix'], out: true },
  supervise: { argv: ['fix'], out: true },
  answer: { argv: ['fix', 'The old one.', '--later'], out: true },
  call: { argv: ['codex', ...CALL], out: false },
  accounts: { argv: [], out: true },
  distill: { argv: ['status'], out: true },
  tools: { argv: [], out: true },
  init: { argv: ['new'], out: true },
  explain: { argv: ['fix'], out: true },
  status: { argv: [], out: true },
  watch: { argv: ['fix', '--until-end'], out: true, lines: true },
  logs: { argv: ['fix', '--quiet'], out: true, lines: true },
  report: { argv: [], out: true },
  archive: { argv: ['--dry-run'], out: true },
  batch: { argv: ['fix'], out: true },
  compare: { argv: ['--list'], out: true },
  budget: { argv: ['fix'], out: true },
  sessions: { argv: ['list'], out: true },
  scope: { argv: ['ask', 'a.ts', '--task=fix'], out: true },
  history: { argv: [ID], out: true },
  undo: { argv: [ID, '--dry-run'], out: true },
  recover: { argv: [ID, '--choose=export'], out: true },
  triage: { argv: ['err', '--tool=codex'], out: true },
  signature: { argv: ['err'], out: true },
  preflight: { argv: ['--sweep'], out: true },
  wait: { argv: ['--task-1-done=a.done'], out: false },
  // Both need a database: test/fleet.
  submit: { argv: ['fix'], out: true, client: true },
  worker: { argv: [], out: true, client: true },
  fleet: { argv: ['setup', '--print'], out: true },
  mcp: { argv: [], out: false, client: true },
  trace: { argv: ['fix', '--dry-run'], out: true },
  doctor: { argv: ['--tools=codex', '--quick'], out: true },
  completion: { argv: ['bash'], out: true },
  trust: { argv: ['--list'], out: true },
  // Nobody could open an address that is lost, so it serves nobody and ends.
  console: { argv: [], out: true },
};

test('every word of tollgate has its row here', () => {
  assert.equal(Object.keys(WORDS).sort(), Object.keys(SUBCOMMANDS).sort());
});

const COMMANDS: [command: string, argv: string[], failure: number, out: boolean][] = [
  ...Object.entries(WORDS)
    .filter(([, { client }]) => client !== true)
    .map(([word, { argv, out }]): (typeof COMMANDS)[number] => [
      'tollgate',
      [word, ...argv],
      word === 'call' ? WRAPPER_EXIT.codex.failure : TOLLGATE_EXIT.failure,
      out,
    ]),
  ...TOOLS.map((tool): (typeof COMMANDS)[number] => [ADAPTERS[tool].command, CALL, WRAPPER_EXIT[tool].failure, false]),
  ['preflight', ['--sweep'], TOLLGATE_EXIT.failure, true],
  ['wait_parallel_tasks', ['--task-1-done=a.done'], WAIT_EXIT.failure, false],
];

const LOST =
  /^\w+: the result could not be written to stdout \((.+)\); (?:the work that was done and paid for is kept\. .+|it is in \S+\. Another call is paid again)\n$/m;

test('only these files write to stdout, so that one place reports a result that is lost', () => {
  const files = readdirSync('bin', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const writing = files.filter((name) =>
    /stdout'?\)?\.write\(|console\.(?:log|info|table)\(|writeSync\(|printing\('stdout'\)[;,]/.test(
      readFileSync(path.join('bin', name), 'utf8').replaceAll(/fitting\([^\n]*?, printing\('stdout'\)\)/g, ''),
    ),
  );
  assert.equal(writing.sort(), ['printing.ts', 'tollgate/mcp/serve.ts', 'tollgate/watch/watch.ts']);
});

for (const [command, argv, failure] of COMMANDS)
  test(`${[command, ...argv].join(' ')}: on a full disk its object is lost, and it fails`, async ({ rig }) => {
    await furnish(rig, argv);
    const { code, stderr } = await endWith(rig, command, [...argv, '--json'], '/dev/full');
    assert.equal([code, LOST.exec(stderr)?.[1]], [failure, 'ENOSPC'], stderr);
  });

test('the answer of a paid call whose files are not kept is in a file that the message names', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'paid for'));
  const words = ['call', 'codex', 'Say it.', '--no-files', '--trust-workspace'];
  const { code, stderr } = await endWith(rig, 'tollgate', words, '/dev/full');
  const file = /; it is in (\S+)\. Another call is paid again$/m.exec(stderr)?.[1];
  assert.equal([code, readFileSync(file!, 'utf8')], [WRAPPER_EXIT.codex.failure, 'paid for\n'], stderr);
});

/** Those that print by themselves, and of the others one of each kind: a page, a command without output, a wrapper. */
const WITHOUT_OBJECT = [
  'run',
  'watch',
  'logs',
  'console',
  'report',
  'call',
  'run_codex',
  'preflight',
  'wait_parallel_tasks',
];
for (const [command, argv, failure, out] of COMMANDS)
  if (WITHOUT_OBJECT.includes(command === 'tollgate' ? argv[0]! : command))
    test(`${[command, ...argv].join(' ')}: a full disk without --json; without a reader an object is lost, and lines are not missed`, async ({
      rig,
    }) => {
      await furnish(rig, argv);
      const text = await endWith(rig, command, argv, '/dev/full');
      assert.equal([text.code, LOST.exec(text.stderr)?.[1]], out ? [failure, 'ENOSPC'] : [0, undefined], text.stderr);
      const isLines = WORDS[argv[0]!]?.lines === true;
      const json = await endWith(rig, command, [...argv, '--json'], 'no reader');
      const lost = isLines ? [0, undefined] : [failure, 'its reader has gone'];
      assert.equal([json.code, LOST.exec(json.stderr)?.[1]], lost, json.stderr);
      const unread = await endWith(rig, command, argv, 'no reader');
      assert.equal([unread.code, LOST.test(unread.stderr)], [0, false], unread.stderr);
    });

test('an exit code that says more is kept', async ({ rig }) => {
  const { code, stderr } = await endWith(rig, 'tollgate', ['run', 'none', '--json'], '/dev/full');
  assert.is(code, 2);
  assert.match(stderr, LOST);
});

test('usage, help and the version count as results', async ({ rig }) => {
  for (const argv of [['--help'], ['help', 'report'], ['report', '--help'], ['-V'], ['report', '--format=json']])
    assert.is((await endWith(rig, 'tollgate', argv, '/dev/full')).code, 1, argv.join(' '));
});

test('JSONL on a full disk fails, and the rest is not read', async ({ rig }) => {
  rig.write('cases.jsonl', '{"text":"a"}\n');
  const { code, stderr } = await endWith(rig, 'tollgate', ['signature', '--jsonl', 'cases.jsonl'], '/dev/full');
  assert.equal([code, LOST.exec(stderr)?.[1]], [1, 'ENOSPC']);
});

test('a run whose result is lost has its answer, and asks no second time', async ({ rig }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  assert.is((await endWith(rig, 'tollgate', ['run', 'fix', '--json'], '/dev/full')).code, 1);
  assert.match(task.read('outputs/_summary.md'), '# Task fix: done');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

const FAULTS: [does: NonNullable<Fault['does']>, code: string][] = [
  ['EIO', 'EIO'],
  ['SHORT', 'nothing more is taken'],
];
for (const [does, code] of FAULTS)
  withFaults(`a file that meets ${does}`, async ({ rig }) => {
    const folder = path.join(rig.root, 'disk');
    mkdirSync(folder);
    const file = path.join(folder, 'report.json');
    const log = path.join(rig.root, 'counted');
    const fault = { in: 'tollgate.cjs', under: folder };
    const report = () => endWith(rig, 'tollgate', ['report', '--json'], file);
    Object.assign(rig.env, faultEnv({ ...fault, log }));
    assert.is((await report()).code, 0);
    const whole = statSync(file).size;
    const at = Number(/^(\d+) write /m.exec(readFileSync(log, 'utf8'))![1]);
    Object.assign(rig.env, faultEnv({ ...fault, at, times: 0, does }));
    const ended = await report();
    assert.equal([ended.code, LOST.exec(ended.stderr)?.[1]], [1, code], ended.stderr);
    assert.ok(statSync(file).size < whole);
  });

/** What each of them needs; only a call that was made has something to show. */
async function furnish(rig: TestRig, argv: readonly string[]): Promise<void> {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }], scope: { allow: ['a.ts'] } });
  makeIn(rig, 'codex', [{ prompt: 'one', answer: 'ONE' }]);
  rig.write('err', 'Error: boom');
  rig.write('a.done', '0');
  rmSync(path.join(rig.project, '.tmp/task/new'), { recursive: true, force: true });
  if (argv[0] === 'supervise' || argv[0] === 'answer') {
    superviseTask(rig);
    play(rig, [{ action: 'done', summary: 'All of it.' }]);
  }
  if (argv[0] === 'doctor') rig.env.CODEX_API_KEY = 'sk-test-0000';
  if (argv[0] === 'logs' || argv[0] === 'trace') assert.is((await task.run()).code, 0);
}

const DIST = path.resolve(import.meta.dirname, '../../dist');

/** Its reader has gone before anybody writes: a command is fast, and we may be held up for as long as it takes. */
function pipeWithoutReader(rig: TestRig): number {
  const pipe = path.join(rig.root, 'pipe');
  rmSync(pipe, { force: true });
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, 'w');
  closeSync(reader);
  return writer;
}

/** Runs a command to its end. @param to the file that is its stdout, or a pipe that nobody reads. */
async function endWith(rig: TestRig, command: string, argv: string[], to: string) {
  const fd = to === 'no reader' ? pipeWithoutReader(rig) : openSync(to, 'w');
  const child = spawn(process.execPath, [path.join(DIST, `${command}.cjs`), ...argv], {
    cwd: rig.project,
    env: rig.env,
    stdio: ['ignore', fd, 'pipe'],
    timeout: 200_000,
  });
  closeSync(fd);
  let stderr = '';
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, stderr };
}

test.run();
