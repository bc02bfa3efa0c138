// The queue of tickets over several files: sealed when large, read on as one line, deleted when old and empty.

import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openQueue, type Ticket } from '../../state/tickets.ts';

const test = suite<{ folder: string }>('tickets');
test.before.each((context) => {
  context.folder = path.join(mkdtempSync(path.join(tmpdir(), 'tickets-')), 'trees');
});
test.after.each(({ folder }) => rmSync(path.dirname(folder), { recursive: true, force: true }));

const owner = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const ticket = (id: string): Ticket => ({
  id,
  mode: 'write',
  owner,
  task_id: 't',
  stage: 's',
  until: '2026-01-01T00:00:00Z',
});
const now = () => new Date();
const inAnHour = () => new Date(Date.now() + 3_700_000);

test('a full file is sealed, and whoever stands in it is before those in the next', ({ folder }) => {
  const [ours, theirs] = [openQueue(folder, 'q', now), openQueue(folder, 'q', now)];
  const ids = Array.from({ length: 600 }, (_, i) => `ticket-${i}`);
  for (const [i, id] of ids.entries()) (i % 2 === 0 ? ours : theirs).join(ticket(id));
  assert.equal(readdirSync(folder).sort(), ['q.1.jsonl', 'q.2.jsonl']);
  assert.equal(
    theirs.before('ticket-599')!.map((one) => one.ticket.id),
    ids.slice(0, -1),
  );
  for (const id of ids.slice(0, -1)) ours.leave(id);
  assert.equal(theirs.before('ticket-599'), []);
  openQueue(folder, 'q', now).join(ticket('later'));
  assert.equal(readdirSync(folder).length, 2);
  openQueue(folder, 'q', inAnHour).join(ticket('much-later'));
  assert.equal(readdirSync(folder), ['q.2.jsonl']);
});

test('a ticket that fell behind the seal is taken again in the next file', ({ folder }) => {
  const queue = openQueue(folder, 'q', now);
  queue.join(ticket('first'));
  appendFileSync(
    path.join(folder, 'q.1.jsonl'),
    `{"v":1,"sealed":true}\n{"v":1,"ticket":${JSON.stringify(ticket('void'))}}\n`,
  );
  assert.is(queue.before('void'), null);
  queue.join(ticket('void'));
  assert.equal(
    queue.before('void')!.map((one) => [path.basename(one.file), one.ticket.id]),
    [['q.1.jsonl', 'first']],
  );
});

test.run();
