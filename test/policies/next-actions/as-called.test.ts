// The commands of next actions as the run was started: its launcher, the task as it was named, its trust, and quotes.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asCalled, type CommandCalled } from '../../../policies/next-actions/as-called.ts';

const PLAIN: CommandCalled = { launcher: 'tollgate', word: 'q1', trusts: false };

const ROWS: [what: string, called: Partial<CommandCalled>, line: string, told: string][] = [
  ['an id', {}, 'tollgate run q1 (asks codex again)', 'tollgate run q1 (asks codex again)'],
  ['a path', { word: './jobs/q1' }, 'then: tollgate run q1', 'then: tollgate run ./jobs/q1'],
  ['a path with a space', { word: './my jobs/q1' }, 'tollgate run q1 --redo a', "tollgate run './my jobs/q1' --redo a"],
  ['a path with a quote', { word: "./it's/q1" }, 'tollgate run q1', String.raw`tollgate run './it'\''s/q1'`],
  ['trust', { trusts: true }, 'tollgate run q1 --redo a', 'tollgate run q1 --trust-workspace --redo a'],
  ['trust that is there', { trusts: true }, 'tollgate run q1 --trust-workspace', 'tollgate run q1 --trust-workspace'],
  [
    'trust of a path',
    { word: './jobs/q1' },
    'tollgate run q1 --trust-workspace',
    'tollgate run ./jobs/q1 --trust-workspace',
  ],
  ['trust that a budget has no use for', { trusts: true }, 'tollgate budget q1 --set 6', 'tollgate budget q1 --set 6'],
  [
    'npx',
    { launcher: 'npx tollgate' },
    'tollgate budget q1 --set 6 && tollgate run q1',
    'npx tollgate budget q1 --set 6 && npx tollgate run q1',
  ],
  ['npx of preflight', { launcher: 'npx tollgate' }, 'preflight --tools codex', 'npx preflight --tools codex'],
  ['another task', { word: './x/q1' }, 'tollgate run q1-b', 'tollgate run q1-b'],
];

for (const [what, called, line, told] of ROWS)
  test(what, () => assert.equal(asCalled([line], 'q1', { ...PLAIN, ...called }), [told]));

test.run();
