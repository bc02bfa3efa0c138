// What lines of JSON of a described CLI tell, by the rows of its description.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OwnEvent } from '../../../policies/rules/described-cli.ts';
import { createLogReader, createReader, readRows } from '../../../policies/rules/described-events.ts';

const of = (row: Omit<OwnEvent, 'when'>, json: object, when: OwnEvent['when'] = {}) =>
  readRows([{ when, ...row }], json as Record<string, unknown>);

test('a row counts where its fields have one of its values', () => {
  const when = { type: ['text', 'say'], 'part.final': [true] };
  const row = { answer: 'part.text' };
  assert.equal(of(row, { type: 'say', part: { text: 'Hi.', final: true } }, when), [
    { how: 'said', text: 'Hi.', whole: true, message: null },
  ]);
  for (const json of [{ type: 'say', part: { text: 'Hi.' } }, { part: { text: 'Hi.', final: true } }, { type: 'no' }])
    assert.equal(of(row, json, when), []);
});

test('a step through a list is its place', () => {
  const choice = { choices: [{ text: 'Hi.' }] };
  assert.equal(of({ piece: 'choices.0.text' }, choice), [{ how: 'said', text: 'Hi.', whole: false, message: null }]);
});

test('the last of a list, a name with dots, and each of a list', () => {
  const json = { list: [{ n: 'a', ok: true }, 7, { n: 'b', ok: false }], of: { 'event.name': 'c' } };
  assert.equal(of({ model: 'list.-1.n' }, json), [{ how: 'model_named', model: 'b' }]);
  assert.equal(of({ model: 'of.event.name' }, json), [{ how: 'model_named', model: 'c' }]);
  const failed = (name: string) => ({ how: 'server', name, state: 'failed' });
  assert.equal(of({ each: 'list', server_failed: 'n' }, json), [failed('a'), failed('b')]);
  assert.equal(of({ each: 'list', server_failed: 'n' }, json, { ok: [false] }), [failed('b')]);
  for (const path of ['of', 'list.0', 'none']) assert.equal(of({ each: path, server_failed: 'n' }, json), []);
  assert.equal(of({ model: 'list.-1.n' }, { list: [] }), []);
});

test('a request before the end of the answer to the last one is a retry', () => {
  const rows = [
    { when: { type: ['ask'] }, requested: true },
    { when: { type: ['end'] }, answered: true },
  ] as const;
  const retriesIn = (reader: typeof rows | [(typeof rows)[0]], types: string[]) => {
    const read = createReader(reader);
    return types.map((type) => read({ type }).filter(({ how }) => how === 'retrying').length);
  };
  assert.equal(retriesIn(rows, ['ask', 'end', 'ask', 'text', 'ask', 'end', 'ask']), [0, 0, 0, 0, 1, 0, 0]);
  assert.equal(retriesIn([rows[0]], ['ask', 'ask']), [0, 0]);
});

test('a log has objects over one line or many, and what is none of them is passed over', () => {
  const read = createLogReader([{ when: {}, retry: 'why' }]);
  const retrying = (message: string) => ({ how: 'retrying', failure: { message } });
  const lines = [
    'noise',
    '{"why":"one"}',
    '{',
    '  "why": "two"',
    '}',
    '}',
    '{',
    'x',
    '}',
    '{',
    '{',
    '"why": "three"',
    '}',
  ];
  assert.equal(lines.flatMap(read), ['one', 'two', 'three'].map(retrying));
  assert.equal(['{', `"a": "${'x'.repeat(300_000)}",`, '"why": "long"', '}', '{"why":"after"}'].flatMap(read), [
    retrying('after'),
  ]);
});

test('session, model, a tool and a request', () => {
  const row = { session: 's', model: 'm', tool: 't', requested: true } as const;
  assert.equal(of(row, { s: 'id-1', m: 'small', t: 'bash' }), [
    { how: 'session_named', id: 'id-1' },
    { how: 'model_named', model: 'small' },
    { how: 'turn_began' },
    { how: 'requested' },
    { how: 'tool_ended', id: '', name: 'bash', denied: false },
  ]);
});

