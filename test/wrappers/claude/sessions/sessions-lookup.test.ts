// Where claude's session files are found, and who uses one now.

import { symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CLAUDE_SESSIONS } from '../../../../wrappers/claude/sessions/store.ts';
import { processTable } from '../../../../wrappers/processes/table.ts';
import type { SessionFile } from '../../../../wrappers/sessions/store.ts';
import { writeLargeTranscript } from '../../../sessions/large.ts';
import { CLAUDE_ID, linesOf, SessionHome } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('claude sessions looked up');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('claude/three-turns.jsonl');
const idOf = (digit: number) => `${digit}`.repeat(8) + CLAUDE_ID.slice(8);

test('a session is found by its id, wherever it began', async ({ home }) => {
  for (const folder of ['-elsewhere', '-work']) {
    const file = home.transcript(THREE, CLAUDE_ID, folder);
    const { bytes, changedAtMs, ...found } = await find(home);
    assert.ok(bytes > 10_000 && Math.abs(Date.now() - changedAtMs) < 60_000);
    assert.equal(found, { tool: 'claude', id: CLAUDE_ID, file, cwd: '/work', cliVersion: '2.1.330' });
  }
  for (const id of ['', '..', `../-work/${CLAUDE_ID}`, `${CLAUDE_ID}.jsonl`, '__proto__', '.'])
    assert.is(await CLAUDE_SESSIONS.find(id, home.lookup), null);
});

test('$CLAUDE_CONFIG_DIR goes before the home', async ({ home }) => {
  home.write(`elsewhere/projects/-work/${CLAUDE_ID}.jsonl`, THREE);
  assert.is(await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup), null);
  const environment = { ...home.lookup.environment, CLAUDE_CONFIG_DIR: path.join(home.root, 'elsewhere') };
  assert.ok(await CLAUDE_SESSIONS.find(CLAUDE_ID, { ...home.lookup, environment }));
});

test('recent ones are those that changed, in any folder, the newest first', async ({ home }) => {
  const at = (file: string, time: string) => utimesSync(file, new Date(time), new Date(time));
  at(home.transcript(THREE, idOf(1)), '2026-01-02');
  at(home.transcript(THREE, idOf(2)), '2026-01-09');
  at(home.transcript(THREE, idOf(3), '-elsewhere'), '2026-01-10');
  at(home.transcript(['what?'], idOf(4)), '2026-01-10');
  at(home.transcript(THREE, 'agent-a1b2c3d4'), '2026-01-10');
  at(home.transcript(THREE, 'agent-a1b2c3d4', `-work/${idOf(2)}/subagents`), '2026-01-10');
  const found = await CLAUDE_SESSIONS.recent(home.lookup, new Date('2026-01-05'));
  assert.equal(
    found.map(({ id }) => id),
    [idOf(3), idOf(2)],
  );
});

test('without a store there is nothing', async ({ home }) => {
  assert.is(await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup), null);
  assert.equal(await CLAUDE_SESSIONS.recent(home.lookup, new Date(0)), []);
  assert.equal(CLAUDE_SESSIONS.links(home.lookup), []);
});

test('no link is followed, and each is told', async ({ home }) => {
  const away = home.write(`away/${CLAUDE_ID}.jsonl`, THREE);
  home.write('.claude/projects/-work/note', '');
  const links = ['linked', `-work/${CLAUDE_ID}.jsonl`].map((name) => path.join(home.root, '.claude/projects', name));
  symlinkSync(path.dirname(away), links[0]!);
  symlinkSync(away, links[1]!);
  assert.is(await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup), null);
  assert.equal(await CLAUDE_SESSIONS.recent(home.lookup, new Date(0)), []);
  assert.equal(CLAUDE_SESSIONS.links(home.lookup).sort(), links.sort());
});

test('the first prompt is there without the rest, however long it is', async ({ home }) => {
  home.transcript(THREE);
  assert.is(CLAUDE_SESSIONS.firstPrompt(await find(home)), 'ONE');
  home.transcript(THREE.slice(0, 2));
  assert.is(CLAUDE_SESSIONS.firstPrompt(await find(home)), null, 'it stands in the queue alone');
  const long = `ONE ${'x'.repeat(300_000)}`;
  home.transcript(THREE.map((line) => line.replace('"content":"ONE"', `"content":"${long}"`)));
  const session = await find(home);
  assert.is(CLAUDE_SESSIONS.firstPrompt(session), long);
  assert.is(session.cwd, '/work');
});

test('of a large file no more is kept than it takes', async ({ home }) => {
  const turns = writeLargeTranscript(home.transcript(''), CLAUDE_ID, { records: 4000, bytes: 8_000_000 });
  const conversation = CLAUDE_SESSIONS.open(await find(home));
  assert.is(conversation.turns, turns);
  assert.equal(
    conversation.read(turns - 19, turns).map(({ prompt }) => prompt),
    Array.from({ length: 20 }, (_, at) => `prompt ${turns - 19 + at}`),
  );
  assert.equal(conversation.contextTokens(), { input: 11 + turns, output: 7 });
});

const NOW = new Date('2026-01-02T03:04:05Z');

test('where nothing better tells, a file that changed lately is in use', async ({ home }) => {
  assert.is(await use(home, 29_000), 'its file changed 29 s ago');
  assert.is(await use(home, 30_000), null);
});

test('claude leaves a file while it runs, which says in which session', async ({ home }) => {
  const began = (await processTable.row(process.pid))!.startTime;
  const running = (name: string, told: object | string) =>
    home.write(`.claude/sessions/${name}`, typeof told === 'string' ? told : JSON.stringify(told));
  const mine = { pid: process.pid, sessionId: CLAUDE_ID, procStart: began };
  running('1.json', 'half a {');
  running('2.json', { ...mine, sessionId: idOf(1) });
  running('3.json', { ...mine, pid: 999_999_999 });
  running('4.key', mine);
  if (process.platform === 'linux') running('5.json', { ...mine, procStart: '1' });
  assert.is(await use(home, 0), null, 'none of them is it');
  running(`${process.pid}.json`, mine);
  assert.is(await use(home, 86_400_000), `claude (pid ${process.pid}) uses it`);
});

test.run();

async function find(home: SessionHome): Promise<SessionFile> {
  const session = await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup);
  assert.ok(session);
  return session;
}

/** @param agoMs when its file changed. */
async function use(home: SessionHome, agoMs: number): Promise<string | null> {
  const at = new Date(NOW.getTime() - agoMs);
  utimesSync(home.transcript(THREE), at, at);
  return CLAUDE_SESSIONS.usedBy(await find(home), home.lookup, NOW);
}
