// Turns, tokens and flaws of gemini's session files, in both formats.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SessionFileError } from '../../../wrappers/sessions/store.ts';
import { applied, FIXTURES, openText, readFixture, scratch } from '../gemini/session-files.ts';

const shape = (name: string, from = 1, to = 99) =>
  readFixture(name)
    .read(from, to)
    .map(({ number, prompt, items }) => [number, prompt, items.map(({ how }) => how).join(' ')]);

test('three turns, with the tokens of the last request of each', () => {
  const conversation = readFixture('plain.jsonl');
  assert.is(conversation.turns, 3);
  assert.equal(conversation.read(2, 3), [
    {
      number: 2,
      at: '2026-11-21T20:00:03.000Z',
      prompt: 'Name another one.',
      items: [{ how: 'said', text: 'Green.' }],
      tokens: { input: 110, output: 6 },
    },
    {
      number: 3,
      at: '2026-11-21T20:00:05.000Z',
      prompt: 'And a third one.',
      items: [{ how: 'said', text: 'Red.' }],
      tokens: { input: 121, output: 7 },
    },
  ]);
  assert.equal(conversation.read(1, 1)[0]!.items[0], { how: 'thought', text: 'Colours: Any will do.' });
  assert.equal(conversation.contextTokens(), { input: 121, output: 7 });
  assert.is(conversation.totalTokens(), 349);
  assert.equal(conversation.read(4, 9), []);
  assert.is(readFixture('tool-resumed.jsonl').totalTokens(), 382);
  assert.is(readFixture('two-calls-resumed.jsonl').totalTokens(), 233);
  assert.is(readFixture('rewound.jsonl').totalTokens(), 358, 'what was rewound was paid for');
  assert.is(readFixture('old.json').totalTokens(), 382);
  assert.equal(openText(`${FIXTURES['plain.jsonl']!.split('\n')[0]}\n`).contextTokens(), null);
});

test('a tool: its call and one response, however often the file holds it', () => {
  for (const name of ['tool.jsonl', 'tool-resumed.jsonl', 'old.json'])
    assert.equal(shape(name, 1, 1), [[1, 'List the files.', 'said called responded said']], name);
  assert.equal(readFixture('tool.jsonl').read(1, 1)[0]!.items.slice(1, 3), [
    { how: 'called', id: 'call-1', name: 'run_shell_command', input: '{"command":"ls","description":"look"}' },
    { how: 'responded', id: 'call-1', name: 'run_shell_command', output: 'a.txt', failed: false },
  ]);
});

test('what was rewound is gone, notes stay, orders to the CLI and unknown records are no prompts', () => {
  assert.equal(shape('rewound.jsonl'), [
    [1, 'Name a colour.', 'said noted'],
    [2, 'Name a river.', 'said'],
  ]);
});

test('a rewind to an id that does not stand forgets everything, as the CLI does', () => {
  const text = `${FIXTURES['plain.jsonl']}{"$rewindTo":"nobody"}\n`;
  assert.is(openText(text).turns, 0);
});

test('the last record of an id wins and keeps the place of the first', () => {
  const again = JSON.stringify({ id: 'answer-1', timestamp: 'x', type: 'gemini', content: 'Cyan.' });
  const turn = openText(`${FIXTURES['plain.jsonl']}${again}\n`).read(1, 1)[0]!;
  assert.equal(turn.items, [{ how: 'said', text: 'Cyan.' }]);
});

for (const [name, version, hows] of [
  ['plain.jsonl', '0.61.0', []],
  ['tool.jsonl', '0.61.0', ['doubled_response']],
  ['tool.jsonl', '0.52.0', ['doubled_response']],
  ['tool.jsonl', '0.40.0', []],
  ['tool.jsonl', '0.20.2', []],
  ['tool.jsonl', '0.45.0', null],
  ['tool.jsonl', '0.62.0', null],
  ['tool.jsonl', null, null],
  ['tool-resumed.jsonl', '0.61.0', ['doubled_response', 'doubled_response']],
  ['two-calls-resumed.jsonl', '0.61.0', Array(4).fill('doubled_response')],
  ['hanging.jsonl', '0.61.0', ['unanswered_call']],
  ['hanging.jsonl', '0.40.0', ['unanswered_call']],
  ['hanging.jsonl', null, ['unanswered_call']],
  ['old.json', '0.40.0', ['unanswered_call']],
] as const)
  test(`flaws of ${name} for ${version}`, () => {
    assert.equal(
      readFixture(name)
        .flaws(version)
        ?.map(({ how }) => how) ?? null,
      hows,
    );
  });

test('a response that nobody asked for', () => {
  const lines = FIXTURES['tool.jsonl']!.split('\n').filter((line) => !line.includes('toolCalls'));
  assert.equal(openText(lines.join('\n')).flaws('0.61.0'), [
    { how: 'stray_response', turn: 1, id: 'call-1', name: 'run_shell_command' },
  ]);
});

test('messages of the model in a row are sent as one, and so is what answers them', () => {
  const [call, response] = FIXTURES['tool.jsonl']!.split('\n').slice(6, 8);
  const hanging = FIXTURES['hanging.jsonl']!;
  const said = '{"id":"more","timestamp":"x","type":"gemini","content":"More."}';
  assert.equal(openText(`${hanging}${said}\n${response}\n`).flaws('0.61.0'), []);
  const later = openText(`${hanging}${FIXTURES['plain.jsonl']!.split('\n')[6]}\n${said}\n${response}\n`);
  assert.equal(
    later.flaws('0.61.0')!.map(({ how, turn }) => [how, turn]),
    [
      ['unanswered_call', 1],
      ['stray_response', 2],
    ],
  );
  assert.match(call!, 'toolCalls');
});

