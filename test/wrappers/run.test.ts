// What the runner of a CLI tells of its end: what was left in its group, and a sleep of the machine.

import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSuccess } from '../../policies/facts/evidence.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { findGroup, ownGroup } from '../../wrappers/processes/cgroup.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import { type Invocation, run } from '../../wrappers/run.ts';
import { SESSION, STREAMS } from '../rig/streams.ts';
import { isAlive } from '../rig/survivors.ts';

const test = suite<{ folder: string }>('run');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'run-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const SILENT = { started: async () => {}, cancelling: async () => {} };
const NEVER = new AbortController().signal;
/** The marker of a call, which is its id. */
const CALL = '20260101000000-0badcafe';

function invocation(folder: string, script: string): Invocation {
  const file = (name: string) => path.join(folder, name);
  writeFileSync(file('cli'), `#!/bin/sh\n${script}\n`);
  chmodSync(file('cli'), 0o755);
  writeFileSync(file('stdin'), '');
  return {
    command: file('cli'),
    argv: [],
    cwd: folder,
    environment: { PATH: process.env.PATH },
    files: { stdin: file('stdin'), stdout: file('stdout'), stderr: file('stderr'), usage: file('usage') },
    marker: 'no/body',
    retries: 'cut',
    limits: { wallMs: 30_000, idleMs: null, startMs: null, maxTurns: null, maxOutputBytes: 1000 },
    adapter: ADAPTERS.codex,
  };
}

test('what a CLI that ended at once left in its group is ended, whatever its environment', async ({ folder }) => {
  const left = invocation(folder, 'env -i sleep 60 >/dev/null 2>&1 & echo $! >left');
  const outcome = await run(left, SILENT, NEVER);
  assert.equal([outcome.ending, outcome.orphansKilled], ['exited', 1]);
  assert.not(isAlive(Number(readFileSync(path.join(folder, 'left'), 'utf8'))));
});

test('a machine that slept meanwhile is told of; its sleep counts for no deadline', async ({ folder }) => {
  const clocks = [
    { steadyMs: 1000, bootMs: 1000 },
    { steadyMs: 2000, bootMs: 3_602_000 },
  ];
  const outcome = await run(invocation(folder, 'exit 3'), SILENT, NEVER, () => clocks.shift()!);
  assert.equal([outcome.ending, outcome.exitCode, outcome.sleptMs], ['exited', 3, 3_600_000]);
});

test('one that was awake is not', async ({ folder }) => {
  assert.is((await run(invocation(folder, 'exit 3'), SILENT, NEVER)).sleptMs, 0);
});

test('a throw of the observer is told; nothing of ours is left that would keep us from ending', async ({ folder }) => {
  const before = watches();
  const cancelling = async () => {
    throw new Error('no disk');
  };
  const stop = new AbortController();
  try {
    await run(invocation(folder, 'exec sleep 60'), { started: async () => stop.abort(), cancelling }, stop.signal);
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'no disk');
  }
  assert.equal([watches(), filesOpenIn(folder)], [before, []]);
});

test('told to stop before it begins, it starts nothing', async ({ folder }) => {
  const outcome = await run(invocation(folder, ': >began'), SILENT, AbortSignal.abort());
  assert.equal([outcome.ending, outcome.exitCode, outcome.silent], ['cancelled', null, true]);
  assert.equal(readdirSync(folder).sort(), ['cli', 'stdin']);
});

test('arguments that the system refuses at once leave no file open', async ({ folder }) => {
  const tooLong = { ...invocation(folder, 'exit 0'), argv: ['x'.repeat(4 * 1024 * 1024)] };
  assert.is((await run(tooLong, SILENT, NEVER)).ending, 'not_started');
  assert.equal(filesOpenIn(folder), []);
});

for (const [what, spoil] of [
  ['is gone', rmSync],
  ['may not be executed', (cli: string) => chmodSync(cli, 0o644)],
  ['names an interpreter that is not there', (cli: string) => writeFileSync(cli, '#!/no/such/shell\n')],
] as const)
  test(`a CLI that ${what} when it is to be started was not started`, async ({ folder }) => {
    const missing = { ...invocation(folder, 'exit 0'), marker: CALL };
    spoil(missing.command);
    const outcome = await run(missing, SILENT, NEVER);
    assert.equal([outcome.ending, outcome.exitCode], ['not_started', null]);
    assert.ok(outcome.spawnError!.message.includes(missing.command), outcome.spawnError!.message);
    assert.is(findGroup(CALL), null);
  });

for (const code of [126, 127])
  test(`a CLI that ends with ${code} by itself was started`, async ({ folder }) => {
    const script = `echo "$0: 1: exec: $0: not found" >&2; exit ${code}`;
    const { ending, exitCode } = await run({ ...invocation(folder, script), marker: CALL }, SILENT, NEVER);
    assert.equal([ending, exitCode], ['exited', code]);
  });

const home = ownGroup()?.group ?? null;
const inGroup = home === null ? test.skip : test;
if (home === null) console.log('SKIPPED: no cgroup of version 2 can be made here');
for (const [kind, names] of [
  ['usual', {}],
  // As npm sets them; a shell hands on no such names.
  ['other', { 'npm_config_//host/:_token': 'a=b c', 'A-B': '' }],
] as const)
  inGroup(`a CLI with ${kind} names in its environment runs in the group, with all of them`, async ({ folder }) => {
    const script =
      'until grep -q /tollgate- /proc/self/cgroup; do :; done; cat /proc/self/cgroup; cat /proc/$$/environ >names';
    const told = invocation(folder, script);
    const environment = { ...told.environment, ...names, SPACE: ' a\nb' };
    const { ending } = await run({ ...told, environment, marker: CALL }, SILENT, NEVER);
    assert.is(ending, 'exited');
    assert.match(readFileSync(told.files.stdout, 'utf8'), `/tollgate-${CALL}\n`);
    // What a shell adds of its own.
    const own = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
    const lines = readFileSync(path.join(folder, 'names'), 'utf8').split('\0').filter(Boolean);
    const seen = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
    assert.equal(Object.fromEntries(seen.filter(([name]) => !own.has(name))), environment);
  });

