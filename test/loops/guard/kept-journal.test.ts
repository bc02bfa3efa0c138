// The journal during a call: guardians write facts of calls there, and none but a run writes anything else.

import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteReservation } from '../../../loops/call/reserve.ts';
import { keepJournal, repairJournal } from '../../../loops/guard/kept-journal.ts';
import type { Fact } from '../../../state/journal/facts.ts';
import { type Journal, openJournal } from '../../../state/journal/journal.ts';

const FINE = { budgetChanges: 0, strange: [] };

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

test('calls that somebody makes on his own account stand', async ({ journal }) => {
  const kept = keepJournal(journal);
  journal.append(CALL);
  journal.append({ ...CALL, call_id: 'n1', run_id: null, stage: 'codex_adhoc' });
  journal.append({ fact: 'verdict', call_id: 'n1', ...VERDICT });
  assert.equal(await repairJournal(journal, kept, 'c1', CALL, clock()), FINE);
});

test('the facts of calls stand', async ({ journal }) => {
  const kept = keepJournal(journal);
  journal.append(CALL);
  const before = readFileSync(journal.file, 'utf8');
  assert.equal(await repairJournal(journal, kept, 'c1', CALL, clock()), FINE);
  assert.is(readFileSync(journal.file, 'utf8'), before);
});

const STRANGE = { strange: ['1 lines were added that only a run may write'] };
const BUDGET = { budgetChanges: 1 };
const OTHER = { ...CALL, call_id: 'c2', stage: 'later', for_prompt: 'hash' } as const;
const VERDICT = { class: null, reason: null, signature: null, retry_at: null, exit_code: 0 } as const;
const write = (journal: Journal, line: string) => appendFileSync(journal.file, `${line}\n`);
const replaced = (journal: Journal, from: RegExp | string, to: string) =>
  writeFileSync(journal.file, readFileSync(journal.file, 'utf8').replace(from, to));

const ROWS: [
  what: string,
  tamper: (journal: Journal) => void,
  said: Partial<Awaited<ReturnType<typeof repairJournal>>>,
][] = [
  [
    'a budget that looks like a command',
    (journal) => journal.append({ fact: 'budget', calls: 9, from: 'command' }),
    BUDGET,
  ],
  ['a count that was set back', (journal) => journal.append({ fact: 'reset', used: 0, at_offset: 0 }), BUDGET],
  [
    'a stage called done',
    (journal) => journal.append({ fact: 'done', stage: 't', call_id: null, prompt_sha256: 'x' }),
    STRANGE,
  ],
  ['a call of a later stage', (journal) => journal.append(OTHER), STRANGE],
  [
    'a verdict on a call of nobody',
    (journal) => journal.append({ fact: 'verdict', call_id: 'c2', ...VERDICT }),
    STRANGE,
  ],
  ['a line of another version', (journal) => write(journal, '{"v":2,"fact":"x"}'), STRANGE],
  [
    'its own reservation, made unreadable',
    (journal) => replaced(journal, /^.*"reserved".*$/m, '{"v":1,"fact":"reserved","x":"c1"}'),
    { strange: ['a paid call was taken out'] },
  ],
  [
    'its own reservation, made another',
    (journal) => replaced(journal, '"run_id":"r1","stage":"s"', '"run_id":"r1","stage":"t"'),
    { strange: ['1 lines were added that only a run may write', 'a paid call was taken out'] },
  ],
  [
    'what stood before, changed',
    (journal) => replaced(journal, '"calls":3', '"calls":9'),
    { budgetChanges: 1, strange: ['earlier lines were changed'] },
  ],
  [
    'all of it, gone',
    (journal) => writeFileSync(journal.file, ''),
    { strange: ['earlier lines were changed', 'a paid call was taken out'] },
  ],
  [
    'the file itself, gone',
    (journal) => rmSync(journal.file),
    { strange: ['earlier lines were changed', 'a paid call was taken out'] },
  ],
];
for (const [what, tamper, said] of ROWS)
  test(what, async ({ journal }) => {
    const kept = keepJournal(journal);
    journal.append(CALL);
    tamper(journal);
    assert.equal(await repairJournal(journal, kept, 'c1', CALL, clock()), { budgetChanges: 0, strange: [], ...said });
    const { ledger } = journal.read();
    const calls = [...ledger.calls.values()].map(({ reserved: { call_id, stage } }) => [call_id, stage]);
    assert.equal([ledger.budget, ledger.used, ledger.done.size, calls], [3, 1, 0, [['c1', 's']]]);
    assert.equal(await repairJournal(journal, keepJournal(journal), 'c1', null, clock()), FINE);
  });

