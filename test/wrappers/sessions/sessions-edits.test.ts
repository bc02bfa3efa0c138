// Rewinds and repairs of gemini's session files: what the edit is, and what stands after it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Edit } from '../../../wrappers/sessions/store.ts';
import { applied, FIXTURES, openText, readFixture, textAfter } from '../gemini/session-files.ts';

const shape = (name: string, edit: Edit) =>
  applied(name, edit)
    .read(1, 99)
    .map(({ prompt, items }) => `${prompt} ${items.map(({ how }) => how).join(' ')}`.trim());

const rewind = (id: string): Edit => ({ how: 'append', text: `{"$rewindTo":"${id}"}\n` });

for (const [name, edit, turns] of [
  ['plain.jsonl', rewind('prompt-3'), ['Name a colour. thought said', 'Name another one. said']],
  ['tool-resumed.jsonl', rewind('prompt-2'), ['List the files. said called responded said']],
] as const)
  test(`before the last turn of ${name}`, () => {
    const before = readFixture(name);
    assert.equal(before.before(before.turns), edit);
    assert.equal(shape(name, edit), turns);
  });

test('after a prompt: it stays, its answer and all that follows go', () => {
  assert.equal(readFixture('plain.jsonl').afterPrompt(2), rewind('answer-2'));
  assert.equal(shape('plain.jsonl', rewind('answer-2')), ['Name a colour. thought said', 'Name another one.']);
  const after = applied('plain.jsonl', rewind('answer-2'));
  assert.equal(after.afterPrompt(2), { how: 'none' });
  assert.equal(after.contextTokens(), { input: 100, output: 5 });
});

test('the last step: an answer, then the call with its response, then the prompt', () => {
  const steps: string[] = [];
  let text = FIXTURES['tool-resumed.jsonl']!;
  for (;;) {
    const edit = openText(text).withoutLastStep();
    if (edit.how !== 'append') break;
    text = textAfter(text, edit);
    steps.push(JSON.parse(edit.text).$rewindTo);
  }
  assert.equal(steps, ['answer-2', 'prompt-2', 'answer-1', 'step-1']);
  assert.is(openText(text).turns, 1);
});

test('a session without a prompt is none for gemini', () => {
  const why = 'Nothing would remain of this session, and gemini resumes no empty one: start a fresh session instead.';
  assert.equal(readFixture('plain.jsonl').before(1), { how: 'impossible', why });
  assert.equal(applied('plain.jsonl', rewind('answer-1')).withoutLastStep(), { how: 'impossible', why });
});

test('a turn that there is not', () => {
  for (const turn of [0, -1, 4, 1.5, Number.NaN]) {
    assert.is(readFixture('plain.jsonl').before(turn).how, 'impossible', String(turn));
    assert.is(readFixture('plain.jsonl').afterPrompt(turn).how, 'impossible', String(turn));
  }
});

test('a second response becomes an empty note under its own id', () => {
  const tool = readFixture('tool.jsonl');
  assert.equal(tool.repair(tool.flaws('0.61.0')!), {
    how: 'append',
    text: '{"id":"response-1","timestamp":"2026-11-21T20:00:03.000Z","type":"info","content":""}\n',
  });
});

test('a call without a response gets one that says that nothing is known', () => {
  const hanging = readFixture('hanging.jsonl');
  const edit = hanging.repair(hanging.flaws('0.61.0')!);
  const mended = JSON.parse(edit.how === 'append' ? edit.text : '');
  const original = JSON.parse(FIXTURES['hanging.jsonl']!.trim().split('\n').at(-1)!);
  const response = { error: 'The tool was interrupted before it ended; no result is known.' };
  original.toolCalls[0].status = 'error';
  original.toolCalls[0].result = [{ functionResponse: { id: 'call-1', name: 'run_shell_command', response } }];
  assert.equal(mended, original);
});

test('only what is asked for is mended', () => {
  const resumed = readFixture('tool-resumed.jsonl');
  const flaws = resumed.flaws('0.61.0')!;
  assert.equal(resumed.repair([]), { how: 'none' });
  assert.equal(resumed.repair([{ ...flaws[0]!, turn: 2 }]), { how: 'none' });
});

test('behind half a line the edit begins with a new one', () => {
  const text = `${FIXTURES['plain.jsonl']}{"id":"prompt-4","timest`;
  const edit = openText(text).before(3);
  assert.equal(edit, { how: 'append', text: '\n{"$rewindTo":"prompt-3"}\n' });
  assert.is(openText(textAfter(text, edit)).turns, 2);
});

test('a record that the CLI cannot read is no place to rewind to', () => {
  const text = FIXTURES['plain.jsonl']!.replace('Name another one.', 'Name\u2028another one.');
  const conversation = openText(text);
  assert.equal(conversation.before(2), rewind('prompt-3'));
  assert.equal(conversation.afterPrompt(1), rewind('answer-1'));
});

test('the old document is replaced whole, and what it holds beside stays', () => {
  const old = readFixture('old.json');
  const rewound = old.before(2);
  assert.equal(shape('old.json', rewound), ['List the files. said called responded said']);
  const { messages, ...rest } = JSON.parse(rewound.how === 'replace' ? rewound.text : '');
  const { messages: before, ...restBefore } = JSON.parse(FIXTURES['old.json']!);
  assert.equal(rest, restBefore);
  assert.equal(messages, before.slice(0, 3));
  assert.equal(shape('old.json', old.afterPrompt(2))[1], 'How large is it?');
  assert.is(old.before(1).how, 'impossible');
});

test('unknown records stand where they stood', () => {
  const rewound = readFixture('rewound.jsonl');
  const edit = rewound.before(2);
  assert.ok(textAfter(FIXTURES['rewound.jsonl']!, edit).startsWith(FIXTURES['rewound.jsonl']!));
});

test.run();
