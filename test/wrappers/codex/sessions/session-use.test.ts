// Whether a session of codex or copilot is in use, by the locks that they hold and the files that they leave.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODEX_SESSIONS } from '../../../../wrappers/codex/sessions/store.ts';
import { COPILOT_SESSIONS } from '../../../../wrappers/copilot/sessions/store.ts';
import { where } from '../../../rig/where-possible.ts';
import { CODEX_ID, COPILOT_ID, linesOf, SessionHome } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('sessions in use');
const onLinux = where('linux', test);
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const NOW = new Date('2026-01-02T03:04:05Z');
const STORES = {
  codex: {
    store: CODEX_SESSIONS,
    id: CODEX_ID,
    begin: (home: SessionHome) => home.rollout(linesOf('codex/three-turns.jsonl')),
  },
  copilot: {
    store: COPILOT_SESSIONS,
    id: COPILOT_ID,
    begin: (home: SessionHome) => home.events(linesOf('copilot/three-turns.jsonl')),
  },
} as const;
const LOCK = `.codex/thread-writer-locks/${CODEX_ID}.lock`;
const state = (name: string) => `.copilot/session-state/${COPILOT_ID}/${name}`;

for (const tool of ['codex', 'copilot'] as const) {
  test(`where nothing better tells, a ${tool} file that changed lately is in use`, async ({ home }) => {
    for (const [agoMs, expected] of [
      [0, 'its file changed 0 s ago'],
      [29_000, 'its file changed 29 s ago'],
      [30_000, null],
      [86_400_000, null],
      [-20_000, 'its file changed 0 s ago'],
      [-86_400_000, null],
    ] as const)
      assert.is(await use(home, tool, agoMs), expected, `${agoMs} ms ago`);
  });
}

onLinux('codex holds a lock while it runs', async ({ home }) => {
  const lock = home.write(LOCK, '');
  assert.is(await use(home, 'codex', 0), null, 'a lock that a killed one left behind');
  const holder = await hold(lock);
  assert.is(await use(home, 'codex', 86_400_000), `codex (pid ${holder.pid}) holds its lock`);
  holder.kill('SIGKILL');
  await once(holder, 'close');
  assert.is(await use(home, 'codex', 0), null);
});

test('without a lock codex does not run, if it has locks at all', async ({ home }) => {
  home.write('.codex/thread-writer-locks/.coordination.lock', '');
  assert.is(await use(home, 'codex', 0), null);
});

test('copilot leaves a file while it runs', async ({ home }) => {
  home.write(state('inuse.999999999.lock'), '999999999');
  assert.is(await use(home, 'copilot', 0), null, 'that process is gone');
  home.write(state(`inuse.${process.pid}.lock`), '');
  assert.is(await use(home, 'copilot', 86_400_000), `copilot (pid ${process.pid}) uses it`);
});

onLinux('copilot holds a lock too, which tells it from a later process of that number', async ({ home }) => {
  home.write(state(`inuse.${process.pid}.lock`), '');
  const lock = home.write(state(`inuse.${process.pid}.hold`), '');
  assert.is(await use(home, 'copilot', 0), null);
  const holder = await hold(lock);
  assert.is(await use(home, 'copilot', 0), `copilot (pid ${process.pid}) uses it`);
  holder.kill('SIGKILL');
  await once(holder, 'close');
});

test('without such a file copilot does not run, if it leaves any at all', async ({ home }) => {
  home.write(state('.workspace-fork.lock'), '');
  home.write(state('inuse.lock'), '');
  assert.is(await use(home, 'copilot', 0), null);
});

test.run();

/** @param agoMs when its file changed. */
async function use(home: SessionHome, tool: keyof typeof STORES, agoMs: number): Promise<string | null> {
  const { store, id, begin } = STORES[tool];
  const at = new Date(NOW.getTime() - agoMs);
  utimesSync(begin(home), at, at);
  const session = await store.find(id, home.lookup);
  assert.ok(session);
  return store.usedBy(session, home.lookup, NOW);
}

/** A process that holds a lock on this file, once it does. */
async function hold(file: string): Promise<ChildProcess> {
  const holder = spawn('flock', ['--no-fork', file, 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(holder.stdout, 'data');
  return holder;
}
