// Who has a task: one that was put away while somebody waited for it is not begun afresh in the old place.

import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claim } from '../../../loops/task/claim.ts';
import { openJournal } from '../../../state/journal/journal.ts';

test('a task that is moved away while it is waited for is gone', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'claim-'));
  try {
    const task = path.join(folder, 'fix');
    const journal = openJournal(task, () => new Date());
    const stop = new AbortController().signal;
    const asked = { journal, whenTaken: 'wait', stop } as const;
    assert.is((await claim({ ...asked, say: assert.unreachable })).how, 'claimed');
    const waiting = claim({ ...asked, say: () => renameSync(task, path.join(folder, 'archived')) });
    assert.equal(await waiting, { how: 'gone' });
    assert.not(existsSync(task));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
