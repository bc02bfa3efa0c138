// The journal: append-only, one fact a line, the same answer for every reader.

import fs, {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fact } from '../../../state/journal/facts.ts';
import { JournalError, MAX_JOURNAL_BYTES, openJournal } from '../../../state/journal/journal.ts';
import { budgetOf, openCalls } from '../../../state/journal/ledger.ts';

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
const verdict = (call_id: string): Fact => ({
  fact: 'verdict',
  call_id,
  class: null,
  reason: null,
  signature: null,
  retry_at: null,
  exit_code: 0,
});

function journalIn(): { journal: ReturnType<typeof openJournal>; folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
  return { journal: openJournal(folder, clock), folder };
}

test('an absent journal is an empty one, with the default budget', () => {
  const { journal, folder } = journalIn();
  const { ledger, offset, torn } = journal.read();
  assert.equal([ledger.used, budgetOf(ledger), offset, torn], [0, 10, 0, 0]);
  rmSync(folder, { recursive: true });
});

test('a guardian whose run died and was claimed over is granted nothing: whoever has the task asks by itself', () => {
  const { journal, folder } = journalIn();
  const of = (call_id: string, run_id: string) => ({ ...reserved(call_id), run_id }) as Fact;
  journal.append({ fact: 'claimed', run_id: 'first', over: null, owner });
  journal.append(of('a', 'first'));
  journal.append({ fact: 'claimed', run_id: 'forged', over: null, owner });
  journal.append(of('b', 'first'));
  journal.append({ fact: 'claimed', run_id: 'second', over: 'first', owner });
  for (const call of [of('c', 'first'), of('d', 'second'), reserved('e')]) journal.append(call);
  const { ledger } = journal.read();
  assert.equal(
    [...ledger.calls].flatMap(([id, call]) => (call.granted ? [id] : [])),
    ['a', 'b', 'd', 'e'],
  );
  assert.is(ledger.used, 4);
  // An earlier version granted it, and it was made.
  journal.append({ fact: 'started', call_id: 'c', cli: null });
  const made = journal.read().ledger;
  assert.equal([made.calls.get('c')?.granted, made.used], [true, 5]);
  rmSync(folder, { recursive: true });
});

test('reservations are granted while the grants before them are fewer than the budget in force at their line', () => {
  const { journal, folder } = journalIn();
  journal.append({ fact: 'budget', calls: 2, from: 'manifest' });
  for (const id of ['a', 'b', 'c']) journal.append(reserved(id));
  journal.append({ fact: 'budget', calls: 3, from: 'command' });
  for (const id of ['d', 'e']) journal.append(reserved(id));
  const { ledger } = journal.read();
  assert.equal(
    [...ledger.calls].map(([id, call]) => [id, call.granted]),
    [
      ['a', true],
      ['b', true],
      ['c', false],
      ['d', true],
      ['e', false],
    ],
  );
  assert.is(ledger.used, 3);
  rmSync(folder, { recursive: true });
});

test('a reset counts the grants since its offset, once for an offset however many readers adopt it', () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  journal.append(reserved('b'));
  const at = journal.read().offset;
  journal.append(reserved('c'));
  journal.append({ fact: 'reset', used: 0, at_offset: at });
  journal.append(reserved('d'));
  journal.append({ fact: 'reset', used: 0, at_offset: at });
  assert.is(journal.read().ledger.used, 2);
  rmSync(folder, { recursive: true });
});

test('a half line at the end is left alone, counted, and the next fact begins on a fresh line', () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  appendFileSync(journal.file, '{"v":1,"at":"2026-01-02T03:04:05.000Z","fact":"reserved","call_');
  journal.append(reserved('b'));
  const { ledger, torn } = journal.read();
  assert.equal([[...ledger.calls.keys()], torn], [['a', 'b'], 1]);
  assert.match(readFileSync(journal.file, 'utf8'), '"call_\n{"v":1');
  rmSync(folder, { recursive: true });
});

test('an end of a run in a word that nobody knows is no end of it', () => {
  const { journal, folder } = journalIn();
  journal.append({ fact: 'claimed', run_id: 'r', over: null, owner });
  const end = { v: 1, at: clock().toISOString(), fact: 'released', run_id: 'r', exit_code: 0, state: 'vanished' };
  appendFileSync(journal.file, `${JSON.stringify(end)}\n`);
  const { ledger, torn } = journal.read();
  assert.equal([ledger.released.size, ledger.run?.run_id, torn], [0, 'r', 1]);
  rmSync(folder, { recursive: true });
});

