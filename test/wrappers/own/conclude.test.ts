// What a described CLI told with its end: believed by its exit code, or by a document that is whole.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineFailure } from '../../../policies/facts/engine-event.ts';
import type { OwnTool } from '../../../policies/facts/tools.ts';
import type { OwnToolRow } from '../../../policies/rules/described-cli.ts';
import { ownAdapter } from '../../../wrappers/own/adapter.ts';
import { type CliExit, conclude, type EndedCli, type Written, writtenTo } from '../../../wrappers/own/conclude.ts';
import { describedAdapter } from '../../../wrappers/own/described.ts';

const test = suite<{ folder: string }>('the end of a described CLI');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'conclude-'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const STRANGER = describedAdapter('mine' as OwnTool).described!.row;
const rowOf = (more: Partial<OwnToolRow>): OwnToolRow => ({ ...STRANGER, ...more });
const ended = (printed: string | null, exit: CliExit = 0, written: Written = { how: 'absent' }): EndedCli => ({
  exit,
  printed: () => printed,
  written: () => written,
});
const said = (text: string) => ({ how: 'said', text, whole: true, message: null });
const DONE = { how: 'completed' };

test('text is an answer with an exit code of success alone', () => {
  const row = rowOf({ output: 'text', successExits: [0, 3] });
  assert.equal(conclude(row, ended('Hi.\n', 3)), [said('Hi.\n'), DONE]);
  assert.equal(conclude(row, ended('Hi.\n', 1)), []);
  assert.equal(conclude(row, ended('Hi.\n', 'unseen')), []);
  assert.equal(conclude(row, ended(null)), [{ how: 'outsized', what: 'answer' }, DONE]);
});

test('an answer with bytes that are not UTF-8 text is reported as altered', () => {
  const latin = Buffer.from('caf\xe9', 'latin1').toString('utf8');
  const warned = {
    how: 'warned',
    message: 'an answer with bytes that are not UTF-8 text; each is replaced by \uFFFD',
  };
  assert.equal(conclude(rowOf({ output: 'text' }), ended(latin)), [warned, said('caf\uFFFD'), DONE]);
  assert.equal(conclude(rowOf({ output: 'text' }), ended('café')), [said('café'), DONE]);
  const lines = ownAdapter(rowOf({ output: 'lines', events: [{ when: {}, answer: 'a' }] })).described!.reader();
  assert.equal(lines(`{"a":"${latin}"}`), [warned, said('caf\uFFFD')]);
  assert.equal(lines('{"a":"café"}'), [said('café')]);
});

test('a file is an answer where it was written', () => {
  const row = rowOf({ output: 'file' });
  assert.equal(conclude(row, ended('noise', 0, { how: 'read', text: 'Hi.' })), [said('Hi.'), DONE]);
  assert.equal(conclude(row, ended('noise', 0, { how: 'absent' })), [DONE]);
  assert.equal(conclude(row, ended('noise', 0, { how: 'too_large' })), [{ how: 'outsized', what: 'answer' }, DONE]);
});

test('what stands in the place of a file and is none is told, and told by what it is', ({ folder }) => {
  const at = (name: string) => path.join(folder, name);
  const looked = (name: string) => writtenTo(at(name), 3);
  writeFileSync(at('fits'), 'abc');
  writeFileSync(at('large'), 'abcd');
  symlinkSync('fits', at('link'));
  execFileSync('mkfifo', [at('fifo')]);
  assert.equal([looked('fits'), looked('large')], [{ how: 'read', text: 'abc' }, { how: 'too_large' }]);
  assert.equal([looked('none'), looked('link').how, looked('fifo').how], [{ how: 'absent' }, 'invalid', 'invalid']);
  const [failed, ...more] = conclude(rowOf({ output: 'file' }), ended('', 0, looked('link')));
  assert.is((failed as { failure: { code: string } }).failure.code, 'no_answer_field');
  assert.match((failed as { failure: { message: string } }).failure.message, 'is a symbolic link');
  assert.equal(more, []);
});

const JSON_ROW = rowOf({ output: 'json', events: [{ when: {}, answer: 'a', failure: 'e' }] });

test('a document that is whole stands for itself, also where nobody saw the end', () => {
  for (const exit of [0, 'unseen'] as const)
    assert.equal(conclude(JSON_ROW, ended('{"a":"Hi."}', exit)), [said('Hi.'), DONE]);
  for (const exit of [1, 'ended'] as const) assert.equal(conclude(JSON_ROW, ended('{"a":"Hi."}', exit)), [said('Hi.')]);
  assert.equal(conclude(JSON_ROW, ended('{"a":"H', 'unseen')), []);
});

