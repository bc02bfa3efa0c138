// Which backups go: by their number, by what they are for, and by what they take.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oldBackups } from '../../../policies/session/reverted-turns.ts';
import type { EditKind, KnownEdit } from '../../../policies/session/session-edits.ts';

const GIB = 1024 ** 3;
const NOW = new Date('2026-11-22T12:00:01Z');

const edit = (n: number, what: EditKind, bytes = 10): KnownEdit => ({
  n,
  at: '2026-11-22T12:00:00Z',
  tool: 'codex',
  session_id: 'x',
  file: '/x',
  what,
  before: { bytes, sha256: 'a' },
  after: { bytes: 1, sha256: 'b' },
  backup: `${n}.backup.jsonl`,
  turns: 2,
  kept_turns: what === 'mended' ? 2 : 1,
  kept_items: null,
  reverted_turns: what === 'mended' ? 0 : 1,
  state: 'made',
  isKept: true,
});
const many = (count: number, what: EditKind) => Array.from({ length: count }, (_, i) => edit(i + 1, what));
const made = (at: string, one: KnownEdit): KnownEdit => ({ ...one, at });
const redone = (n: number, of: number): KnownEdit => ({ ...edit(n, 'redone'), of, reverted_turns: 0 });

const ROWS: [name: string, edits: KnownEdit[], old: number[]][] = [
  ['twenty that take something back', many(20, 'undone'), []],
  ['two more', many(22, 'undone'), [1, 2]],
  ['mended ones are asked for by nobody', many(5, 'mended'), [1, 2]],
  ['they push out none that takes something back', [...many(1, 'undone'), ...many(6, 'mended').slice(1)], [2, 3]],
  [
    'those that were brought back again',
    [edit(1, 'undone'), redone(2, 1), edit(3, 'undone'), redone(4, 3), edit(5, 'undone'), redone(6, 5)],
    [1, 2, 3],
  ],
  ['those that can still be, though an older one was', [...many(4, 'undone'), redone(5, 1)], []],
  ['too large together', [edit(1, 'undone', GIB), edit(2, 'undone', GIB), edit(3, 'undone', GIB)], [1]],
  [
    'those of more than 90 days, the newest too',
    [made('2026-08-24T12:00:00Z', edit(1, 'undone')), made('2026-08-24T12:00:00Z', edit(2, 'mended'))],
    [1, 2],
  ],
  ['one of 90 days stays', [made('2026-08-24T12:00:01Z', edit(1, 'undone'))], []],
  ['the newest stays, however large', [edit(1, 'undone'), edit(2, 'undone', 3 * GIB)], [1]],
];
for (const [name, edits, old] of ROWS)
  test(name, () => {
    assert.equal(
      oldBackups(edits, NOW).map(({ n }) => n),
      old,
    );
  });

test.run();
