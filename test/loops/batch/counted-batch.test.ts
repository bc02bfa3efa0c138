// What a batch asks of the disk for each of its stages, counted without a clock: what it reads of journals, opens, looks at, lists, writes, syncs and starts.

import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BenchWorld, command, makeTask } from '../../../bench/figures/world.ts';
import { type CountedProcess, countIn, eventsOf } from '../../rig/counted.ts';

const test = suite<{ world: BenchWorld; counted: () => CountedProcess[] }>('counted batch');
test.before.each((context) => {
  const world = new BenchWorld();
  Object.assign(context, { world, counted: countIn(world) });
});
test.after.each(({ world }) => world.dispose());

/** As `npm run bench -- batch` has them. */
const REVIEW = {
  stages: [{ tool: 'codex', role: 'review', requires: [], min_lines: 1 }],
  scope: { allow: ['src/**'] },
};

/** Of the processes of this machine there are as many as there are. */
const DISK = /^(?!\/proc(?:\/|$))/;

test('a stage of a batch reads its journal, looks, lists and writes no more often than this', ({ world, counted }) => {
  const dispatcherOf = (name: string, count: number) => {
    const ids = Array.from({ length: count }, (_, i) =>
      makeTask(world, `${name}${i}`, { project: 'p', manifest: REVIEW }),
    );
    const argv = [command('tollgate'), 'batch', ...ids, '--concurrency=1'];
    world.timed(process.execPath, argv, 0, path.join(world.root, 'p'));
    return counted().find(({ script }) => script === 'tollgate.cjs')!;
  };
  // The first learns the CLI's version; what all batches take is in both of the others.
  dispatcherOf('w', 1);
  const [few, many] = [dispatcherOf('a', 2), dispatcherOf('b', 10)];
  const aStage = (what: Parameters<typeof eventsOf>[1], of = DISK) =>
    (eventsOf(many, what, of).length - eventsOf(few, what, of).length) / 8;
  const counts = [
    // Wherever an agent or another process may have written since; it is folded only where one has.
    ['journal opened', aStage('open', /\/journal\.jsonl$/), JOURNAL],
    ['files opened', aStage('open'), OPENED],
    ['looks', aStage('look'), LOOKS],
    ['folders listed', aStage('list'), LISTS],
    ['writes', aStage('write'), WRITES],
    ['names changed', aStage('change'), CHANGES],
  ] as const;
  for (const [what, count, most] of counts) assert.ok(count <= most, `${what}: ${count} a stage, at most ${most}`);
  assert.is(aStage('spawn'), 1);
  // The place of a journal that is new: its folder, and the folder above; each of its lines.
  assert.equal([aStage('sync'), aStage('background sync')], [0, 8]);
  // The place first: another process takes a journal with a line in it for one that is found again.
  const begun = many.events.filter(
    ({ what, file }) =>
      ['write', 'background sync'].includes(what) && /\/task\/b0(?:\/state(?:\/journal\.jsonl)?)?$/.test(file),
  );
  assert.equal(
    begun.slice(0, 4).map(({ what, file }) => [what, path.basename(file)]),
    [
      ['background sync', 'state'],
      ['background sync', 'b0'],
      ['write', 'journal.jsonl'],
      ['background sync', 'journal.jsonl'],
    ],
  );
});

const JOURNAL = 50;
const OPENED = 97;
// Each folder above the tree is looked at 5 times, and the figure was counted with two of them.
const LOOKS = 500 + 5 * Math.max(0, tmpdir().split('/').length - 3);
// A tenth of them: the inputs of the other tasks are listed at each call, since a cache of them saved no time that a user feels.
// With room for waits that look again on a busy machine: 50 to 51 were counted.
const LISTS = 53;
const WRITES = 23;
const CHANGES = 28;

test.run();
