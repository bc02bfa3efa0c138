// sessions.json: what people and newer versions wrote stays, what cannot be read stops nobody, and any name is a tag.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionEntry } from '../../../policies/session/session-entry.ts';
import { readSessions, sessionsFile, writeSessions } from '../../../state/sessions/sessions-file.ts';

const test = suite<{ folder: string }>('sessions file');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'sessions-'));
  mkdirSync(path.join(context.folder, 'state'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const clock = () => new Date('2026-11-21T21:00:00.000Z');
const entry = (session_id: string): SessionEntry => ({
  session_id,
  last_used: clock().toISOString(),
  error_count: 0,
  total_tokens: 0,
  context_tokens: null,
  feature_id: 'a',
  cwd: '/p',
});
const write = (folder: string, value: unknown) =>
  writeFileSync(sessionsFile(folder), typeof value === 'string' ? value : JSON.stringify(value));
const stored = (folder: string) => JSON.parse(readFileSync(sessionsFile(folder), 'utf8'));

test('what is not known is kept, in its place, and the order stays', async ({ folder }) => {
  const old = {
    note: 'by hand',
    active_sessions: { b: { codex: { ...entry('s1'), mine: 1 }, cursor: 2 }, a: {} },
    v: 9,
  };
  write(folder, old);
  const sessions = await readSessions(folder, clock);
  await writeSessions(
    folder,
    sessions.with('b', 'codex', { ...entry('s2'), poisoned: 'x' }).with('c', 'gemini', entry('s3')),
  );
  const now = stored(folder);
  assert.equal(
    [Object.keys(now), Object.keys(now.active_sessions)],
    [
      ['note', 'active_sessions', 'v'],
      ['b', 'a', 'c'],
    ],
  );
  assert.equal(now.active_sessions.b, { codex: { ...entry('s2'), mine: 1, poisoned: 'x' }, cursor: 2 });
  assert.match(readFileSync(sessionsFile(folder), 'utf8'), /^\{\n {2}"note"/);
});

test('a session that is good again is no longer poisoned', async ({ folder }) => {
  const sessions = (await readSessions(folder, clock)).with('a', 'codex', { ...entry('s1'), poisoned: 'x' });
  assert.is(sessions.with('a', 'codex', entry('s1')).entry('a', 'codex')?.poisoned, undefined);
});

for (const tag of ['__proto__', 'constructor', 'toString', 'größe 2.5 "x"', '12'])
  test(`${tag} is a tag like others`, async ({ folder }) => {
    const empty = await readSessions(folder, clock);
    assert.is(empty.entry(tag, 'codex'), null);
    await writeSessions(folder, empty.with(tag, 'codex', entry('s1')));
    const read = await readSessions(folder, clock);
    assert.is(read.entry(tag, 'codex')?.session_id, 's1');
    assert.equal(read.without(tag, 'codex', 's1').entries(), []);
    assert.is(({} as Record<string, unknown>).codex, undefined);
  });

const CORRUPT: [what: string, text: string][] = [
  ['half a file', '{"active_sessions": {"a": '],
  ['a list', '[]'],
  ['no JSON', 'hello'],
];
for (const [what, text] of CORRUPT)
  test(`${what} is set aside with a word, and nothing of it is lost`, async ({ folder }) => {
    write(folder, text);
    const sessions = await readSessions(folder, clock);
    assert.match(sessions.warnings().join(), 'is not a JSON object; it was moved to');
    const aside = readdirSync(path.join(folder, 'state')).find((name) => name.includes('unreadable'));
    assert.is(readFileSync(path.join(folder, 'state', aside!), 'utf8'), text);
    await writeSessions(folder, sessions.with('a', 'codex', entry('s1')));
    assert.is((await readSessions(folder, clock)).entry('a', 'codex')?.session_id, 's1');
  });

test('whoever only looks leaves a broken file where it is', async ({ folder }) => {
  write(folder, 'hello');
  assert.is((await readSessions(folder, clock, 'in_place')).warnings().length, 1);
  assert.equal(readdirSync(path.join(folder, 'state')), ['sessions.json']);
});

const NEWER: [what: string, active: unknown][] = [
  ['tags of another shape', [1, 2]],
  ['a tag of another shape', { a: 'x' }],
  ['an entry of another shape', { a: { codex: 'x' } }],
  ['an entry without its id', { a: { codex: { ...entry('s1'), session_id: undefined } } }],
  ['an id that would be taken for a flag', { a: { codex: { ...entry('s1'), session_id: '--yolo' } } }],
  ['an id that means whatever session was the last', { a: { codex: { ...entry('s1'), session_id: 'latest' } } }],
  ['an id that is a place in a list', { a: { codex: { ...entry('s1'), session_id: '3' } } }],
  ['a count that is none', { a: { codex: { ...entry('s1'), error_count: -1 } } }],
];
for (const [what, active_sessions] of NEWER)
  test(`${what}: ignored, and left as it is`, async ({ folder }) => {
    write(folder, { active_sessions });
    const sessions = await readSessions(folder, clock);
    assert.is(sessions.entry('a', 'codex'), null);
    assert.equal(sessions.with('a', 'codex', entry('s2')).json, sessions.json);
    assert.equal(sessions.without('a', 'codex', 's1').json, sessions.json);
    if (typeof (active_sessions as { a?: unknown }).a !== 'string') assert.is(sessions.warnings().length, 1);
  });

test('what was given up is remembered, up to a number', async ({ folder }) => {
  let sessions = await readSessions(folder, clock);
  for (let i = 0; i < 201; i++) sessions = sessions.givingUp('codex', `s${i}`);
  assert.equal(
    [0, 1, 200].map((i) => sessions.isGivenUp('codex', `s${i}`)),
    [false, true, true],
  );
  assert.not(sessions.isGivenUp('gemini', 's200'));
});

test('a link in its place is replaced, and what it leads to stays', async ({ folder }) => {
  const other = path.join(folder, 'other.json');
  writeFileSync(other, '{}');
  symlinkSync(other, sessionsFile(folder));
  await writeSessions(folder, (await readSessions(folder, clock)).with('a', 'codex', entry('s1')));
  assert.is(readFileSync(other, 'utf8'), '{}');
  assert.is(stored(folder).active_sessions.a.codex.session_id, 's1');
});

test('a folder in its place is set aside whole, told, and a file is written', async ({ folder }) => {
  const file = sessionsFile(folder);
  mkdirSync(file);
  writeFileSync(path.join(file, 'mine'), 'precious');
  const looked = await readSessions(folder, clock, 'in_place');
  assert.equal(looked.warnings(), [`${file} is a folder, and no regular file; no session is known`]);
  const sessions = await readSessions(folder, clock);
  const [, aside] = /moved to (.+);/.exec(sessions.warnings().join()) ?? [];
  assert.is(readFileSync(path.join(aside!, 'mine'), 'utf8'), 'precious');
  mkdirSync(file);
  await writeSessions(folder, sessions.with('a', 'codex', entry('s1')));
  assert.is(stored(folder).active_sessions.a.codex.session_id, 's1');
});

test('what was written or read last is not gone through again, and one letter that a person changes in it is seen', async ({
  folder,
}) => {
  const written = (await readSessions(folder, clock)).with('a', 'codex', entry('s1'));
  await writeSessions(folder, written);
  const first = await readSessions(folder, clock);
  assert.is(first.json, written.json);
  assert.is(await readSessions(folder, clock), first);
  writeFileSync(sessionsFile(folder), readFileSync(sessionsFile(folder), 'utf8').replace('s1', 's2'));
  assert.is((await readSessions(folder, clock)).entry('a', 'codex')?.session_id, 's2');
});

test('what is read as it was written is what another process reads', async ({ folder }) => {
  const given: SessionEntry = { ...entry('s1'), poisoned: 'x', in_place_of: 's0' };
  const written = (await readSessions(folder, clock)).with('a', 'codex', given).givingUp('codex', 's0');
  await writeSessions(folder, written);
  assert.equal((await readSessions(folder, clock)).json, stored(folder));
});

test.run();