test('a line that a person added by hand, without a line end, does not swallow the next fact', () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  writeFileSync(journal.file, readFileSync(journal.file, 'utf8').trimEnd());
  journal.append(reserved('b'));
  assert.equal([...journal.read().ledger.calls.keys()], ['a', 'b']);
  rmSync(folder, { recursive: true });
});

test('a journal of a newer version is refused and not changed', () => {
  const { journal, folder } = journalIn();
  const text = '{"v":2,"at":"2027-01-01T00:00:00Z","fact":"reserved"}\n';
  journal.append(reserved('a'));
  appendFileSync(journal.file, text);
  const before = readFileSync(journal.file, 'utf8');
  assert.throws(
    () => journal.read(),
    (error: Error) =>
      error instanceof JournalError &&
      error.message ===
        `${journal.file} was written by a newer version (format 2, this one reads 1): update tollgate; nothing was changed`,
  );
  assert.is(readFileSync(journal.file, 'utf8'), before);
  rmSync(folder, { recursive: true });
});

test('an offset beyond the end is an error that says what to do', () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  assert.throws(
    () => journal.read(10_000),
    (error: Error) =>
      error instanceof JournalError && /lost its end\. Restore it, or delete stats\.json/.test(error.message),
  );
  rmSync(folder, { recursive: true });
});

test('a granted call without a verdict is open; the first verdict stands', () => {
  const { journal, folder } = journalIn();
  for (const id of ['a', 'b']) journal.append(reserved(id));
  journal.append(verdict('a'));
  journal.append({ ...verdict('a'), exit_code: 12 } as Fact);
  const { ledger } = journal.read();
  assert.equal(
    openCalls(ledger).map((call) => call.reserved.call_id),
    ['b'],
  );
  assert.is(ledger.calls.get('a')!.verdict!.exit_code, 0);
  rmSync(folder, { recursive: true });
});

test('a reservation that stands twice counts once', () => {
  const { journal, folder } = journalIn();
  journal.append({ fact: 'budget', calls: 2, from: 'manifest' });
  for (const id of ['a', 'a', 'b']) journal.append(reserved(id));
  const { ledger } = journal.read();
  assert.equal([ledger.used, ledger.grants.length, ledger.calls.get('b')!.granted], [2, 2, true]);
  rmSync(folder, { recursive: true });
});

for (const [what, replace] of [
  ['replaced', (file: string) => renameSync(`${file}.before`, file)],
  ['taken away', (file: string) => rmSync(file)],
] as const)
  test(`a fact stands also when the journal is ${what} while it is written`, async () => {
    const { journal, folder } = journalIn();
    journal.append(reserved('a'));
    const before = readFileSync(journal.file, 'utf8');
    const noted = journal.note(reserved('b'));
    writeFileSync(`${journal.file}.before`, before);
    replace(journal.file);
    await noted;
    assert.ok(journal.read().ledger.calls.has('b'));
    rmSync(folder, { recursive: true });
  });

test('a fact stands in a folder that is moved while it is written, and in no other', async () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  const noted = journal.note(reserved('b'));
  renameSync(folder, `${folder}-moved`);
  await noted;
  assert.is(existsSync(folder), false);
  assert.ok(openJournal(`${folder}-moved`, clock).read().ledger.calls.has('b'));
  rmSync(`${folder}-moved`, { recursive: true });
});

test('a fact that was carried over into the file that replaced the journal is not written again', async () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  const noted = journal.note(reserved('b'));
  const text = readFileSync(journal.file, 'utf8');
  writeFileSync(`${journal.file}.fresh`, text);
  renameSync(`${journal.file}.fresh`, journal.file);
  await noted;
  assert.is(readFileSync(journal.file, 'utf8'), text);
  rmSync(folder, { recursive: true });
});

test('a journal that is replaced again and again is an error that names it', async () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  let end: unknown = null;
  journal.note(reserved('b')).then(
    () => (end = 'noted'),
    ({ code, message }) => (end = [code, message.startsWith(journal.file)]),
  );
  while (end === null) {
    writeFileSync(`${journal.file}.fresh`, '');
    renameSync(`${journal.file}.fresh`, journal.file);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(end, ['EAGAIN', true]);
  rmSync(folder, { recursive: true });
});

