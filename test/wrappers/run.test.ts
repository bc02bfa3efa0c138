// What a CLI that ends at once leaves behind without the marker: found by its group alone.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { run } from '../../wrappers/run.ts';
import { isAlive } from '../rig/survivors.ts';

test('what a CLI that ended at once left in its group is ended, whatever its environment', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'run-'));
  const file = (name: string) => path.join(folder, name);
  try {
    writeFileSync(file('cli'), '#!/bin/sh\nenv -i sleep 60 >/dev/null 2>&1 & echo $! >left\n');
    chmodSync(file('cli'), 0o755);
    writeFileSync(file('stdin'), '');
    const outcome = await run(
      {
        command: file('cli'),
        argv: [],
        cwd: folder,
        environment: { PATH: process.env.PATH },
        files: { stdin: file('stdin'), stdout: file('stdout'), stderr: file('stderr'), usage: file('usage') },
        marker: 'no/body',
        retries: 'cut',
        limits: { wallMs: 30_000, idleMs: null, startMs: null, maxTurns: null, maxOutputBytes: 1000 },
        adapter: ADAPTERS.codex,
      },
      { started: async () => {}, cancelling: async () => {} },
      new Promise(() => {}),
    );
    assert.equal([outcome.ending, outcome.orphansKilled], ['exited', 1]);
    assert.not(isAlive(Number(readFileSync(file('left'), 'utf8'))));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
