// A journal that is read again, as a long run does: what is the same is not parsed anew, and what is not counts as it stands.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fact } from '../../../state/journal/facts.ts';
import { createDryRunJournal, foldAnew, openJournal } from '../../../state/journal/journal.ts';

const clock = () => new Date('2026-01-02T03:04:05Z');
const owner = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const reserved = (call_id: string): Fact => ({
  fact: 'reserved',
  call_id,
  run_id: null,
  stage: 'gemini_brief',
  tool: 'gemini',
  attempt: 1,
  for_prompt: null,
  guardian: owner,
  deadline_at: '2026-01-02T03:09:05Z',
});
test('who has read before reads what was changed, taken out, ended or added since, and what he read stays as it was', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
  const journal = openJournal(folder, clock);
  const calls = () => {
    const { ledger, offset, torn } = journal.read();
    assert.equal(openJournal(folder, clock).read(), { ledger, offset, torn });
    return [[...ledger.calls.keys()].join(''), ledger.used, torn];
  };
  for (const id of ['a', 'b']) journal.append(reserved(id));
  const first = journal.read().ledger;
  assert.equal(calls(), ['ab', 2, 0]);
  const text = readFileSync(journal.file, 'utf8');
  writeFileSync(journal.file, text.replace('"call_id":"a"', '"call_id":"z"'));
  assert.equal(calls(), ['zb', 2, 0]);
  writeFileSync(journal.file, text.slice(0, text.indexOf('\n') + 1));
  assert.equal(calls(), ['a', 1, 0]);
  const line = `${JSON.stringify({ v: 1, at: clock().toISOString(), ...reserved('c') })}\n`;
  appendFileSync(journal.file, line.slice(0, 40));
  assert.equal(calls(), ['a', 1, 1]);
  appendFileSync(journal.file, line.slice(40));
  assert.equal(calls(), ['ac', 2, 0]);
  appendFileSync(journal.file, 'half of a line\n');
  assert.equal(calls(), ['ac', 2, 1]);
  assert.equal(calls(), ['ac', 2, 1]);
  assert.equal([[...first.calls.keys()].join(''), first.used], ['ab', 2]);
  rmSync(folder, { recursive: true });
});

test('who reads the same bytes again gets the same fold, and who folds on what is in no file has one of his own', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
  const journal = openJournal(folder, clock);
  journal.append(reserved('a'));
  const { ledger } = journal.read();
  assert.is(journal.read().ledger, ledger);
  // A look at less of it is another answer, and changes nothing for the next one.
  assert.is(journal.read(0).ledger.used, 0);
  assert.is(journal.read().ledger, ledger);
  const dry = createDryRunJournal(folder, clock);
  assert.is(dry.read().ledger.used, 1);
  await dry.note(reserved('b'));
  assert.is(dry.read().ledger.used, 2);
  assert.is(dry.read().ledger.used, 2);
  assert.is(dry.read(0).ledger.used, 0);
  const own = foldAnew(journal.file).ledger;
  own.used = 7;
  assert.is(journal.read().ledger.used, 1);
  // As long as it was, and not the same.
  writeFileSync(journal.file, readFileSync(journal.file, 'utf8').replace('"call_id":"a"', '"call_id":"z"'));
  assert.equal([...journal.read().ledger.calls.keys()], ['z']);
  journal.append(reserved('c'));
  assert.is(journal.read().ledger.used, 2);
  assert.equal([ledger.used, [...ledger.calls.keys()]], [1, ['a']]);
  rmSync(folder, { recursive: true });
});

test.run();
