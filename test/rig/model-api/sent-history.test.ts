// Tests that the history of a request is read the same in every dialect, and that a refused one is detected.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DialectName } from './dialects.ts';
import { isPaired, sentHistory } from './sent-history.ts';

const call = { functionCall: { id: 'c', name: 'run' } };
const response = { functionResponse: { id: 'c', name: 'run' } };

/** The same conversation in each dialect: a prompt, a call, its result, an answer, a prompt. */
const PAIRED: Record<DialectName, object> = {
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'one' }] },
      { role: 'model', parts: [call] },
      { role: 'user', parts: [response] },
      { role: 'model', parts: [{ text: 'two' }] },
      { role: 'user', parts: [{ text: 'three' }] },
    ],
  },
  chat: {
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: [{ type: 'text', text: 'three' }] },
    ],
  },
  responses: {
    input: [
      { role: 'user', type: 'message', content: [{ type: 'input_text', text: 'one' }] },
      { type: 'reasoning' },
      { type: 'function_call', call_id: 'c' },
      { type: 'function_call_output', call_id: 'c' },
      { role: 'assistant', type: 'message', content: [{ type: 'output_text', text: 'two' }] },
      { role: 'user', content: 'three' },
    ],
  },
  anthropic: {
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ],
  },
};

for (const [dialect, body] of Object.entries(PAIRED) as [DialectName, Record<string, unknown>][]) {
  test(`${dialect}: read as one shape`, () => {
    const history = sentHistory(dialect, body);
    assert.equal(
      history.map(({ by, text, calls, responses }) => [by, text, calls.length, responses.length]),
      [
        ['user', 'one', 0, 0],
        ['model', '', 1, 0],
        ['user', '', 0, 1],
        ['model', 'two', 0, 0],
        ['user', 'three', 0, 0],
      ],
    );
    assert.ok(isPaired(history));
  });
  test(`${dialect}: a call without its result, and a result without its call`, () => {
    const [list] = Object.keys(body);
    for (const by of ['model', 'user'] as const) {
      const entries = sentHistory(dialect, body);
      const at = entries.findIndex((entry) => entry.by === by && entry.calls.length + entry.responses.length > 0);
      assert.not(isPaired(entries.toSpliced(at, 1)), `${list} without entry ${at}`);
    }
  });
}

test('one call with its result twice is refused', () => {
  const [prompt, called, answered] = (PAIRED.gemini as { contents: object[] }).contents;
  assert.not(
    isPaired(sentHistory('gemini', { contents: [prompt, called, { role: 'user', parts: [response, response] }] })),
  );
  assert.not(isPaired(sentHistory('gemini', { contents: [prompt, called, answered, answered] })));
});

test.run();
