// What a report over many tasks looks at, opens and reads of each, counted: no more than is shown of it.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectTasks } from '../../../../loops/report/collect.ts';
import { type CountedProcess, countIn, eventsOf } from '../../../rig/counted.ts';
import { TestRig } from '../../../rig/test-rig.ts';

/** Enough for an index. */
const TASKS = 600;
const FAILED_OF = 10;
const FAILED = TASKS / FAILED_OF;
const HOUR_MS = 3_600_000;

const test = suite<{ rig: TestRig; report: (...flags: string[]) => Promise<CountedProcess> }>('looks of a report');
test.before.each(async (context) => {
  const rig = await TestRig.open({ tools: [] });
  for (let n = 0; n < TASKS; n += 1) makeTask(rig, n);
  const counted = countIn(rig);
  context.rig = rig;
  context.report = async (...flags) => {
    const { code, stdout } = await rig.start('tollgate', ['report', '--failed', ...flags]).result;
    assert.equal([code, stdout.match(/^t\d+ /gm)?.length], [0, FAILED]);
    return counted().find(({ script }) => script === 'tollgate.cjs')!;
  };
});
test.after.each(({ rig }) => rig.dispose());

function makeTask({ project }: TestRig, n: number): void {
  const state = path.join(project, `.tmp/task/t${n}/state`);
  mkdirSync(state, { recursive: true });
  const at = '2026-11-22T00:00:00.000Z';
  const owner = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
  const isFailed = n % FAILED_OF === 0;
  const facts = [
    { fact: 'claimed', run_id: 'r', over: null, owner },
    { fact: 'released', run_id: 'r', exit_code: Number(isFailed), state: isFailed ? 'failed' : 'done' },
  ];
  const lines = facts.map((fact) => `${JSON.stringify({ v: 1, at, ...fact })}\n`);
  writeFileSync(path.join(state, 'journal.jsonl'), lines.join(''));
  if (isFailed)
    writeFileSync(path.join(state, 'last_failure.json'), JSON.stringify({ class: 'quota', next_actions: ['wait'] }));
}

/** How often each kind of thing was done to the files of tasks. */
function doneTo(counted: CountedProcess, of = /\.tmp\/task\/t\d+/) {
  const times = (what: Parameters<typeof eventsOf>[1]) => eventsOf(counted, what, of).length;
  return { looks: times('look'), opened: times('open'), read: times('read') };
}

test('without an index: one file of a task that rests, two of one that is shown', async ({ report }) => {
  const counted = await report();
  const { looks, opened, read } = doneTo(counted);
  assert.equal([opened, read], [TASKS + FAILED, TASKS + FAILED]);
  // Whether a link leads away from its journal, and what its journal is; of one that is shown whether its failure is there, and what it is.
  assert.is(looks, 2 * TASKS + 2 * FAILED);
});

test('with one: a look at the journal of each, at the failure of what is shown, and nothing is opened', async ({
  rig,
  report,
}) => {
  await keepIndex(rig);
  const counted = await report();
  assert.equal(doneTo(counted), { looks: TASKS + FAILED, opened: 0, read: 0 });
  const index = doneTo(counted, /tollgate\/reports/);
  // Its head, then each piece for its hash, and for its lines: as one it would be most of the memory.
  assert.equal([index.opened, index.read], [1, 1 + 1 + 1]);
});

test('what has changed since is read, and nothing else', async ({ rig, report }) => {
  await keepIndex(rig);
  for (const n of [1, 2, 3]) makeTask(rig, n);
  const { opened, read } = doneTo(await report());
  assert.equal([opened, read], [3, 3]);
});

/** By a clock that is past the time in which a file counts as one that is being changed. */
async function keepIndex({ project, env }: TestRig): Promise<void> {
  const all = { word: null, sinceMs: null, which: 'failed', stages: 'left_out' } as const;
  await collectTasks({ ...all, cwd: project, environment: env, now: new Date(Date.now() + HOUR_MS) });
}

test.run();
