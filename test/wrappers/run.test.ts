// What the runner of a CLI tells of its end: what was left in its group, and a sleep of the machine.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type Invocation, run } from '../../wrappers/run.ts';
import { isAlive } from '../rig/survivors.ts';

const test = suite<{ folder: string }>('run');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'run-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const SILENT = { started: async () => {}, cancelling: async () => {} };
const NEVER = new Promise<void>(() => {});

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

test.run();