test('an id of the prototype is an id like any other', () => {
  const text = FIXTURES['tool.jsonl']!.replaceAll('call-1', '__proto__').replaceAll('step-1', 'constructor');
  assert.equal(openText(text).flaws('0.61.0'), [
    { how: 'doubled_response', turn: 1, id: '__proto__', name: 'run_shell_command' },
  ]);
});

test('line ends of Windows, blank lines, half a line at the end, or in the middle', () => {
  const plain = FIXTURES['plain.jsonl']!;
  const lines = plain.split('\n');
  for (const text of [
    plain.replaceAll('\n', '\r\n'),
    plain.replaceAll('\n', '\n\n'),
    `${plain}{"id":"prompt-4","timestamp":"2026-11-21T20:00:09.000Z","type":"user","content":[{"te`,
    [...lines.slice(0, 4), '{"id":"answer-0","timestamp":"x","type":"gemini","content":"half', ...lines.slice(4)].join(
      '\n',
    ),
  ])
    assert.equal(
      openText(text)
        .read(1, 9)
        .map(({ prompt, items }) => [prompt, items.at(-1)]),
      [
        ['Name a colour.', { how: 'said', text: 'Blue.' }],
        ['Name another one.', { how: 'said', text: 'Green.' }],
        ['And a third one.', { how: 'said', text: 'Red.' }],
      ],
    );
});

test('a last line that only lacks its newline counts', () => {
  const text = FIXTURES['plain.jsonl']!.trimEnd().split('\n').slice(0, -2).join('\n');
  assert.match(text, /"answer-3".*\}$/);
  assert.equal(openText(text).contextTokens(), { input: 121, output: 7 });
});

test('a record with a line end of Unicode is lost to the CLI, and to us', () => {
  const text = FIXTURES['plain.jsonl']!.replace('Green.', 'Green\u2028.');
  assert.equal(openText(text).read(2, 2)[0]!.items, []);
});

test('half of a letter', () => {
  const text = FIXTURES['plain.jsonl']!.replace('Name another one.', 'half \\ud83d of it');
  assert.is(openText(text).read(2, 2)[0]!.prompt, 'half \ud83d of it');
});

for (const [what, text, message] of [
  ['an empty file', '', 'is not a session of gemini'],
  ['a file of another program', '{"type":"session_meta","payload":{}}\n', 'is not a session of gemini'],
  ['no JSON', 'hello\n\0\0\0', 'is not a session of gemini'],
  ['a list', '[1,2]\n', 'is not a session of gemini'],
  [
    'a newer format',
    `{"sessionId":"a","projectHash":"b"}\n${'{"turn":{"v":2}}\n'.repeat(3)}`,
    'none of its 3 records is of a kind that we know; gemini of an unknown version wrote it',
  ],
] as const)
  test(`${what} is named with what is wrong`, () => {
    const file = path.join(scratch(), 'session-a.jsonl');
    const error = thrownBy(() => openText(text, file));
    assert.is(error.message, `${file}: ${message}`);
    assert.is(readFileSync(file, 'utf8'), text);
  });

test('one line of 50 MB', () => {
  const long = JSON.stringify({ id: 'answer-9', timestamp: 'x', type: 'gemini', content: 'x'.repeat(50_000_000) });
  const conversation = openText(`${FIXTURES['plain.jsonl']}${long}\n${FIXTURES['plain.jsonl']!.split('\n')[2]}\n`);
  assert.is(conversation.turns, 3);
  assert.equal(conversation.flaws('0.61.0'), []);
});

test('a list of messages as one huge line is taken apart, and if it is torn it is skipped', () => {
  const lines = FIXTURES['tool-resumed.jsonl']!.split('\n');
  const at = lines.findLastIndex((line) => line.includes('{"$set":{"messages"'));
  const set = JSON.parse(lines[at]!);
  const odd = '{"text": [1, "]}\\"]}, \u00e9 \\" '.repeat(60_000);
  set.$set.messages[1].content[0].text = `List all. ${odd}`;
  set.$set.messages.splice(1, 0, [{ id: 'in a list' }], 7, 'text', { note: 'no id' });
  const huge = JSON.stringify(set);
  const read = (line: string) => {
    const text = [...lines.slice(0, at), line, ...lines.slice(at + 1)].join('\n');
    const turns = openText(text).read(1, 9);
    assert.equal(
      turns.map(({ items }) => items.length),
      [4, 1],
    );
    return turns[0]!.prompt.length;
  };
  assert.ok(huge.length > 1024 * 1024);
  assert.is(read(huge), 'List all. '.length + odd.length);
  for (const torn of [huge.slice(0, -1), huge.replace('"no id"', 'no id'), huge.replace('I look.', 'I \u2028look.')])
    assert.is(read(torn), 'List the files.'.length);
});

test('mended files have no flaws, and people read the same in them', () => {
  for (const name of ['tool.jsonl', 'tool-resumed.jsonl', 'two-calls-resumed.jsonl', 'hanging.jsonl', 'old.json']) {
    const before = readFixture(name);
    const after = applied(name, before.repair(before.flaws('0.61.0')!));
    assert.equal(after.flaws('0.61.0'), [], name);
    const said = (turns: ReturnType<typeof before.read>) =>
      turns.map(({ prompt, items }) => [prompt, items.filter(({ how }) => how !== 'responded')]);
    assert.equal(said(after.read(1, 9)), said(before.read(1, 9)), name);
    assert.equal(after.repair([]), { how: 'none' });
  }
});

test.run();

function thrownBy(act: () => unknown): SessionFileError {
  try {
    act();
  } catch (error) {
    assert.instance(error, SessionFileError);
    return error as SessionFileError;
  }
  throw new Error('nothing was thrown');
}