test('the budget of the manifest, noted once more by a wrapper that is called by hand, is no change', async ({
  journal,
}) => {
  const kept = keepJournal(journal);
  journal.append({ fact: 'budget', calls: 3, from: 'manifest' });
  journal.append(CALL);
  const before = readFileSync(journal.file, 'utf8');
  assert.equal(await repairJournal(journal, kept, 'c1', CALL, clock()), FINE);
  assert.is(readFileSync(journal.file, 'utf8'), before);
});

test('what a wrapper writes while the journal is mended is not lost', async ({ journal }) => {
  const kept = keepJournal(journal);
  journal.append(CALL);
  journal.append({ fact: 'budget', calls: 99, from: 'command' });
  const mended = repairJournal(journal, kept, 'c1', CALL, clock());
  // Between its look and its rename.
  journal.append({ ...CALL, call_id: 'n1', run_id: null, stage: 'codex_adhoc' });
  journal.append({ fact: 'verdict', call_id: 'n1', ...VERDICT });
  journal.append({ fact: 'budget', calls: 98, from: 'command' });
  await mended;
  const { ledger } = journal.read();
  assert.equal([ledger.budget, ledger.used, [...ledger.calls.keys()]], [3, 2, ['c1', 'n1']]);
  assert.is(ledger.calls.get('n1')!.verdict!.exit_code, 0);
});

test('a reservation that is not to be seen yet after a rename is made again, and counts once', async ({ journal }) => {
  const before = readFileSync(journal.file);
  const line = { ...CALL, call_id: 'n1', run_id: null };
  const replaced = {
    ...journal,
    append: (fact: Fact) => {
      const isFirst = readFileSync(journal.file).equals(before);
      journal.append(fact);
      if (isFirst) writeFileSync(journal.file, Buffer.concat([before, Buffer.from('\n')]));
    },
  };
  const { used, calls } = noteReservation(replaced, line);
  assert.equal([used, calls.get('n1')?.granted], [1, true]);
  journal.append(line);
  assert.is(journal.read().ledger.used, 1);
});

test('a journal that never holds a reservation is an error that names it', async ({ journal }) => {
  const deaf = { ...journal, append: () => {} };
  assert.throws(() => noteReservation(deaf, CALL), `${journal.file} does not hold what was just written`);
});

test('a file in its place that is larger than any journal is set aside whole', async ({ root, journal }) => {
  const kept = keepJournal(journal);
  truncateSync(journal.file, 65 * 1024 * 1024);
  const { strange } = await repairJournal(journal, kept, 'c1', null, clock());
  assert.equal(strange[0], 'a file of 68157440 bytes was in its place');
  assert.is(journal.read().ledger.budget, 3);
  const state = path.join(root, 'state');
  const aside = readdirSync(state).filter((name) => name.includes('.unreadable-'));
  assert.equal(
    aside.map((name) => statSync(path.join(state, name)).size),
    [68157440],
  );
});

test('a call of the user that was recorded earlier is not recorded twice by the repair', async ({ journal }) => {
  journal.append({ ...CALL, call_id: 'n1', run_id: null, stage: 'codex_adhoc' });
  const kept = keepJournal(journal);
  journal.append(CALL);
  journal.append({ fact: 'budget', calls: 9, from: 'command' });
  await repairJournal(journal, kept, 'c1', CALL, clock());
  assert.is(readFileSync(journal.file, 'utf8').split('"n1"').length, 2);
});

test('a half line that a crash left is no edit', async ({ journal }) => {
  const kept = keepJournal(journal);
  appendFileSync(journal.file, '{"v":1,"fa');
  assert.equal(await repairJournal(journal, kept, 'c1', null, clock()), FINE);
});

test('what is longer than any line of ours, and no fact, does not stay', async ({ journal }) => {
  const kept = keepJournal(journal);
  appendFileSync(journal.file, `${'\0'.repeat(1024 * 1024)}\n`);
  const { strange } = await repairJournal(journal, kept, 'c1', null, clock());
  assert.equal(strange, ['1 lines were added that only a run may write']);
  assert.not.match(readFileSync(journal.file, 'utf8'), '\0');
});

test.run();
