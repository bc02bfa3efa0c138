// What counts as a change of a task between two looks.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changesOf } from '../../../loops/report/follow-now.ts';
import type { NowCall, NowTask } from '../../../loops/report/now.ts';

const AT = '2026-01-01T00:00:09.000Z';
const CALL: NowCall = {
  call_id: 'c1',
  stage: 'codex_review',
  tool: 'codex',
  stand_ins: [],
  attempt: 1,
  since: '2026-01-01T00:00:00.000Z',
  deadline_at: '2026-01-01T01:00:00.000Z',
  last: null,
  tokens: null,
};
const TASK: NowTask = {
  task_id: 'fix',
  folder: '/p/.tmp/task/fix',
  state: 'never_run',
  since: null,
  running: [],
  waits: null,
  tokens: null,
  calls: { used: 0, budget: null },
  stage: null,
  class: null,
  reason: null,
  message: null,
};
const BUSY: NowTask = { ...TASK, state: 'running', since: CALL.since, running: [CALL] };
const DONE: NowTask = { ...TASK, state: 'done', since: AT };
const BEHIND: NowTask = { ...BUSY, running: [], waits: { what: 'tree', behind: ['other'], stage: 'codex_impl' } };
const LOST: NowTask = { ...TASK, state: 'unreadable', message: 'no journal' };
const GONE: NowTask = { ...TASK, state: 'gone' };

const ROWS: [what: string, before: NowTask | null, after: NowTask, changes: string[]][] = [
  ['a task at rest that is seen first', null, DONE, []],
  ['a task at work that is seen first', null, BUSY, ['began', 'called']],
  ['nothing', BUSY, BUSY, []],
  ['a run that begins', TASK, BUSY, ['began', 'called']],
  ['a word of the CLI', BUSY, { ...BUSY, running: [{ ...CALL, last: 'answers' }] }, ['said']],
  ['tokens alone', BUSY, { ...BUSY, running: [{ ...CALL, tokens: 9 }] }, []],
  ['the next call', BUSY, { ...BUSY, running: [{ ...CALL, call_id: 'c2' }] }, ['call_ended', 'called']],
  ['a place in line', BUSY, BEHIND, ['call_ended', 'waits']],
  ['the same place in line', BEHIND, BEHIND, []],
  ['an end', BUSY, DONE, ['call_ended', 'ended']],
  ['a run between two looks', DONE, { ...DONE, since: '2026-01-01T00:00:10.000Z' }, ['ended']],
  ['what cannot be read', BUSY, LOST, ['unreadable']],
  ['what still cannot be read', LOST, LOST, []],
  ['what is gone', DONE, GONE, ['gone']],
  ['what is still gone', GONE, GONE, []],
];
for (const [what, before, after, changes] of ROWS)
  test(what, () =>
    assert.equal(
      changesOf(before, after, AT).map(({ change }) => change),
      changes,
    ),
  );

test.run();
