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
    assert.is((await claim({ ...asked, say: assert.unreachable })).how, 'done');
    const waiting = claim({ ...asked, say: () => renameSync(task, path.join(folder, 'archived')) });
    assert.equal(await waiting, { how: 'gone' });
    assert.not(existsSync(task));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a run that may live in another container is taken over with --force alone', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'claim-'));
  try {
    const journal = openJournal(path.join(folder, 'fix'), () => new Date());
    const owner = { pid: 1, start_time: '1', host: 'elsewhere', boot_id: 'b', pid_ns: 'n' };
    journal.append({ fact: 'claimed', run_id: 'theirs', over: null, owner });
    const asked = { journal, stop: new AbortController().signal, say: assert.unreachable } as const;
    const refused = await claim({ ...asked, whenTaken: 'refuse' });
    assert.match(refused.how === 'refused' ? refused.message : '', /on elsewhere\); if that run is gone, use --force/);
    assert.is((await claim({ ...asked, whenTaken: 'force_or_refuse' })).how, 'done');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
