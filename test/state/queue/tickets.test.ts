// The queue of tickets over several files: sealed when large, read on as one line, deleted when old and empty.

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standingTickets, type Ticket } from '../../../state/queue/ticket-file.ts';
import { openQueue } from '../../../state/queue/tickets.ts';
import { makeHuge } from '../../rig/huge-file.ts';

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
  for (const id of ids.slice(0, -1)) ours.release(id);
  assert.equal(theirs.before('ticket-599'), []);
  openQueue(folder, 'q', now).join(ticket('later'));
  assert.equal(readdirSync(folder).length, 2);
  openQueue(folder, 'q', inAnHour).join(ticket('much-later'));
  assert.equal(readdirSync(folder), ['q.2.jsonl']);
});

/** A full first file in which nobody stands any more. */
function fillAndLeave(folder: string): string {
  const queue = openQueue(folder, 'q', now);
  const ids = Array.from({ length: 600 }, (_, i) => `ticket-${i}`);
  for (const id of ids) queue.join(ticket(id));
  for (const id of ids) queue.release(id);
  openQueue(folder, 'q', now).join(ticket('next'));
  return path.join(folder, 'q.1.jsonl');
}

test('a sealed file in which nobody stands says so once, and nobody reads it whole again', ({ folder }) => {
  const file = fillAndLeave(folder);
  const whole = readFileSync(file, 'utf8');
  assert.ok(whole.endsWith('\n{"v":1,"over":true}\n'));
  // Nobody who reads it whole would take this for a queue in which nobody stands.
  writeFileSync(file, `${JSON.stringify({ v: 1, ticket: ticket('unseen') })}\n${whole.slice(whole.indexOf('\n') + 1)}`);
  const queue = openQueue(folder, 'q', now);
  queue.join(ticket('last'));
  assert.equal(
    queue.before('last')!.map((one) => one.ticket.id),
    ['next'],
  );
  assert.is(readFileSync(file, 'utf8').split('"over"').length, 2);
});

