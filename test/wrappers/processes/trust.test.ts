// Whose marker or open file is believed, in rows: users, ages, namespaces and parents.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProcessOwner, ProcessRow } from '../../../wrappers/processes/rows.ts';
import type { Signs } from '../../../wrappers/processes/tree-types.ts';
import { isOlder, provenMembers } from '../../../wrappers/processes/trust.ts';

const US = 1000;
const bearer = (given: Partial<ProcessRow> = {}): ProcessRow => ({
  pid: 700,
  ppid: 1,
  pgid: 700,
  sid: 700,
  startTime: '100',
  zombie: false,
  ...given,
});
const parent = (given: Partial<ProcessRow> = {}) => bearer({ pid: 600, ppid: 550, startTime: '10', ...given });
const ROOT = { pid: 500, startTime: '90', sinceMs: 0, ours: 'child' as const };

interface Seen {
  rows?: ProcessRow[];
  marker?: string | null;
  holds?: boolean;
  owner?: ProcessOwner | null;
  uid?: number;
  spared?: number[];
  sessions?: number[];
}

function isVouched(seen: Seen): boolean {
  const { rows = [bearer()], marker = 'out/in', holds = false, owner = { uid: US, place: 'here' }, uid = US } = seen;
  const owners = new Map<number, ProcessOwner>();
  if (owner !== null) owners.set(700, owner);
  const signs: Signs = {
    rows,
    markers: new Map(marker === null ? [] : [[700, marker]]),
    holders: new Set(holds ? [700] : []),
    grouped: new Set(),
    owners,
    uid,
    above: { spared: new Set(seen.spared ?? []), sessions: new Set(seen.sessions ?? []) },
    since: '90',
  };
  return provenMembers(signs, { root: ROOT, marker: 'out/in' }).has(700);
}

const ROWS: readonly [why: string, seen: Seen, vouched: boolean][] = [
  ['a bearer that hangs from the first process', {}, true],
  ['a bearer of a longer chain', { marker: 'out/in/deeper' }, true],
  ['a bearer of the outer call alone', { marker: 'out' }, false],
  ['a bearer of a name that begins alike', { marker: 'out/inner' }, false],
  ['one of another user', { owner: { uid: 1001, place: 'here' } }, false],
  ['one of another user, where we are the superuser', { owner: { uid: 1001, place: 'here' }, uid: 0 }, true],
  ['one whose user cannot be read', { owner: null }, false],
  ['one in a container below us', { owner: { uid: US, place: 'below' } }, false],
  ['one that is as old as the call', { rows: [bearer({ startTime: '90' })] }, true],
  ['one that is older than the call', { rows: [bearer({ startTime: '89' })] }, false],
  ['one that is older, by number and not by text', { rows: [bearer({ startTime: '9' })] }, false],
  ['a zombie', { rows: [bearer({ zombie: true })] }, false],
  ['one that we live under', { spared: [700] }, false],
  ['the child of a living stranger', { rows: [bearer({ ppid: 600 }), parent()] }, false],
  ['the child of one that is gone', { rows: [bearer({ ppid: 600 }), parent({ zombie: true })] }, true],
  ['one that was taken in by whom we live under', { rows: [bearer({ ppid: 600 }), parent()], spared: [600] }, true],
  [
    'one that a person started beside us',
    { rows: [bearer({ ppid: 600, sid: 600 })], spared: [600], sessions: [600] },
    false,
  ],
  ['one left in a session that we live under', { rows: [bearer({ sid: 600 })], sessions: [600] }, false],
  ['one of no known session', { rows: [bearer({ sid: null })], sessions: [600] }, true],
  ['one taken in by a service manager', { rows: [bearer({ ppid: 600 }), parent({ ppid: 1 })] }, true],
  ['one that was put into our container from outside', { rows: [bearer({ ppid: 0 })] }, false],
  ['one that holds a folder of the call', { marker: null, holds: true }, true],
  ['one that holds it for another user', { marker: null, holds: true, owner: { uid: 5, place: 'here' } }, false],
  ['one that held it before the call', { marker: null, holds: true, rows: [bearer({ startTime: '1' })] }, false],
  ['the child of a stranger holding it', { marker: null, holds: true, rows: [bearer({ ppid: 600 }), parent()] }, false],
];
for (const [why, seen, vouched] of ROWS)
  test(`${vouched ? 'ours' : 'not ours'}: ${why}`, () => assert.is(isVouched(seen), vouched));

const AGES: readonly [startTime: string, since: string | null, older: boolean][] = [
  ['99', '100', true],
  ['100', '100', false],
  ['101', '100', false],
  ['1', null, false],
  ['Sat Nov 21 20:01:02 2026', 'Sat Nov 21 20:01:03 2026', true],
  // To the second: whoever was started within the same one may be the older, and counts as young.
  ['Sat Nov 21 20:01:03 2026', 'Sat Nov 21 20:01:03 2026', false],
  ['Sun Nov 1 09:00:00 2026', 'Sat Oct 31 23:59:59 2026', false],
];
for (const [startTime, since, older] of AGES)
  test(`${startTime} is ${older ? '' : 'not '}older than ${since ?? 'what nobody knows'}`, () =>
    assert.is(isOlder(startTime, since), older));

test.run();