test('tokens that are told make up a total', () => {
  const row = { tokens: { input: 'u.in', output: 'u.out', cached: 'u.none' }, usd: 'u.usd' };
  assert.equal(of(row, { u: { in: 3, out: 4, usd: 0.5 } }), [
    { how: 'counted', usage: { input_tokens: 3, output_tokens: 4, usd: 0.5, total_tokens: 7 } },
  ]);
  assert.equal(of(row, { u: {} }), []);
  assert.equal(of({ ...row, adds: true }, { u: { in: 1 } }), [
    { how: 'counted', usage: { input_tokens: 1, total_tokens: null }, adds: true },
  ]);
});

test('a failure has its status, and what the body of the answer says more', () => {
  const row = { failure: 'error.message', status: 'error.status', details: 'error.body' };
  const body = '{"error":{"message":"no","code":"insufficient_quota"}}';
  assert.equal(of(row, { error: { message: 'Too many', status: 429, body } }), [
    { how: 'failed', failure: { message: 'Too many', status: 429, code: 'insufficient_quota', details: body } },
  ]);
  assert.equal(of(row, { error: { message: null } }), []);
});

test('an empty cause is none, unless the condition of its row says that there is one', () => {
  const row = { answer: 'text', failure: 'error', retry: 'error' };
  for (const error of ['', ' ', false, 0, [], {}]) {
    assert.equal(of(row, { text: 'Hi.', error }), [{ how: 'said', text: 'Hi.', whole: true, message: null }]);
    const [failed] = of({ failure: 'error' }, { type: 'end', error }, { type: ['end'] });
    assert.is(failed?.how, 'failed', JSON.stringify(error));
  }
  for (const error of ['no', true, 1, { code: 0 }, ['no']])
    assert.is(of(row, { text: 'Hi.', error }).at(-1)?.how, 'failed');
});

test('an answer that is not where the row looks for it is no success', () => {
  const [told, end] = of({ answer: 'out.text', completed: true }, { out: { txt: 'Hi.' } });
  assert.is(told?.how, 'stopped');
  assert.match((told as { failure: { message: string } }).failure.message, 'no field out.text');
  assert.is((told as { unless?: string }).unless, 'answered');
  assert.equal(end, { how: 'completed' });
});

test('a value of another type is no answer, and told', () => {
  for (const [value, kind] of [
    [5, 'a number'],
    [['Hi.'], 'a list'],
    [{ text: 'Hi.' }, 'an object'],
    [true, 'a boolean'],
  ] as const) {
    const [told] = of({ answer: 'text' }, { text: value });
    assert.match(
      (told as { failure: { message: string } }).failure.message,
      `has ${kind} and no text in its field text`,
    );
  }
  assert.equal(of({ answer: 'text' }, { text: null }), []);
});

test('what cannot be a session, a model or a count is unknown, and told', () => {
  const row = { session: 's', model: 'm', tokens: { input: 'i', output: 'o' }, usd: 'u' };
  const told = of(row, { s: '--force', m: ['x'], i: 'many', o: -5, u: { usd: 1 } });
  assert.equal(
    told,
    [
      ['s', 'a text ("--force")', 'id of a session'],
      ['m', 'a list', 'name of a model'],
      ['i', 'a text ("many")', 'count'],
      ['o', 'a number (-5)', 'count'],
      ['u', 'an object', 'count'],
    ].map(([field, kind, what]) => ({
      how: 'warned',
      message: `its field ${field} has ${kind}, which is no ${what}: it is taken for unknown`,
    })),
  );
  assert.equal(of(row, { s: 7, m: null, i: null }), [{ how: 'session_named', id: '7' }]);
});

test.run();