/** A CLI that says this, and on SIGTERM the rest, with the exit code 0. */
function speaker(folder: string, before: readonly string[], after: readonly string[]): Invocation {
  const save = (name: string, lines: readonly string[]) =>
    writeFileSync(path.join(folder, name), lines.map((line) => `${line}\n`).join(''));
  save('before', before);
  save('after', after);
  return invocation(folder, `trap 'cat after; exit 0' TERM\ncat before\nsleep 60 &\nwait`);
}

const LIMITS = { wallMs: 30_000, idleMs: null, startMs: null, maxTurns: null, maxOutputBytes: 1_000_000 };

for (const tool of TOOLS) {
  const { opens, says, runsTool, retries, succeeds } = STREAMS[tool];
  const half = [...opens(SESSION), ...says('half of an')];
  const rest = [...says('answer'), ...succeeds(SESSION)];
  const causes = [
    ['timed_out', half, { wallMs: 1500 }],
    ['idle', half, { idleMs: 1500 }],
    ['max_turns', [...half, ...runsTool('ok')], { maxTurns: 1 }],
    ['overflowed', [...half, ...says('x'.repeat(5000))], { maxOutputBytes: 4000 }],
    ...(tool === 'gemini' ? [] : [['retry_cut', [...half, ...retries('overloaded', 503)], {}] as const]),
    ['lingered', [...opens(SESSION), ...succeeds(SESSION)], {}],
  ] as const;

  for (const [ending, before, limits] of causes)
    test(`${tool}, ${ending}: what it says after our signal makes no success`, async ({ folder }) => {
      const adapter = { ...ADAPTERS[tool], lingerMs: 100 };
      const speaking = { ...speaker(folder, before, rest), adapter, limits: { ...LIMITS, ...limits } };
      const { ending: seen, capture } = await run(speaking, SILENT, NEVER);
      assert.equal([seen, isSuccess({ ...capture, answerChars: capture.answer.length })], [ending, false]);
    });

  test(`${tool}, cancelled: what it says after our signal makes no success`, async ({ folder }) => {
    const stop = new AbortController();
    const adapter = {
      ...ADAPTERS[tool],
      readEvent: (line: string) => {
        const events = ADAPTERS[tool].readEvent(line);
        if (events.some(({ how }) => how === 'said')) stop.abort();
        return events;
      },
    };
    const speaking = { ...speaker(folder, half, rest), adapter, limits: LIMITS };
    const { ending, capture } = await run(speaking, SILENT, stop.signal);
    assert.equal([ending, capture.completed, capture.answer], ['cancelled', false, 'half of an']);
  });

  test(`${tool}: a success before our signal counts, whatever follows it`, async ({ folder }) => {
    const adapter = { ...ADAPTERS[tool], lingerMs: 100 };
    const speaking = { ...speaker(folder, [...half, ...rest], half), adapter, limits: LIMITS };
    const { ending, capture } = await run(speaking, SILENT, NEVER);
    assert.equal([ending, capture.completed], ['lingered', true]);
  });

  test(`${tool}: an answer over the limit of output is no success, though it ended before it was looked at`, async ({
    folder,
  }) => {
    const all = [...opens(SESSION), ...says('x'.repeat(5000)), ...succeeds(SESSION)];
    const { ending, capture } = await run(
      {
        ...speaker(folder, all, []),
        adapter: ADAPTERS[tool],
        limits: { ...LIMITS, maxOutputBytes: 4000 },
      },
      SILENT,
      NEVER,
    );
    assert.equal([ending, capture.completed], ['overflowed', false]);
  });
}

test('a CLI that cannot be ended is told of, and not waited for', async ({ folder }) => {
  const { signal } = processTable;
  processTable.signal = async (rows) => ({ hit: [], refused: [...rows] });
  const pids: number[] = [];
  const started = async (pid: number) => void pids.push(pid);
  // No cgroup can have such a name, so that the kernel ends nothing for us.
  const stuck = { ...invocation(folder, 'exec sleep 20'), marker: 'no/body\0' };
  try {
    const { ending, exitCode, survivors } = await run(
      { ...stuck, limits: { ...stuck.limits, wallMs: 100 } },
      { ...SILENT, started },
      NEVER,
    );
    assert.equal([ending, exitCode, isAlive(pids[0]!)], ['timed_out', null, true]);
    assert.ok(survivors?.length === 1 && survivors[0]!.startsWith(`${pids[0]} (sleep`), String(survivors));
  } finally {
    processTable.signal = signal;
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  }
});

const watches = () => process.getActiveResourcesInfo().filter((kind) => /^(FSEvent|Timeout)/.test(kind)).length;

/** Where the system tells it. */
const filesOpenIn = (folder: string): string[] =>
  process.platform !== 'linux'
    ? []
    : readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          const file = readlinkSync(`/proc/self/fd/${fd}`);
          return file.startsWith(`${folder}/`) ? [file] : [];
        } catch {
          return [];
        }
      });

test.run();