test('a failure in a document is the end, whatever its exit code', () => {
  const failed = { how: 'failed', failure: { message: 'busy' } };
  for (const code of [0, 1]) assert.equal(conclude(JSON_ROW, ended('{"e":"busy"}', code)), [failed]);
});

test('a document without its answer, and what is none, is told as a mistake of the description', () => {
  const [stopped] = conclude(JSON_ROW, ended('{"b":1}'));
  assert.is((stopped as { failure: { code: string } }).failure.code, 'no_answer_field');
  const [failed, ...more] = conclude(JSON_ROW, ended('hello\n'));
  assert.is((failed as { failure: { code: string } }).failure.code, 'no_answer_field');
  assert.match((failed as { failure: { message: string } }).failure.message, 'what it printed is not a JSON object');
  assert.equal(more, []);
  assert.equal(conclude(JSON_ROW, ended('hello\n', 1)), []);
});

test('a list is a document whose paths begin with an index', () => {
  const row = rowOf({ output: 'json', events: [{ when: {}, answer: '-1.a' }] });
  assert.equal(conclude(row, ended('[{"b":1},{"a":"Hi."}]\n')), [said('Hi.'), DONE]);
  const told = (printed: string) => (conclude(row, ended(printed)) as { failure: EngineFailure }[])[0]!.failure.message;
  assert.match(told('[{"b":1},{"a":"H'), /JSON ended prematurely/);
  assert.match(told('{"a":"Hi."}'), /is no JSON list/);
  assert.match(told('[]'), /has no field -1\.a/);
});

test('the lines around an answer are omitted at its ends alone, and a failure counts its tokens too', () => {
  const row = rowOf({ omit: ['[*] ready'], trailer: ['{total} tokens'] });
  const counted = { how: 'counted', usage: { total_tokens: 12_000 } };
  const text = '[a] ready\r\n\nHi.\n[b] ready\nHo.\n12k tokens\n\n';
  assert.equal(conclude(row, ended(text)), [counted, said('Hi.\n[b] ready\nHo.'), DONE]);
  assert.equal(conclude(row, ended(text, 1)), [counted]);
  assert.equal(conclude(row, ended('many tokens\n')), [said('many tokens\n'.trimEnd()), DONE]);
});

const NO_DOCUMENT: [what: string, printed: string, told: RegExp, code: string | undefined][] = [
  ['a cut one', '{"a":"Hel', /JSON ended prematurely: what it printed is cut after 9 characters/, undefined],
  ['a list', '[{"a":"Hi."}]', /is a list and no JSON object/, 'no_answer_field'],
  ['words before it', 'Starting\n{"a":"Hi."}', /has more than one JSON object in it.*output: lines/, 'no_answer_field'],
  ['two', '{"a":"Hi."}\n{"a":"Ho."}', /has more than one JSON object/, 'no_answer_field'],
];
for (const [what, printed, told, code] of NO_DOCUMENT)
  test(`${what} in the place of a document is told as that`, () => {
    const [{ failure } = { failure: null }] = conclude(JSON_ROW, ended(printed)) as { failure: EngineFailure }[];
    assert.match(failure!.message, told);
    assert.is(failure!.code, code);
  });

test('lines of which none is JSON are a mistake of the description, if there are any', () => {
  const row = rowOf({ output: 'lines', events: [{ when: {}, answer: 'a', completed: true }] });
  const [told] = conclude(row, ended('You are not\nsigned in {"a"\n')) as { failure: EngineFailure }[];
  assert.match(told!.failure.message, 'has no line that is a JSON object');
  assert.equal(
    ['hm\n{}', '\n', '{"a":"H'].map((printed) => conclude(row, ended(printed))),
    [[], [], []],
  );
  assert.equal(conclude(row, ended('hm', 1)), []);
});

test('lines without a word for success go by the exit code', () => {
  const row = rowOf({ output: 'lines', events: [{ when: {}, answer: 'a' }] });
  assert.equal(conclude(row, ended('')), [DONE]);
  assert.equal(conclude(row, ended('', 1)), []);
  const told = rowOf({ output: 'lines', events: [{ when: {}, answer: 'a', completed: true }] });
  assert.equal(conclude(told, ended('')), []);
});

test.run();
