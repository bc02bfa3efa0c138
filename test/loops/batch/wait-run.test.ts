// Waiting for dispatched tasks: the journal tells who works at one, and how the last run ended.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { waitForAll } from '../../../loops/batch/wait.ts';
import { describe } from '../../../loops/batch/wait-outcome.ts';
import { awaitTask } from '../../../loops/batch/wait-run.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { identify } from '../../../wrappers/processes/identity.ts';

const test = suite('task run');
let folder = '';
let self: ProcessIdentity;
test.before(async () => {
  self = (await identify(process.pid))!;
});
test.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'task-'));
});
test.after.each(() => rmSync(folder, { recursive: true }));

const journal = () => openJournal(folder, () => new Date(0));
const claim = (run_id: string, owner = self, over: string | null = null) =>
  journal().append({ fact: 'claimed', run_id, over, owner });
const release = (run_id: string, exit_code: number, state: 'done' | 'failed' | 'interrupted') =>
  journal().append({ fact: 'released', run_id, exit_code, state });

async function wait(timeoutMs = 60_000): Promise<string> {
  const [settled] = await waitForAll([awaitTask(folder, 'it', self, 'counts')], { timeoutMs, onFailure: 'wait_on' });
  return describe(settled!.outcome)
    .replaceAll(folder, '')
    .replace(/since [\d-]+T[\d:.]+Z/, 'since T');
}

test('a task is done when its last run was released with 0', async () => {
  claim('run1');
  release('run1', 1, 'failed');
  claim('run2');
  release('run2', 0, 'done');
  assert.is(await wait(), 'done, since T, before this wait began: run run2');
});

test('a task that is not there yet is waited for through claim and release', async () => {
  rmSync(folder, { recursive: true });
  const answer = wait();
  for (const step of [() => claim('run1'), () => release('run1', 0, 'done')]) {
    await new Promise(setImmediate);
    step();
  }
  assert.is(await answer, 'done');
});

test('a task that failed before and runs again is waited for', async () => {
  claim('run1');
  release('run1', 1, 'failed');
  claim('run2');
  assert.is(await wait(0), 'timed out after 0 ms: there is no end of a run in /state/journal.jsonl');
});

test('a failed run tells the class and reason of its last call', async () => {
  claim('run1');
  const call_id = 'c1';
  journal().append({
    fact: 'reserved',
    call_id,
    run_id: 'run1',
    stage: 'codex_impl',
    tool: 'codex',
    attempt: 1,
    for_prompt: null,
    guardian: self,
    deadline_at: '1970-01-01T00:00:00.000Z',
  });
  journal().append({
    fact: 'verdict',
    call_id,
    class: 'quota',
    reason: 'per_day',
    signature: null,
    retry_at: null,
    exit_code: 12,
  });
  release('run1', 1, 'failed');
  assert.is(await wait(), 'failed with exit code 1: quota (per_day), since T, before this wait began: run run1');
});

test('a failed gate is named', async () => {
  claim('run1');
  journal().append({
    fact: 'gate',
    stage: 'gemini_brief',
    call_id: 'c1',
    passed: false,
    missing: ['Risks'],
    class: 'contract_violation',
    reason: 'missing_sections',
    signature: 'v1:1',
  });
  release('run1', 1, 'failed');
  assert.is(
    await wait(),
    'failed with exit code 1: the gate of gemini_brief did not pass, since T, before this wait began: run run1',
  );
});

test('an interrupted run says so', async () => {
  claim('run1');
  release('run1', 130, 'interrupted');
  assert.is(await wait(), 'failed with exit code 130: interrupted, since T, before this wait began: run run1');
});

test('a run that died without a release has failed', async () => {
  const child = spawn('sleep', ['30']);
  const owner = (await identify(child.pid!))!;
  claim('run1', owner);
  const answer = wait();
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.is(
    await answer,
    `failed: process ${owner.pid} is gone, and there is no release of run run1 in /state/journal.jsonl`,
  );
});

test('a release that comes between the two looks at a run that is gone still counts', async () => {
  claim('run1', { ...self, boot_id: 'earlier' });
  const one = awaitTask(folder, 'it', self, 'counts');
  assert.equal(one.look(), { how: 'pending', next: 'by_the_clock' });
  release('run1', 0, 'done');
  assert.equal(one.look(), { how: 'settled', outcome: { how: 'done', lacks: [] } });
});

test('a run of an earlier boot is dead, one of another machine is not', async () => {
  claim('run1', { ...self, boot_id: 'earlier' });
  assert.match(await wait(), /^failed: process \d+ is gone/);
  claim('run2', { ...self, host: 'another' }, 'run1');
  assert.match(await wait(0), /^timed out/);
});

test('a journal of a newer version is told, not guessed at', async () => {
  mkdirSync(path.join(folder, 'state'));
  appendFileSync(path.join(folder, 'state/journal.jsonl'), '{"v":99,"fact":"claimed"}\n');
  assert.match(await wait(), /^failed: .*was written by a newer version/);
});

test.run();