test('a ticket that fell behind the last word of a file is void, and is taken again in the next one', ({ folder }) => {
  const file = fillAndLeave(folder);
  appendFileSync(file, `${JSON.stringify({ v: 1, ticket: ticket('late') })}\n`);
  const queue = openQueue(folder, 'q', now);
  assert.is(queue.before('late'), null);
  queue.join(ticket('late'));
  assert.equal(
    queue.before('late')!.map((one) => one.ticket.id),
    ['next'],
  );
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

const STRANGE: [what: string, make: (file: string) => void, words: string][] = [
  ['a FIFO', (file) => execFileSync('mkfifo', [file]), 'is a FIFO, and no regular file'],
  ['a folder', (file) => mkdirSync(file), 'is a folder, and no regular file'],
  ['a link to an endless device', (file) => symlinkSync('/dev/zero', file), 'is a symbolic link, and no regular file'],
  ['a loop of links', (file) => symlinkSync(file, file), 'is a symbolic link, and no regular file'],
  ['3 GB', makeHuge, 'has 3221225472 bytes; at most 4194304 are read'],
];
for (const [what, make, words] of STRANGE)
  test(`${what} in the place of a queue stops nobody: it is set aside, and said`, ({ folder }) => {
    mkdirSync(folder);
    const file = path.join(folder, 'q.1.jsonl');
    make(file);
    assert.equal([...standingTickets(folder).values()], [[]]);
    const queue = openQueue(folder, 'q', now);
    queue.join(ticket('first'));
    assert.equal(queue.before('first'), []);
    const [said, ...more] = queue.setAside();
    const aside = readdirSync(folder).find((name) => name.startsWith('q.1.jsonl.unreadable-'));
    assert.equal(more, []);
    assert.is(said, `${file} ${words}; it cannot be a queue, and was moved to ${path.join(folder, aside!)}`);
    assert.equal(queue.setAside(), []);
  });

test('where an intruder was put aside no file is made again: whoever is slower to put it aside takes no sound one for it', ({
  folder,
}) => {
  mkdirSync(folder);
  const place = path.join(folder, 'q.1.jsonl');
  mkdirSync(place);
  openQueue(folder, 'q', now).join(ticket('first'));
  assert.equal(existsSync(place), false);
  const second = openQueue(folder, 'q', now);
  second.join(ticket('second'));
  assert.equal(
    second.before('second')!.map(({ ticket: { id } }) => id),
    ['first'],
  );
});

test('an intruder that another process put aside meanwhile is no failure, and not told twice', ({ folder }) => {
  mkdirSync(folder);
  const place = path.join(folder, 'q.1.jsonl');
  mkdirSync(place);
  const faster = () => {
    if (existsSync(place)) renameSync(place, `${place}.unreadable-by-another`);
    return now();
  };
  const queue = openQueue(folder, 'q', faster);
  queue.join(ticket('first'));
  assert.equal([queue.before('first'), queue.setAside()], [[], []]);
});

const NO_FOLDERS: [what: string, make: (place: string) => void, words: string][] = [
  ['a FIFO', (place) => execFileSync('mkfifo', [place]), 'is a FIFO, and no folder'],
  ['a file', (place) => writeFileSync(place, 'precious'), 'is a regular file, and no folder'],
  ['a loop of links', (place) => symlinkSync(place, place), 'is a symbolic link, and no folder'],
];
for (const [what, make, words] of NO_FOLDERS)
  for (const below of ['', 'trees'])
    test(`${what} in the place of the folder ${below === '' ? 'of queues' : 'above that'} is set aside, and said`, ({
      folder,
    }) => {
      make(folder);
      const queue = openQueue(path.join(folder, below), 'q', now);
      queue.join(ticket('first'));
      assert.equal(queue.before('first'), []);
      const parent = path.dirname(folder);
      const aside = readdirSync(parent).find((name) => name.startsWith(`${path.basename(folder)}.unreadable-`));
      assert.equal(queue.setAside(), [
        `${folder} ${words}; it cannot be a queue, and was moved to ${path.join(parent, aside!)}`,
      ]);
    });

test('a link in the place of a queue is not written through', ({ folder }) => {
  mkdirSync(folder);
  const mine = path.join(path.dirname(folder), 'mine');
  writeFileSync(mine, 'precious');
  symlinkSync(mine, path.join(folder, 'q.1.jsonl'));
  openQueue(folder, 'q', now).join(ticket('first'));
  assert.is(readFileSync(mine, 'utf8'), 'precious');
});

test('a link to a folder in the place of the queues is set aside, and nothing is written or read behind it', ({
  folder,
}) => {
  const elsewhere = path.join(path.dirname(folder), 'elsewhere');
  mkdirSync(elsewhere);
  const queue = openQueue(folder, 'a', now);
  queue.join(ticket('first'));
  rmSync(folder, { recursive: true });
  symlinkSync(elsewhere, folder);
  queue.release('first');
  assert.is(queue.before('first'), null);
  queue.join(ticket('second'));
  assert.equal([readdirSync(elsewhere), queue.before('second')], [[], []]);
  assert.match(
    queue.setAside().join(),
    /trees is a symbolic link, and no folder; it cannot be a queue, and was moved to/,
  );
});

test('a link that comes while one joins is set aside too, and the ticket stands', ({ folder }) => {
  const elsewhere = path.join(path.dirname(folder), 'elsewhere');
  mkdirSync(elsewhere);
  let links = 1;
  // Asked for its text once the file is open.
  const meddling = {
    ...ticket('first'),
    toJSON() {
      if (links-- > 0) {
        rmSync(folder, { recursive: true });
        symlinkSync(elsewhere, folder);
      }
      return ticket('first');
    },
  };
  const queue = openQueue(folder, 'a', now);
  queue.join(meddling);
  assert.equal([readdirSync(elsewhere), queue.before('first')], [[], []]);
  links = Number.POSITIVE_INFINITY;
  assert.throws(() => queue.join(meddling), /trees is put out of its place again and again/);
  assert.equal(readdirSync(elsewhere), []);
});

test('a sealed file with the last number that there is makes room for the next one', ({ folder }) => {
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'q.999999999.jsonl'), '{"v":1,"sealed":true}\n');
  const queue = openQueue(folder, 'q', now);
  queue.join(ticket('first'));
  assert.equal(queue.before('first'), []);
  assert.match(queue.setAside().join(), 'bears the last number that there is');
});

test('a ticket that names no process stands nowhere', ({ folder }) => {
  mkdirSync(folder);
  const planted = [{ ...ticket('a'), owner: null }, { id: 'b', owner: {} }, { ...ticket('c'), stage: 1 }, null];
  const lines = planted.map((each) => `${JSON.stringify({ v: 1, ticket: each })}\n`).join('');
  writeFileSync(path.join(folder, 'q.1.jsonl'), lines);
  const queue = openQueue(folder, 'q', now);
  queue.join(ticket('first'));
  assert.equal(queue.before('first'), []);
});

test.run();
