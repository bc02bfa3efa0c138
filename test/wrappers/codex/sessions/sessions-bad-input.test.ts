// Whatever lies where a codex session should be: a clear error that names the file, or what can be read of it, and the file untouched.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODEX_SESSIONS } from '../../../../wrappers/codex/sessions/store.ts';
import { type SessionFile, SessionFileError } from '../../../../wrappers/sessions/store.ts';
import { where } from '../../../rig/where-possible.ts';
import { apply, CODEX_ID, linesOf, SessionHome, sketch } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('bad codex sessions');
const asUser = where('user', test);
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('codex/three-turns.jsonl');
const META = THREE[0]!;
const NO_SESSION = 'it is not a session of codex: its first line is no session_meta record';

const REFUSED: readonly [string, string | Buffer | readonly string[], string][] = [
  ['empty', '', 'it is empty'],
  ['a line without an end', META, NO_SESSION],
  ['half a line', META.slice(0, 50), NO_SESSION],
  ['no JSON', 'what?\nwhat?\n', NO_SESSION],
  ['null', ['null', ...THREE], NO_SESSION],
  ['a list', ['[]', ...THREE], NO_SESSION],
  ['NUL bytes', Buffer.alloc(4096), NO_SESSION],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]), NO_SESSION],
  ['without its first line', THREE.slice(1), NO_SESSION],
  ['another CLI', linesOf('copilot/three-turns.jsonl'), NO_SESSION],
  [
    'another session',
    [META.replaceAll(CODEX_ID, 'other'), ...THREE.slice(1)],
    `it holds the session other, not ${CODEX_ID}`,
  ],
  [
    'no id at all',
    [META.replaceAll(CODEX_ID, '').replaceAll('"id":""', '"id":5').replaceAll('"session_id":""', '"a":1')],
    `it holds the session null, not ${CODEX_ID}`,
  ],
  [
    'a newer form',
    [META.replace('"paginated"', '"woven\\u001b[31m"').replace('"0.169.0"', '"0.200.0"'), ...THREE.slice(1)],
    'codex 0.200.0 wrote it in a form that is not known here ("woven [31m"): start a fresh session',
  ],
];

for (const [name, text, message] of REFUSED) {
  test(`refused: ${name}`, async ({ home }) => {
    const file = home.rollout(text);
    const before = readFileSync(file);
    const session = await CODEX_SESSIONS.find(CODEX_ID, home.lookup);
    assert.ok(session, 'it is there all the same');
    refuses(session, `${file}: ${message}`);
    assert.is(CODEX_SESSIONS.firstPrompt({ ...session, file: path.join(home.root, 'none') }), null);
    assert.equal(readFileSync(file), before);
  });
}

test('what is no file is not one of its sessions, and refused by name', async ({ home }) => {
  const file = home.rollout(THREE);
  const session = (await CODEX_SESSIONS.find(CODEX_ID, home.lookup))!;
  const place = (name: string) => path.join(path.dirname(file), name);
  mkdirSync(place('folder'));
  execFileSync('mkfifo', [place('fifo')]);
  symlinkSync(file, place('link'));
  for (const [name, what] of [
    ['folder', 'it is not a regular file'],
    ['fifo', 'it is not a regular file'],
    ['link', 'it is not a regular file'],
    ['gone', 'it cannot be read (ENOENT)'],
  ] as const) {
    refuses({ ...session, file: place(name) }, `${place(name)}: ${what}`);
    assert.is(CODEX_SESSIONS.firstPrompt({ ...session, file: place(name) }), null);
  }
});

test('a folder or a FIFO in the place of a session is passed over', async ({ home }) => {
  const day = path.join(home.root, '.codex/sessions/2026/01/02');
  mkdirSync(path.join(day, `rollout-2026-01-02T03-04-05-${CODEX_ID}.jsonl`), { recursive: true });
  execFileSync('mkfifo', [path.join(day, 'rollout-2026-01-02T03-04-05-fifo.jsonl')]);
  for (const id of [CODEX_ID, 'fifo']) assert.is(await CODEX_SESSIONS.find(id, home.lookup), null);
  assert.equal(await CODEX_SESSIONS.recent(home.lookup, new Date(0)), []);
});

test('without a store there is nothing', async ({ home }) => {
  assert.is(await CODEX_SESSIONS.find(CODEX_ID, home.lookup), null);
  assert.equal(await CODEX_SESSIONS.recent(home.lookup, new Date(0)), []);
  home.write('.codex/sessions', 'a file');
  assert.equal(await CODEX_SESSIONS.recent(home.lookup, new Date(0)), []);
});

asUser('what cannot be read is said so', async ({ home }) => {
  const file = home.rollout(THREE);
  const session = (await CODEX_SESSIONS.find(CODEX_ID, home.lookup))!;
  chmodSync(file, 0);
  refuses(session, `${file}: it cannot be read (EACCES)`);
});

