// Who is of a call's tree and who is a stranger, in rows: pids, parents, groups and start times.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProcessRow } from '../../../wrappers/processes/rows.ts';
import { membersAmong } from '../../../wrappers/processes/tree.ts';
import type { Members, ProcessLook, Root } from '../../../wrappers/processes/tree-types.ts';

const row = (pid: number, given: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  ppid: 1,
  pgid: pid,
  sid: pid,
  startTime: `start of ${pid}`,
  zombie: false,
  ...given,
});
const FOUND: Root = { pid: 500, startTime: 'start of 500', sinceMs: Number.NEGATIVE_INFINITY };
const CHILD: Root = { ...FOUND, sinceMs: 0, ours: 'child' };
const ROOT = row(500);
/** Left in the root's group and session by a parent that is gone, without the marker. */
const LEFT = row(510, { pgid: 500, sid: 500 });
const STRANGER = row(500, { startTime: 'later' });

const NO_ELDERS = { pids: new Set<number>(), numbers: new Set<number>(), atMs: 0 };
/** All of one user, and what each bears. */
const look = (rows: readonly ProcessRow[], markers: [number, string][] = [], spared: number[] = []): ProcessLook => ({
  rows,
  markers: new Map(markers),
  holders: new Set(),
  grouped: new Set(),
  owners: new Map(rows.map(({ pid }) => [pid, { uid: 1000, place: 'here' }])),
  uid: 1000,
  since: null,
  atMs: 0,
  from: 0,
  newest: null,
  elders: NO_ELDERS,
  above: { spared: new Set(spared), sessions: new Set(), startTime: null, atMs: 0 },
});
const among = (seen: ProcessLook, root: Root | null, last: Members | null = null) =>
  membersAmong(seen, { root, marker: 'out/in' }, last).rows.map(({ pid }) => pid);

const MARKED: [number, string][] = [[500, 'out/in']];
const ROWS: readonly [why: string, root: Root | null, seen: ProcessLook, mine: number[]][] = [
  ['the root and what it left in its group', CHILD, look([ROOT, LEFT]), [500, 510]],
  ['a root from a record that bears the marker', FOUND, look([ROOT, LEFT], MARKED), [500, 510]],
  ['no root from a record that bears none, or cannot be read', FOUND, look([ROOT, LEFT]), []],
  ['no root from a record that bears another', FOUND, look([ROOT, LEFT], [[500, 'out/other']]), []],
  ['a zombie keeps its number', CHILD, look([row(500, { zombie: true }), LEFT]), [510]],
  ['a zombie from a record bears nothing any more', FOUND, look([row(500, { zombie: true }), LEFT]), []],
  ['one led by a number that was our child’s until just now', CHILD, look([LEFT]), [510]],
  ['no one led by a number that was a root’s in an earlier run', FOUND, look([LEFT]), []],
  ['no one who has the number anew, nor whom he leads', FOUND, look([STRANGER, LEFT]), []],
  ['not even if it was our child’s', CHILD, look([STRANGER, LEFT]), []],
  ['one led by a child that was gone before it was looked at', { ...CHILD, startTime: null }, look([LEFT]), [510]],
  ['nobody by a number without a start time', { ...CHILD, startTime: null }, look([ROOT, LEFT]), []],
  [
    'descendants in groups and sessions of their own',
    FOUND,
    look([row(530, { ppid: 520 }), row(520, { ppid: 500 }), ROOT], MARKED),
    [530, 520, 500],
  ],
  [
    'bearers of the marker or of a longer chain, and their children',
    null,
    look(
      [row(600), row(601), row(602), row(603), row(604, { ppid: 601 })],
      [
        [600, 'out/in'],
        [601, 'out/in/deeper'],
        [602, 'out/inner'],
        [603, 'out'],
      ],
    ),
    [600, 601, 604],
  ],
  [
    'never the first process, nor through it its children',
    { ...FOUND, pid: 1, startTime: 'start of 1' },
    look([row(1, { ppid: 0 }), row(2)], [[1, 'out/in']]),
    [],
  ],
  [
    'never the spared, whatever they bear',
    FOUND,
    look([ROOT, row(510, { ppid: 500 }), row(520, { ppid: 510 })], [...MARKED, [510, 'out/in']], [500, 510]),
    [],
  ],
];

for (const [why, root, seen, mine] of ROWS) test(`of the tree: ${why}`, () => assert.equal(among(seen, root), mine));

test('what was a member stays one, but not by its number alone', () => {
  const none = membersAmong(look([]), { root: null, marker: 'out/in' });
  const last: Members = { ...none, rows: [row(700), row(701)] };
  assert.equal(among(look([row(700), row(701, { startTime: 'later' })]), null, last), [700]);
});

for (const root of [FOUND, CHILD])
  test(`the number of a root that is ${root.ours ?? 'found'} holds from look to look while anything bears it, and no longer`, () => {
    const tree = { root, marker: 'out/in' };
    const first = membersAmong(look([ROOT, row(505, { pgid: 500, sid: 500 })], MARKED), tree);
    const second = membersAmong(look([LEFT]), tree, first);
    assert.equal([second.rows, second.numberHeld], [[LEFT], true]);
    const none = membersAmong(look([row(800)]), tree, second);
    assert.equal([none.rows, none.numberHeld], [[], false]);
    assert.equal(membersAmong(look([LEFT]), tree, none).rows, []);
  });

/** 700 leads a session of its own and is of the tree; 710 hangs from nobody. */
const LEADER = row(700);
const JOINED = row(710, { sid: 700, pgid: 700 });
const FORKS: readonly [why: string, first: readonly ProcessRow[], later: ProcessLook, mine: number[]][] = [
  ['joined a session in which all were of the tree', [LEADER], look([JOINED]), [710]],
  ['nobody who joined a session that a stranger shares', [LEADER, row(701, { sid: 700 })], look([JOINED]), []],
  ['nobody after so long that the number may be another’s', [LEADER], { ...look([JOINED]), atMs: 500 }, []],
];
for (const [why, first, later, mine] of FORKS)
  test(`between two looks: ${why}`, () => {
    const tree = { root: null, marker: 'out/in' };
    const last = membersAmong(look(first, [[700, 'out/in']]), tree);
    assert.equal(
      membersAmong(later, tree, last).rows.map(({ pid }) => pid),
      mine,
    );
  });

const IN_300 = look([row(700, { pgid: 300, sid: 300 })], [[700, 'out/in']]);
const SHARED: readonly [where: string, seen: ProcessLook][] = [
  ['only the new processes were listed', { ...IN_300, from: 500 }],
  ['an older one is in it', { ...IN_300, elders: { pids: new Set([9]), numbers: new Set([300]), atMs: 0 } }],
];
for (const [where, seen] of SHARED)
  test(`a group is not known to be the tree’s alone where ${where}`, () =>
    assert.equal([...membersAmong(seen, { root: null, marker: 'out/in' }).numbers], []));

test.run();