test('the first claim has the task; a later one only over a dead run, or after its release', () => {
  const { journal, folder } = journalIn();
  const claimed = (run_id: string, over: string | null = null): Fact => ({ fact: 'claimed', run_id, over, owner });
  const owners: (string | undefined)[] = [];
  const facts: Fact[] = [
    claimed('one'),
    claimed('two'),
    claimed('three', 'one'),
    claimed('four', 'one'),
    { fact: 'released', run_id: 'three', exit_code: 0, state: 'done' },
    claimed('five'),
  ];
  for (const fact of facts) {
    journal.append(fact);
    owners.push(journal.read().ledger.run?.run_id);
  }
  assert.equal(owners, ['one', 'one', 'three', 'three', undefined, 'five']);
  rmSync(folder, { recursive: true });
});

test('what a new journal is in is on disk before its first line', () => {
  const { journal, folder } = journalIn();
  const did: string[] = [];
  const { fsyncSync, fdatasyncSync, writeSync } = fs;
  const noting = <Given extends unknown[], Made>(name: string, does: (...given: Given) => Made) =>
    ((...given: Given) => {
      did.push(name);
      return does(...given);
    }) as never;
  Object.assign(fs, {
    fsyncSync: noting('folder', fsyncSync),
    fdatasyncSync: noting('journal', fdatasyncSync),
    writeSync: noting('line', writeSync as (...given: unknown[]) => number),
  });
  syncBuiltinESMExports();
  try {
    journal.append(reserved('a'));
    journal.append(reserved('b'));
  } finally {
    Object.assign(fs, { fsyncSync, fdatasyncSync, writeSync });
    syncBuiltinESMExports();
  }
  assert.equal(did, ['folder', 'folder', 'line', 'journal', 'line', 'journal']);
  rmSync(folder, { recursive: true });
});

test('a journal that is larger than what is read is not appended to', () => {
  const { journal, folder } = journalIn();
  journal.append(reserved('a'));
  truncateSync(journal.file, MAX_JOURNAL_BYTES + 1);
  assert.throws(() => journal.append(reserved('b')), /journal\.jsonl/);
  assert.is(statSync(journal.file).size, MAX_JOURNAL_BYTES + 1);
  rmSync(folder, { recursive: true });
});

test('a call that has ended is not started anew by a late word, and one that was refused is not open', () => {
  const { journal, folder } = journalIn();
  journal.append({ fact: 'budget', calls: 1, from: 'manifest' });
  for (const id of ['a', 'b']) journal.append(reserved(id));
  const cli = (pid: number) => ({ ...owner, pid });
  journal.append({ fact: 'started', call_id: 'a', cli: cli(1) });
  journal.append({ fact: 'started', call_id: 'a', cli: cli(2) });
  journal.append({ fact: 'ended', call_id: 'a', ending: 'exited', native_exit_code: 0, signal: null });
  journal.append({ fact: 'started', call_id: 'a', cli: cli(3) });
  const { ledger } = journal.read();
  assert.is(ledger.calls.get('a')!.started!.cli!.pid, 2);
  assert.equal(
    openCalls(ledger).map((call) => call.reserved.call_id),
    ['a'],
  );
  rmSync(folder, { recursive: true });
});

test('--redo disregards the answers that a gate has looked at, and no other; without it none', () => {
  const { journal, folder } = journalIn();
  const of = (call_id: string) => ({ ...reserved(call_id), run_id: 'r' }) as Fact;
  for (const id of ['seen', 'unseen']) journal.append(of(id));
  const gate = { fact: 'gate', stage: 'gemini_brief', call_id: 'seen', passed: true, missing: [] };
  journal.append({ ...gate, class: null, reason: null, signature: null, verdict: null } as Fact);
  journal.append({ fact: 'reopened', stage: 'gemini_brief', why: 'its prompt changed' } as Fact);
  assert.equal([...journal.read().ledger.disregarded], []);
  journal.append({ fact: 'reopened', stage: 'gemini_brief', why: 'asked for', redo: true } as Fact);
  assert.equal([...journal.read().ledger.disregarded], ['seen']);
  rmSync(folder, { recursive: true });
});

test('what the manifest said last is known beside the budget that was set since', () => {
  const { journal, folder } = journalIn();
  journal.append({ fact: 'budget', calls: 5, from: 'manifest' });
  journal.append({ fact: 'budget', calls: 8, from: 'command' });
  const { ledger } = journal.read();
  assert.equal([ledger.manifestBudget, budgetOf(ledger)], [5, 8]);
  rmSync(folder, { recursive: true });
});

test.run();
