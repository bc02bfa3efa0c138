// A limit that a real CLI met: its own run is not held by what it learnt, and no other task pays to learn it again.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runTask, within } from './real-task.ts';

test('gemini', () =>
  within('gemini', async (home, api) => {
    const holds = path.join(home.home, '.local/state/tollgate/limits/holds.json');
    api.script(['429', 'ok']);
    const first = await runTask(home, 'gemini', 'first');
    assert.equal([first.state, api.paid().length, existsSync(holds)], ['done', 2, false]);
    api.script(['429long']);
    const { failure } = await runTask(home, 'gemini', 'second');
    assert.equal([failure?.reason, api.paid().length], ['long_reset', 3]);
    const third = await runTask(home, 'gemini', 'third');
    assert.equal([third.failure?.reason, third.failure?.retry_at], ['held', failure?.retry_at]);
    assert.equal([api.paid().length, home.survivors()], [3, []]);
  }));

test.run();
