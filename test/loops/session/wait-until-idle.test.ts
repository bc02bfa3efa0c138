// The wait for a session that may still be written: told to stop, it ends at once and gives back what it held.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tryLockSession } from '../../../loops/session/session-turn.ts';
import { waitUntilIdle } from '../../../loops/session/wait-until-idle.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';

test('told to stop while it waits, it lets the session go', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'idle-'));
  try {
    const place = path.join(home, '.gemini/tmp/project');
    mkdirSync(path.join(place, 'chats'), { recursive: true });
    writeFileSync(path.join(place, '.project_root'), home);
    const text = readFileSync(path.resolve(import.meta.dirname, '../../sessions/gemini/hanging.jsonl'), 'utf8');
    const { sessionId } = JSON.parse(text.split('\n')[0]!) as { sessionId: string };
    // Written just now, by nobody knows whom.
    writeFileSync(path.join(place, 'chats', `session-2026-11-21T20-04-${sessionId.slice(0, 8)}.jsonl`), text);
    const lookup = { environment: { HOME: home }, cwd: home };
    const store = await ADAPTERS.gemini.sessions();
    const session = (await store.find(sessionId, lookup))!;
    const clock = () => new Date();
    const told = new AbortController();
    const said: string[] = [];
    const idle = await waitUntilIdle(
      { store, session, lookup, clock },
      (what) => {
        said.push(what);
        told.abort('SIGINT');
      },
      told.signal,
    );
    assert.equal([idle, said.length], [{ how: 'stopped' }, 1]);
    const lock = await tryLockSession(session, lookup.environment, clock);
    assert.is(lock.how, 'held');
    if (lock.how === 'held') lock.release();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test.run();
