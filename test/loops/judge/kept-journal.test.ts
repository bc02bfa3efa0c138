// The journal during a call: guardians write facts of calls there, and none but a run writes anything else.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepJournal, mendJournal } from '../../../loops/run/judge/kept-journal.ts';
import type { Fact } from '../../../state/facts.ts';
import { type Journal, openJournal } from '../../../state/journal.ts';

const test = suite<{ root: string; journal: Journal }>('kept journal');
const clock = () => new Date('2026-01-01T00:00:00.000Z');
const self = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const CALL = {
  fact: 'reserved',
  call_id: 'c1',
  run_id: 'r1',
  stage: 's',
  tool: 'codex',
  attempt: 1,
  for_prompt: null,
  guardian: self,
  deadline_at: '2026-01-01T00:30:00.000Z',
} as const satisfies Fact;

test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'journal-'));
  context.journal = openJournal(context.root, clock);
  context.journal.append({ fact: 'budget', calls: 3, from: 'manifest' });
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

test('the facts of calls stand', async ({ journal }) => {
  const kept = keepJournal(journal);
  journal.append(CALL);
  const before = readFileSync(journal.file, 'utf8');
  assert.equal(await mendJournal(journal, kept, CALL, clock()), []);
  assert.is(readFileSync(journal.file, 'utf8'), before);
});

const ROWS: [what: string, tamper: (journal: Journal) => void, said: string[]][] = [
  [
    'a budget that looks like a command',
    (journal) => journal.append({ fact: 'budget', calls: 9, from: 'command' }),
    ['1 lines were added that only a run may write'],
  ],
  [
    'a budget reset',
    (journal) => journal.append({ fact: 'reset', used: 0, at_offset: 0 }),
    ['1 lines were added that only a run may write'],
  ],
  [
    'a stage called done',
    (journal) => journal.append({ fact: 'done', stage: 't', call_id: null, prompt_sha256: 'x' }),
    ['1 lines were added that only a run may write'],
  ],
  [
    'what stood before, changed',
    (journal) => writeFileSync(journal.file, readFileSync(journal.file, 'utf8').replace('"calls":3', '"calls":9')),
    ['what stood there before was changed', '1 lines were added that only a run may write'],
  ],
  [
    'all of it, gone',
    (journal) => writeFileSync(journal.file, ''),
    ['what stood there before was changed', 'a paid call was taken out'],
  ],
  [
    'the file itself, gone',
    (journal) => rmSync(journal.file),
    ['what stood there before was changed', 'a paid call was taken out'],
  ],
];
for (const [what, tamper, said] of ROWS)
  test(what, async ({ journal }) => {
    const kept = keepJournal(journal);
    journal.append(CALL);
    tamper(journal);
    assert.equal(await mendJournal(journal, kept, CALL, clock()), said);
    const { ledger } = journal.read();
    assert.equal([ledger.budget, ledger.used, ledger.done.size, [...ledger.calls.keys()]], [3, 1, 0, ['c1']]);
    assert.equal(await mendJournal(journal, keepJournal(journal), null, clock()), []);
  });

test('a half line that a crash left is no edit', async ({ journal }) => {
  const kept = keepJournal(journal);
  appendFileSync(journal.file, '{"v":1,"fa');
  assert.equal(await mendJournal(journal, kept, null, clock()), []);
});

test.run();
