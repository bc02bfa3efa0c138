// The second thread of a report: what it sees of a task is what the first would have seen, and nothing of what only that can tell.

import { appendFileSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectTasks } from '../../../loops/report/collect.ts';
import { startReadAhead } from '../../../loops/report/read-ahead.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const test = suite<{ home: string }>('reading ahead');
test.before.each((context) => {
  context.home = path.join(temporaryFolder('read-ahead-'), 'task');
});

const AT = '2026-11-22T00:00:00.000Z';
const owner = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const line = (fact: object, at = AT) => `${JSON.stringify({ v: 1, at, ...fact })}\n`;
const ended = (state: string, at = AT) => line({ fact: 'released', run_id: 'r', exit_code: 0, state }, at);

const journalOf = (home: string, name: string) => path.join(home, name, 'state/journal.jsonl');

function makeTask(home: string, name: string, journal: string): void {
  mkdirSync(path.join(home, name, 'state'), { recursive: true });
  writeFileSync(journalOf(home, name), journal);
}

/** In the order of their names; before the first is another one, which the first thread is at. */
const TASKS: [name: string, journal: string | null, rest: object | null][] = [
  ['b-done', ended('done'), { state: 'done', at: AT }],
  ['c-failed', ended('done') + line({ fact: 'claimed', run_id: 'r2', over: null, owner }), null],
  ['d-parked', ended('parked'), { state: 'parked', at: AT }],
  ['e-none', null, null],
  ['f-torn', '{"v":1,"at":"2026', null],
  ['g-time-of-a-person', ended('done', '2026-11-22'), null],
  ['h-ünfit', ended('done'), null],
];

function fill(home: string): string[] {
  makeTask(home, 'a', '');
  for (const [name, journal] of TASKS) if (journal !== null) makeTask(home, name, journal);
  makeTask(path.dirname(home), 'elsewhere', ended('done'));
  mkdirSync(path.join(home, 'i-linked'));
  symlinkSync(path.join(path.dirname(home), 'elsewhere/state'), path.join(home, 'i-linked/state'));
  return ['a', ...TASKS.map(([name]) => name), 'i-linked'];
}

/** All that it tells before it meets the first thread, which stays at the first task. */
async function wholeOf(home: string, names: string[], wanted: 'looks' | 'rests') {
  const isOver = new Promise<void>((resolve) => {
    process.once('worker', (thread) => {
      thread.ref();
      thread.once('exit', () => resolve());
    });
  });
  const ahead = startReadAhead(home, names, wanted)!;
  await isOver;
  return names.map((_, place) => ahead.at(place));
}

const lookOf = (file: string) => {
  const { ino, size, ctimeMs } = statSync(file);
  return { ino, size, ctimeMs };
};

test('of one that rests its last release, of the others nothing', async ({ home }) => {
  const names = fill(home);
  const wanted = TASKS.map(([name, , rest]) => rest && { journal: lookOf(journalOf(home, name)), rest });
  assert.equal(await wholeOf(home, names, 'rests'), [null, ...wanted, null]);
});

test('of each journal how it looks, or that it is not there', async ({ home }) => {
  const names = fill(home);
  const [first, ...others] = await wholeOf(home, names, 'looks');
  assert.is(first, null);
  assert.equal(
    others.map((seen) => seen!.journal),
    names.slice(1).map((name) => (name === 'e-none' ? null : lookOf(journalOf(home, name)))),
  );
});

test('a report of two threads tells what there is: without an index, with one, and of what has changed since', async ({
  home,
}) => {
  const COUNT = 10_050;
  for (let n = 0; n < COUNT; n += 1) makeTask(home, `t${n}`, ended(n % 10 === 0 ? 'failed' : 'done'));
  const told = async () => {
    const now = new Date(Date.now() + 3_600_000);
    const environment = { XDG_STATE_HOME: path.join(home, '../own') };
    const asked = { word: home, cwd: home, sinceMs: null, which: 'failed', stages: 'left_out' } as const;
    const collected = await collectTasks({ ...asked, environment, now });
    if (collected.how === 'invalid') throw new Error(collected.message);
    const { totals, tasks } = collected.report;
    return [totals.tasks, totals.done, totals.failed, totals.running, tasks.length];
  };
  const failed = COUNT / 10;
  const before = [COUNT, COUNT - failed, failed, 0, failed];
  assert.equal(await told(), before);
  assert.equal(await told(), before);
  for (const n of [1, 5001, COUNT - 1]) appendFileSync(journalOf(home, `t${n}`), ended('failed'));
  for (const n of [2, COUNT - 2])
    writeFileSync(journalOf(home, `t${n}`), line({ fact: 'claimed', run_id: 'r2', over: null, owner }));
  assert.equal(await told(), [COUNT, COUNT - failed - 5, failed + 3, 2, failed + 3]);
});

test.run();