const ALL = [
  'ONE: called responded "CANNED-ANSWER 42"',
  'TWO: "CANNED-ANSWER 42"',
  'THREE: called responded "CANNED-ANSWER 42"',
];

const READ: readonly [string, readonly string[]][] = [
  [
    'lines that are no records',
    THREE.flatMap((line, at) => (at % 3 === 0 ? [line, 'null', '[]', '5', '', '{"a"'] : line)),
  ],
  ['types that are not known', THREE.flatMap((line) => [line, '{"type":"new","payload":5}', '{"type":["x"]}', '{}'])],
  ['line ends of Windows', THREE.map((line) => `${line}\r`)],
  ['keys in another order', THREE.map((line, at) => (at === 0 ? line : JSON.stringify(turnedRound(JSON.parse(line)))))],
  ['spaces', THREE.map((line, at) => (at === 0 ? line : line.replaceAll('":', '" : ')))],
  ['fields of another kind', [...THREE, ...ODD_FIELDS()]],
  ['names that every object has', [...THREE, '{"__proto__":{"type":"x"},"type":"toString","payload":{"__proto__":1}}']],
];

for (const [name, lines] of READ) {
  test(`read all the same: ${name}`, async ({ home }) => {
    const file = home.rollout(lines);
    const session = (await CODEX_SESSIONS.find(CODEX_ID, home.lookup))!;
    const conversation = CODEX_SESSIONS.open(session);
    assert.equal(sketch(conversation.read(1, 9)), ALL);
    assert.equal(conversation.flaws('0.169.0'), []);
    apply(file, conversation.before(2));
    assert.equal(sketch(CODEX_SESSIONS.open(session).read(1, 9)), ALL.slice(0, 1));
  });
}

test('ids and texts of any kind come through', async ({ home }) => {
  const odd = ['__proto__', 'constructor', '\ud800 lone', '\u001b[31m', 'a"call_id":"b'];
  const file = home.rollout([
    ...THREE.slice(0, 9),
    ...odd.flatMap((id) => [
      said({ type: 'function_call', name: id, arguments: id, call_id: id }),
      said({ type: 'function_call_output', call_id: id, output: id }),
    ]),
    said({ type: 'function_call_output', call_id: '__proto__', output: 'again' }),
  ]);
  const session = (await CODEX_SESSIONS.find(CODEX_ID, home.lookup))!;
  const [turn] = CODEX_SESSIONS.open(session).read(1, 1);
  assert.equal(
    turn!.items.flatMap((item) => (item.how === 'responded' ? [[item.id, item.name, item.output]] : [])),
    [...odd.map((id) => [id, id, id]), ['__proto__', '__proto__', 'again']],
  );
  const flaws = CODEX_SESSIONS.open(session).flaws('0.169.0')!;
  assert.equal(flaws, [{ how: 'doubled_response', turn: 1, id: '__proto__', name: '__proto__' }]);
  apply(file, CODEX_SESSIONS.open(session).repair(flaws));
  assert.equal(CODEX_SESSIONS.open(session).flaws('0.169.0'), []);
});

test('one line of 50 MB', async ({ home }) => {
  const huge = said({ type: 'function_call_output', call_id: 'call_test1', output: 'x'.repeat(50_000_000) });
  home.rollout([...THREE, huge]);
  const conversation = CODEX_SESSIONS.open((await CODEX_SESSIONS.find(CODEX_ID, home.lookup))!);
  assert.is(conversation.turns, 3);
  assert.is(conversation.read(1, 1).length, 1);
});

test.run();

function refuses(session: SessionFile, message: string): void {
  assert.throws(
    () => CODEX_SESSIONS.open(session),
    (error: unknown) => error instanceof SessionFileError && error.file === session.file && error.message === message,
    message,
  );
}

function said(payload: object): string {
  return JSON.stringify({ timestamp: '2026-01-02T03:04:05.678Z', ordinal: 99, type: 'response_item', payload });
}

function turnedRound(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, key === 'payload' ? turnedRound(field) : field]),
  );
}

/** Records of known kinds whose fields are not what they should be; the last one has a number that codex counts on from. */
function ODD_FIELDS(): string[] {
  return [
    '{"timestamp":5,"ordinal":"x","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":"all"}}',
    '{"timestamp":5,"ordinal":7,"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-3}}',
    '{"ordinal":7,"type":"event_msg","payload":{"type":"token_count","info":null}}',
    '{"ordinal":7,"type":"response_item","payload":{"type":"message","role":"user","content":{"a":1}}}'.replace(
      '"user"',
      '"developer"',
    ),
    '{"ordinal":7,"type":"response_item","payload":{"type":"message","role":"assistant","content":[null,5,{"text":7}]}}',
    '{"ordinal":7,"type":"response_item","payload":null}',
    '{"ordinal":7,"type":"event_msg","payload":[1]}',
    '{"ordinal":70,"type":"world_state"}',
  ];
}
