// Whatever lies where a copilot session should be: a clear error that names the file, or what can be read of it, and the file untouched.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COPILOT_SESSIONS } from '../../../../wrappers/copilot/sessions/store.ts';
import { type SessionFile, SessionFileError } from '../../../../wrappers/sessions/store.ts';
import { apply, COPILOT_ID, linesOf, SessionHome, sketch } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('bad copilot sessions');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('copilot/three-turns.jsonl');
const START = THREE[0]!;
const NO_SESSION = 'it is not a session of copilot: its first line is no session.start event';

const REFUSED: readonly [string, string | Buffer | readonly string[], string][] = [
  ['empty', '', 'it is empty'],
  ['a line without an end', START, NO_SESSION],
  ['half a line', START.slice(0, 50), NO_SESSION],
  ['no JSON', 'what?\nwhat?\n', NO_SESSION],
  ['null', ['null', ...THREE], NO_SESSION],
  ['a list', ['[]', ...THREE], NO_SESSION],
  ['NUL bytes', Buffer.alloc(4096), NO_SESSION],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]), NO_SESSION],
  ['without its first line', THREE.slice(1), NO_SESSION],
  ['another CLI', linesOf('codex/three-turns.jsonl'), NO_SESSION],
  [
    'another session',
    [START.replaceAll(COPILOT_ID, 'other'), ...THREE.slice(1)],
    `it holds the session other, not ${COPILOT_ID}`,
  ],
  [
    'a newer form',
    [START.replace('"version":1', '"version":2').replace('"1.0.102"', '"2.0.0\\u001b"'), ...THREE.slice(1)],
    'copilot 2.0.0  wrote it in a form that is not known here (version 2): start a fresh session',
  ],
  [
    'no form',
    [START.replace('"version":1', '"version":"1"')],
    'copilot 1.0.102 wrote it in a form that is not known here (version null): start a fresh session',
  ],
];

for (const [name, text, message] of REFUSED) {
  test(`refused: ${name}`, async ({ home }) => {
    const file = home.events(text);
    const before = readFileSync(file);
    const session = await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup);
    assert.ok(session, 'it is there all the same');
    refuses(session, `${file}: ${message}`);
    assert.equal(readFileSync(file), before);
  });
}

test('what is no file is not one of its sessions, and refused by name', async ({ home }) => {
  const file = home.events(THREE);
  const session = (await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup))!;
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
    assert.is(COPILOT_SESSIONS.firstPrompt({ ...session, file: place(name) }), null);
  }
});

test('a folder or a FIFO in the place of the events is passed over', async ({ home }) => {
  const state = path.join(home.root, '.copilot/session-state');
  mkdirSync(path.join(state, COPILOT_ID, 'events.jsonl'), { recursive: true });
  mkdirSync(path.join(state, 'fifo'));
  execFileSync('mkfifo', [path.join(state, 'fifo/events.jsonl')]);
  home.write('.copilot/session-state/file', 'x');
  for (const id of [COPILOT_ID, 'fifo', 'file']) assert.is(await COPILOT_SESSIONS.find(id, home.lookup), null);
  assert.equal(await COPILOT_SESSIONS.recent(home.lookup, new Date(0)), []);
});

test('without a store there is nothing', async ({ home }) => {
  assert.is(await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup), null);
  assert.equal(await COPILOT_SESSIONS.recent(home.lookup, new Date(0)), []);
});

const ALL = [
  'ONE: called responded "CANNED-ANSWER 42"',
  'TWO: "CANNED-ANSWER 42"',
  'THREE: called responded "CANNED-ANSWER 42"',
];

const READ: readonly [string, readonly string[]][] = [
  [
    'lines that are no events',
    THREE.flatMap((line, at) => (at % 3 === 0 ? [line, 'null', '[]', '5', '', '{"a"'] : line)),
  ],
  ['types that are not known', THREE.flatMap((line) => [line, '{"type":"new.kind","data":5}', '{"type":["x"]}', '{}'])],
  ['line ends of Windows', THREE.map((line) => `${line}\r`)],
  ['keys in another order', THREE.map((line, at) => (at === 0 ? line : turnedRound(line)))],
  ['spaces', THREE.map((line, at) => (at === 0 ? line : line.replaceAll('":', '" : ')))],
  [
    'a sub-agent without a name',
    [...THREE, '{"type":"assistant.message","data":{"parentToolCallId":null,"content":"x"}}'],
  ],
  [
    'fields of another kind',
    [
      ...THREE,
      '{"type":"user.message","data":null}',
      '{"type":"user.message","data":{"content":5}}',
      '{"type":"assistant.message","data":{"content":[1],"toolRequests":"x"}}',
      '{"type":"session.usage_record","data":{"usage":[]}}',
      '{"type":"assistant.turn_start"}',
    ],
  ],
  [
    'names that every object has',
    [...THREE, '{"__proto__":{"type":"user.message"},"type":"toString","data":{"__proto__":1}}'],
  ],
];

for (const [name, lines] of READ) {
  test(`read all the same: ${name}`, async ({ home }) => {
    const file = home.events(lines);
    const session = (await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup))!;
    const conversation = COPILOT_SESSIONS.open(session);
    assert.equal(sketch(conversation.read(1, 9)), ALL);
    assert.equal(conversation.contextTokens(), { input: 11, output: 7 });
    apply(file, conversation.before(2));
    assert.equal(sketch(COPILOT_SESSIONS.open(session).read(1, 9)), ALL.slice(0, 1));
  });
}

test('ids and texts of any kind come through', async ({ home }) => {
  const odd = ['__proto__', 'constructor', '\ud800 lone', '\u001b[31m'];
  home.events([
    ...THREE.slice(0, 2),
    ...odd.flatMap((id) => [
      JSON.stringify({
        type: 'assistant.message',
        data: { content: '', toolRequests: [{ toolCallId: id, name: id }] },
      }),
      JSON.stringify({ type: 'tool.execution_complete', data: { toolCallId: id, result: { content: id } } }),
    ]),
  ]);
  const [turn] = COPILOT_SESSIONS.open((await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup))!).read(1, 1);
  assert.equal(
    turn!.items.flatMap((item) => (item.how === 'responded' ? [[item.id, item.name, item.output]] : [])),
    odd.map((id) => [id, id, id]),
  );
});

test('one line of 50 MB', async ({ home }) => {
  const huge = JSON.stringify({
    type: 'tool.execution_complete',
    data: { result: { content: 'x'.repeat(50_000_000) } },
  });
  home.events([...THREE, huge]);
  const conversation = COPILOT_SESSIONS.open((await COPILOT_SESSIONS.find(COPILOT_ID, home.lookup))!);
  assert.is(conversation.turns, 3);
  assert.is(conversation.read(1, 1).length, 1);
});

test.run();

function refuses(session: SessionFile, message: string): void {
  assert.throws(
    () => COPILOT_SESSIONS.open(session),
    (error: unknown) => error instanceof SessionFileError && error.file === session.file && error.message === message,
    message,
  );
}

function turnedRound(line: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
}
