// stats.json: a view of the journal that people may edit.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fact } from '../../../state/journal/facts.ts';
import { type Journal, openJournal } from '../../../state/journal/journal.ts';
import { budgetOf } from '../../../state/journal/ledger.ts';
import { adoptEdits, refreshStats } from '../../../state/journal/stats.ts';

const clock = () => new Date('2026-01-02T03:04:05Z');
const reserve = (journal: Journal, ...ids: string[]) => {
  for (const call_id of ids)
    journal.append({
      fact: 'reserved',
      call_id,
      run_id: null,
      stage: 's',
      tool: 'codex',
      attempt: 1,
      for_prompt: null,
      guardian: { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' },
      deadline_at: '2026-01-02T03:09:05Z',
    } satisfies Fact);
};

async function edited(change: (stats: Record<string, unknown>) => unknown) {
  const folder = mkdtempSync(path.join(tmpdir(), 'stats-'));
  const journal = openJournal(folder, clock);
  const file = path.join(folder, 'state', 'stats.json');
  reserve(journal, 'a', 'b', 'c');
  await refreshStats(journal, clock);
  const stats = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const text = change(stats);
  writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(stats));
  return { folder, journal, file, done: () => rmSync(folder, { recursive: true }) };
}

test('the view holds the count, the budget and the offset it was made at', async () => {
  const { file, journal, done } = await edited(() => undefined);
  const stats = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  assert.equal(stats, {
    paid_calls_used: 3,
    paid_call_budget: 10,
    stages_completed: [],
    signatures: {},
    journal_offset: journal.read().offset,
  });
  done();
});

test('an edited count is adopted once, and calls since then still count', async () => {
  const { journal, done } = await edited((stats) => {
    stats.paid_calls_used = 0;
  });
  reserve(journal, 'd');
  assert.is(await adoptEdits(journal, clock), null);
  assert.is(await adoptEdits(journal, clock), null);
  assert.is(journal.read().ledger.used, 1);
  await refreshStats(journal, clock);
  assert.is(await adoptEdits(journal, clock), null);
  assert.is(journal.read().ledger.used, 1);
  done();
});

test('an edited budget is adopted', async () => {
  const { journal, done } = await edited((stats) => {
    stats.paid_call_budget = 25;
  });
  assert.is(await adoptEdits(journal, clock), null);
  assert.is(budgetOf(journal.read().ledger), 25);
  done();
});

test('unknown fields that a person added are kept', async () => {
  const { journal, file, done } = await edited((stats) => {
    stats.note = 'mine';
  });
  reserve(journal, 'd');
  await refreshStats(journal, clock);
  const stats = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  assert.equal([stats.note, stats.paid_calls_used], ['mine', 4]);
  done();
});

for (const [what, change, message] of [
  [
    'a negative count',
    (s: Record<string, unknown>) => void Object.assign(s, { paid_calls_used: -1 }),
    'paid_calls_used must be a whole number from 0, not -1.',
  ],
  [
    'a count in words',
    (s: Record<string, unknown>) => void Object.assign(s, { paid_calls_used: 'none' }),
    'paid_calls_used must be a whole number from 0, not "none".',
  ],
  [
    'no offset',
    (s: Record<string, unknown>) => void delete s.journal_offset,
    'journal_offset must be a whole number from 0, not missing.',
  ],
] as const)
  test(`${what} is an error that names the field, and the file stays as it is`, async () => {
    const { journal, file, done } = await edited(change);
    const before = readFileSync(file, 'utf8');
    assert.is(
      await adoptEdits(journal, clock),
      `${file}: ${message} Fix it, or delete the file: it is rebuilt from the journal.`,
    );
    assert.is(readFileSync(file, 'utf8'), before);
    done();
  });

test('a file that is not JSON is set aside, never overwritten', async () => {
  const { journal, file, done } = await edited(() => '{"paid_calls_used": 0,');
  const aside = `${file}.unreadable-2026-01-02T03-04-05-000Z`;
  assert.is(
    await adoptEdits(journal, clock),
    `${file} is not a JSON object; it was moved to ${aside}. Run again to continue with the journal's own count.`,
  );
  assert.is(readFileSync(aside, 'utf8'), '{"paid_calls_used": 0,');
  assert.is(await adoptEdits(journal, clock), null);
  assert.is(journal.read().ledger.used, 3);
  assert.not(readdirSync(path.dirname(file)).includes('stats.json'));
  done();
});

test('an offset beyond the journal is an error', async () => {
  const { journal, done } = await edited((stats) => {
    stats.journal_offset = 1_000_000;
  });
  await adoptEdits(journal, clock).then(
    () => assert.unreachable('it must be refused'),
    (error: Error) => assert.match(error.message, 'the journal lost its end'),
  );
  done();
});

test('an edit that two processes read at once is one fact', async () => {
  const { journal, file, done } = await edited((stats) => {
    stats.paid_call_budget = 25;
  });
  const asRead = readFileSync(file, 'utf8');
  await adoptEdits(journal, clock);
  writeFileSync(file, asRead);
  await adoptEdits(journal, clock);
  assert.is(readFileSync(journal.file, 'utf8').split('"from":"stats"').length - 1, 1);
  done();
});

test('the view is no older than what another process appended while it was made', async () => {
  const { journal, done } = await edited(() => undefined);
  let isLate = true;
  const raced: Journal = {
    ...journal,
    read(upTo) {
      const read = journal.read(upTo);
      // Behind the last look before the view is written.
      if (upTo === undefined && looks++ === 1 && isLate) {
        isLate = false;
        reserve(journal, 'late');
      }
      return read;
    },
  };
  let looks = 0;
  assert.is((await refreshStats(raced, clock)).paid_calls_used, 4);
  done();
});

test('a failure that was seen twice has its first and its last time', async () => {
  const { journal, done } = await edited(() => undefined);
  const at = ['2026-01-02T03:00:00Z', '2026-01-02T04:00:00Z'];
  for (const [i, call_id] of ['a', 'b'].entries())
    openJournal(path.dirname(path.dirname(journal.file)), () => new Date(at[i]!)).append({
      fact: 'verdict',
      call_id,
      class: 'transient',
      reason: 'overloaded',
      signature: 'v1:x',
      retry_at: null,
      exit_code: 1,
    });
  const { signatures } = await refreshStats(journal, clock);
  const [first_seen, last_seen] = at.map((one) => new Date(one).toISOString());
  assert.equal(signatures, { 'v1:x': { count: 2, class: 'transient', first_seen, last_seen } });
  done();
});

test.run();
