// Whatever lies where a claude session should be: a clear error that names the file, or what can be read of it, and the file untouched.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CLAUDE_SESSIONS } from '../../../../wrappers/claude/sessions/store.ts';
import { type SessionFile, SessionFileError } from '../../../../wrappers/sessions/store.ts';
import { apply, CLAUDE_ID, linesOf, SessionHome, sketch } from '../../../sessions/session-home.ts';

const test = suite<{ home: SessionHome }>('bad claude sessions');
test.before.each((context) => {
  context.home = new SessionHome();
});
test.after.each(({ home }) => home.dispose());

const THREE = linesOf('claude/three-turns.jsonl');
const NO_SESSION = 'it is not a session of claude: its first line is not a record of one';

const REFUSED: readonly [string, string | Buffer | readonly string[], string][] = [
  ['empty', '', 'it is empty'],
  ['a line without an end', THREE[0]!, NO_SESSION],
  ['no JSON', 'what?\nwhat?\n', NO_SESSION],
  ['null', ['null', ...THREE], NO_SESSION],
  ['a list', ['[]', ...THREE], NO_SESSION],
  ['NUL bytes', Buffer.alloc(4096), NO_SESSION],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]), NO_SESSION],
  ['another CLI', linesOf('copilot/three-turns.jsonl'), NO_SESSION],
  [
    'another session',
    THREE.map((line) => line.replaceAll(CLAUDE_ID, 'other\\u001b')),
    `it holds the session other , not ${CLAUDE_ID}`,
  ],
  [
    'killed before its first prompt',
    THREE.slice(0, 2),
    'none of its 2 records is part of a conversation; claude of an unknown version wrote it',
  ],
];

for (const [name, text, message] of REFUSED) {
  test(`refused: ${name}`, async ({ home }) => {
    const file = home.transcript(text);
    const before = readFileSync(file);
    const session = await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup);
    assert.ok(session, 'it is there all the same');
    refuses(session, `${file}: ${message}`);
    assert.equal(readFileSync(file), before);
  });
}

test('what is no file is not one of its sessions, and refused by name', async ({ home }) => {
  const file = home.transcript(THREE);
  const session = (await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup))!;
  const place = (name: string) => path.join(path.dirname(file), name);
  mkdirSync(place('folder.jsonl'));
  execFileSync('mkfifo', [place('fifo.jsonl')]);
  symlinkSync(file, place('link.jsonl'));
  for (const [name, what] of [
    ['folder', 'it is not a regular file'],
    ['fifo', 'it is not a regular file'],
    ['link', 'it is not a regular file'],
    ['gone', 'it cannot be read (ENOENT)'],
  ] as const) {
    const other = { ...session, file: place(`${name}.jsonl`) };
    refuses(other, `${other.file}: ${what}`);
    assert.is(CLAUDE_SESSIONS.firstPrompt(other), null);
    assert.is(await CLAUDE_SESSIONS.find(name, home.lookup), null);
  }
});

const ALL = [
  'ONE: thought called called responded responded "CANNED-ANSWER 42"',
  'TWO: "CANNED-ANSWER 42"',
  'THREE: called responded "CANNED-ANSWER 42"',
];
const LAST = JSON.parse(THREE.findLast((line) => line.includes('"type":"assistant"'))!).uuid;
const sidelong = (record: object) => JSON.stringify({ parentUuid: LAST, ...record });

const READ: readonly [string, readonly string[]][] = [
  ['lines that are no records', THREE.flatMap((line, at) => (at % 3 ? line : [line, 'null', '[]', '5', '', '{"a"']))],
  ['types that are not known', THREE.flatMap((line) => [line, '{"type":"new-kind","uuid":"x"}', '{"type":[]}', '{}'])],
  ['line ends of Windows', THREE.map((line) => `${line}\r`)],
  ['keys in another order', THREE.map(turnedRound)],
  ['spaces', THREE.map((line) => line.replaceAll('":', '" : '))],
  ['without its first lines', THREE.slice(2)],
  [
    'fields of another kind',
    [
      ...THREE,
      sidelong({ type: 'user', uuid: 5, message: {} }),
      sidelong({ type: 'assistant', uuid: 'a', message: null }),
      sidelong({ type: 'assistant', uuid: 'b', parentUuid: 'a', message: { id: [], content: 5, usage: [] } }),
      sidelong({ type: 'user', uuid: 'c', parentUuid: 'b', isMeta: true, message: { content: [null, { text: 5 }] } }),
      '{"type":"last-prompt","leafUuid":5,"explicit":true}',
    ],
  ],
  [
    'names that every object has',
    [...THREE, sidelong({ type: 'toString', uuid: '__proto__' }), '{"type":"last-prompt","leafUuid":"constructor"}'],
  ],
  ['rows that follow themselves', [...THREE, sidelong({ type: 'system', uuid: 'a', parentUuid: 'a' }), markOf(LAST)]],
];

for (const [name, lines] of READ) {
  test(`read all the same: ${name}`, async ({ home }) => {
    const file = home.transcript(lines);
    const session = (await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup))!;
    const conversation = CLAUDE_SESSIONS.open(session);
    assert.equal(sketch(conversation.read(1, 9)), ALL);
    assert.equal(conversation.contextTokens(), { input: 150, output: 7 });
    assert.is(conversation.totalTokens(), 785);
    apply(file, conversation.before(2));
    assert.equal(sketch(CLAUDE_SESSIONS.open(session).read(1, 9)), ALL.slice(0, 1));
  });
}

test('rows in a ring come to an end', async ({ home }) => {
  const ring = ['a', 'b'].map((uuid, at) => sidelong({ type: 'system', uuid, parentUuid: ['b', 'a'][at] }));
  home.transcript([...THREE, ...ring, markOf('a')]);
  assert.is(CLAUDE_SESSIONS.open((await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup))!).turns, 0);
});

test('one line of 50 MB', async ({ home }) => {
  home.transcript([...THREE, sidelong({ type: 'system', uuid: 'huge', content: 'x'.repeat(50_000_000) })]);
  const conversation = CLAUDE_SESSIONS.open((await CLAUDE_SESSIONS.find(CLAUDE_ID, home.lookup))!);
  assert.is(conversation.turns, 3);
  assert.is(conversation.read(1, 1).length, 1);
});

test.run();

function refuses(session: SessionFile, message: string): void {
  assert.throws(
    () => CLAUDE_SESSIONS.open(session),
    (error: unknown) => error instanceof SessionFileError && error.file === session.file && error.message === message,
    message,
  );
}

function turnedRound(line: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
}
function markOf(leafUuid: string): string {
  return JSON.stringify({ type: 'last-prompt', leafUuid, explicit: true, sessionId: CLAUDE_ID });
}
