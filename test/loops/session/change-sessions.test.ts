// Twenty processes that change sessions.json at once lose nothing of each other's, not even when one is killed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSessions } from '../../../state/sessions/sessions-file.ts';
import { ownScript } from '../../rig/own-script.ts';

const CHANGER = path.join(import.meta.dirname, '../../rig/sessions-changer.ts');

test('twenty processes', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sessions-'));
  mkdirSync(path.join(folder, 'state'));
  try {
    const start = (tag: string, count: number) =>
      spawn(process.execPath, [...ownScript(CHANGER), folder, tag, String(count)], { stdio: 'inherit' });
    const killed = start('killed', 100_000);
    const gone = once(killed, 'exit');
    const changers = Array.from({ length: 20 }, (_, i) => start(`t${i}`, 2));
    const codes = await Promise.all(
      changers.map(async (changer, i) => {
        const [code] = await once(changer, 'exit');
        // It may die with the file in its hands.
        if (i === 0) killed.kill('SIGKILL');
        return code;
      }),
    );
    await gone;
    assert.equal([...new Set(codes)], [0]);
    const sessions = await readSessions(folder, () => new Date());
    const kept = sessions.entries().filter(({ tag }) => tag.startsWith('t'));
    assert.is(kept.length, 40);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test.run();
