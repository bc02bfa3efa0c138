// Acceptance commands whose dispatcher was killed: the next run ends them, and what was paid for counts.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import { waitForChange } from '../../../state/wait-for-change.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { markEnvironment } from '../../../wrappers/processes/marker.ts';
import { endStrangers, startStranger } from '../../rig/stranger.ts';
import { answerWith } from '../../rig/streams.ts';
import { isAlive } from '../../rig/survivors.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('left commands');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(async ({ rig }) => {
  await endStrangers();
  await rig.dispose();
});

const VERIFY = { stages: [{ tool: 'codex', role: 'verify', ...ANY_ANSWER }] };

/** A task whose gate waits for ever unless `go` is there; killed while it waits. @returns the waiting command's number. */
async function killedGate(rig: TestRig): Promise<{ task: TestTask; pid: number }> {
  const [go, begun] = ['go', 'begun'].map((name) => path.join(rig.root, name)) as [string, string];
  const command = `test -f '${go}' || { echo $$ > '${begun}.new'; mv '${begun}.new' '${begun}'; exec sleep 600; }`;
  const task = makeTask(rig, { ...VERIFY, acceptance: { commands: [command] } });
  rig.answer(() => answerWith('codex', '## Verdict\n\nPASS\n'));
  const running = task.start();
  while (!existsSync(begun)) await waitForChange(begun, 1000, new AbortController().signal);
  running.signal('SIGKILL');
  await running.result;
  writeFileSync(go, '');
  return { task, pid: Number(readFileSync(begun, 'utf8')) };
}

test('the next run ends the command, and takes the answer without paying again', async ({ rig }) => {
  const { task, pid } = await killedGate(rig);
  assert.is(isAlive(pid), true);
  const { code, report } = await task.run();
  assert.equal([code, rig.calls.length, report.budget.used, isAlive(pid)], [0, 1, 1, false]);
});

test('so does a run that asks something else, and never comes to that gate', async ({ rig }) => {
  const { pid } = await killedGate(rig);
  const { code } = await makeTask(rig, { ...VERIFY, goal: 'Find more.' }).run('--redo=codex_verify');
  assert.equal([code, rig.calls.length, isAlive(pid)], [0, 2, false]);
});

test('so does a sweep', async ({ rig }) => {
  const { task, pid } = await killedGate(rig);
  const { code, stdout } = await rig.run('tollgate', ['preflight', '--sweep']);
  assert.equal([code, isAlive(pid)], [0, false]);
  assert.is(stdout, 'ok    gate ended  commands of a gate of fix that was killed: 1 process was ended\n\n1 swept.\n');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
});

type Plant = (own: string, stranger: ProcessIdentity) => string;
const owner = (stranger: ProcessIdentity) => ({ ...stranger, start_time: '1' });
const PLANTED: [what: string, plant: Plant][] = [
  ['is not JSON', () => '{'],
  ['holds null', () => 'null'],
  ['names no root', (own, root) => JSON.stringify({ owner: owner(root), marker: own })],
  ['names half an owner', (own, root) => JSON.stringify({ owner: { host: root.host }, marker: own, root: null })],
  ['names a stranger as its root', (own, root) => JSON.stringify({ owner: owner(root), marker: own, root })],
  ['names a stranger’s marker', (_, root) => JSON.stringify({ owner: owner(root), marker: 'stranger', root })],
  [
    'ends a longer marker with a stranger’s',
    (own, root) => JSON.stringify({ owner: owner(root), marker: `${own}/stranger`, root }),
  ],
];
for (const [what, plant] of PLANTED)
  test(`a record that ${what} ends nobody, and keeps no run from its work`, async ({ rig }) => {
    const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
    rig.answer(() => answerWith('codex', 'ok'));
    await task.run();
    const [callId] = task.journal.read().ledger.calls.keys();
    const stranger = startStranger(markEnvironment('stranger'));
    const folder = path.join(task.folder, 'state/attempts', callId!, 'gate-acceptance');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'owner.json'), plant(`${callId}/gate-acceptance`, (await identify(stranger))!));
    assert.equal([(await task.run()).code, isAlive(stranger)], [0, true]);
  });

test.run();
