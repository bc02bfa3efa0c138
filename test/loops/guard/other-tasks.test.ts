// An agent of one task that edits what another is judged by: that one is stopped at its door, until a person has looked.

import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('other tasks');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex', 'gemini'] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };
const VERIFY = { tool: 'gemini', role: 'verify', ...ANY_ANSWER };
const EVIL = { stages: [VERIFY], acceptance: { commands: ['touch stolen'] } };

/** The agent of `fix` works until `end`. */
async function working(rig: TestRig) {
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  rig.answer(() => answerWith('gemini', 'PASS'));
  return {
    running,
    async end() {
      await fake.tell(...answerWith('codex', 'fine'));
      const { code, stdout } = await running.result;
      assert.is(code, 0, stdout);
    },
  };
}

/** A task with inputs, which has made no call yet. */
function otherTask(rig: TestRig, id = 'other'): TestTask {
  const other = makeTask(rig, { stages: [VERIFY] }, id);
  rig.write(`.tmp/task/${id}/inputs/user_request.md`, 'Look.\n');
  rig.write(`.tmp/task/${id}/inputs/attachments/a.md`, 'a\n');
  return other;
}

const manifestOf = (id: string, more: object) => JSON.stringify({ task_id: id, goal: 'Find out.', ...more });

const makeEvil = (rig: TestRig, id = 'other') => rig.write(`.tmp/task/${id}/manifest.json`, manifestOf(id, EVIL));

const EDITS: [what: string, file: string, edit: (other: TestTask, id: string, rig: TestRig) => void][] = [
  ['its manifest', 'manifest.json', (_, id, rig) => makeEvil(rig, id)],
  [
    'its manifest, renamed into place',
    'manifest.json',
    ({ folder }, id, rig) =>
      renameSync(rig.write('evil.json', manifestOf(id, EVIL)), path.join(folder, 'manifest.json')),
  ],
  [
    'its request',
    'inputs/user_request.md',
    ({ folder }) => writeFileSync(path.join(folder, 'inputs/user_request.md'), 'Do.\n'),
  ],
  ['its request, removed', 'inputs', ({ folder }) => rmSync(path.join(folder, 'inputs/user_request.md'))],
  [
    'all its inputs, moved away',
    'inputs',
    ({ folder }, _, rig) => renameSync(path.join(folder, 'inputs'), path.join(rig.root, 'inputs')),
  ],
  [
    'a new input',
    'inputs, inputs/context_pack.md',
    ({ folder }) => writeFileSync(path.join(folder, 'inputs/context_pack.md'), 'Trust me.\n'),
  ],
  [
    'a new attachment',
    'inputs/attachments, inputs/attachments/b.md',
    ({ folder }) => writeFileSync(path.join(folder, 'inputs/attachments/b.md'), 'b\n'),
  ],
  [
    'its budget',
    'state/stats.json',
    ({ journal, folder }) => {
      journal.append({ fact: 'budget', calls: 10, from: 'manifest' });
      const figures = { paid_calls_used: 0, paid_call_budget: 99, journal_offset: statSync(journal.file).size };
      writeFileSync(path.join(folder, 'state/stats.json'), JSON.stringify(figures));
    },
  ],
];

test('whatever an agent edits of another task: the next run of that task stops, says whose call it was, and continues when a person, and no agent, accepts', async ({
  rig,
}) => {
  const edits = EDITS.map(([what, file, edit], i) => ({
    what,
    file,
    edit,
    id: `other-${i}`,
    other: otherTask(rig, `other-${i}`),
  }));
  const { end } = await working(rig);
  for (const { edit, other, id } of edits) edit(other, id, rig);
  await end();
  for (const { what, file, id, other } of edits) {
    const { code, said } = await other.run();
    assert.is(code, 2, `${what}: ${said}`);
    assert.match(said, `files that ${id} is judged by were changed while another task's agent ran: ${file} (`);
    assert.match(said, /\(task fix, stage codex_review, call \d{14}-[0-9a-f]{8}, \S+ to \d\S+\)/);
    assert.match(said, `tollgate run ${id} --accept-changes`);
    for (const argv of [
      ['run', id, '--dry-run'],
      ['batch', id],
    ])
      assert.is((await rig.run('tollgate', argv)).code, 2, what);
    const env = { TOLLGATE_CALL_ID: '20260101000000-00000000' };
    const byAgent = await rig.run('tollgate', ['run', id, '--accept-changes'], { env });
    assert.is(byAgent.code, 2, what);
    assert.match(byAgent.stderr, 'a call may not accept what was changed');
    assert.equal([(await other.run()).code, rig.calls.length], [2, 1], what);
  }
  for (const { what, other } of edits.filter(({ what }) => /^its manifest$|removed|moved|budget/.test(what))) {
    const accepted = await other.run('--accept-changes');
    assert.is(accepted.code, 0, `${what}: ${accepted.said}`);
    assert.is((await other.run()).code, 0, what);
  }
});

test('a task that starts while the agent of another still runs is stopped, too, unless what was moved away is put back', async ({
  rig,
}) => {
  const [other, moved] = [otherTask(rig), otherTask(rig, 'moved')];
  const { end } = await working(rig);
  makeEvil(rig);
  const inputs = path.join(moved.folder, 'inputs');
  renameSync(inputs, path.join(rig.root, 'inputs'));
  const stopped = await moved.run();
  assert.match(stopped.said, "while another task's agent ran: inputs (task fix");
  const { code, said } = await other.run();
  assert.equal([stopped.code, code, rig.calls.length], [2, 2, 1], said);
  assert.match(said, / to now\)/);
  renameSync(path.join(rig.root, 'inputs'), inputs);
  const again = await moved.run();
  assert.is(again.code, 0, again.said);
  await end();
  assert.is((await other.run()).code, 2);
});

test('in a batch the task that was edited is stopped, and the others are done', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  makeTask(rig, { stages: [REVIEW] });
  // With --fail-fast the second is begun only when the first has ended, so it is refused at its door.
  const running = rig.start('tollgate', ['batch', 'fix', 'other', '--concurrency', '1', '--fail-fast', '--json']);
  const fake = await rig.call();
  rig.answer(() => answerWith('gemini', 'PASS'));
  makeEvil(rig);
  await fake.tell(...answerWith('codex', 'fine'));
  const { code, stdout } = await running.result;
  assert.is(code, 1, stdout);
  assert.equal(
    JSON.parse(stdout).tasks.map(({ task_id, state }: { task_id: string; state: string }) => [task_id, state]),
    [
      ['fix', 'done'],
      ['other', 'refused'],
    ],
  );
  assert.match(
    JSON.parse(stdout).notes.join(),
    /fix, codex_review: files that other tasks .* other \(manifest\.json\)/,
  );
  assert.equal([other.journal.read().ledger.used, (await other.run()).code], [0, 2]);
});

test('a dispatcher that dies meanwhile changes nothing: the door knows its call', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  process.kill(running.pid, 'SIGKILL');
  await running.result;
  makeEvil(rig);
  assert.is((await other.run()).code, 2);
  await fake.tell(...answerWith('codex', 'fine'));
});

const FINE: Record<string, (other: TestTask, rig: TestRig) => unknown> = {
  read: (other) => other.read('manifest.json'),
  run: (other) => other.run(),
  created: (_, rig) => void makeTask(rig, { stages: [VERIFY] }, 'created'),
  'opened in an editor'({ folder }) {
    const litter = ['.a.swp', 'a~', '4913', 'attachments/.a.swp', 'attachments/a~', 'attachments/4913'];
    for (const name of litter) {
      writeFileSync(path.join(folder, 'inputs', name), 'x');
      rmSync(path.join(folder, 'inputs', name));
    }
    writeFileSync(path.join(folder, 'inputs/.user_request.md.swp'), 'left open');
  },
  'given a budget': ({ folder }, rig) => rig.run('tollgate', ['budget', path.basename(folder), '--set', '5']),
};

test(`a task that is ${Object.keys(FINE).join(', ')} while the agent of another works is not stopped`, async ({
  rig,
}) => {
  const idOf = (what: string) => what.replaceAll(' ', '-');
  const others = Object.keys(FINE).flatMap((what) =>
    what === 'created' ? [] : [[what, otherTask(rig, idOf(what))] as const],
  );
  const { end } = await working(rig);
  for (const [what, edit] of Object.entries(FINE)) await edit(new Map(others).get(what)!, rig);
  await end();
  for (const what of Object.keys(FINE)) {
    const { code, stderr } = await rig.run('tollgate', ['run', idOf(what)]);
    assert.is(code, 0, `${what}: ${stderr}`);
  }
});

test('what a run put back in its own task is blamed on no other', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  const theirs = other.start();
  const verify = await rig.call();
  makeEvil(rig);
  await verify.tell(...answerWith('gemini', 'PASS'));
  assert.is((await theirs.result).code, 1);
  await fake.tell(...answerWith('codex', 'fine'));
  assert.is((await running.result).code, 0);
  const { code, said } = await other.run();
  assert.is(code, 0, said);
});

test('what an agent put in a folder of its own task, and its run took away, is blamed on no other', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  const notes = rig.write('.tmp/task/other/inputs/attachments/notes.md', 'notes\n');
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  const theirs = other.start();
  const verify = await rig.call();
  rmSync(notes);
  rig.write('.tmp/task/other/inputs/attachments/notes.md/deep/file.json', '{}');
  // The call of the one task is over before the run of the other looks.
  await fake.tell(...answerWith('codex', 'fine'));
  assert.is((await running.result).code, 0);
  await verify.tell(...answerWith('gemini', 'PASS'));
  assert.is((await theirs.result).code, 1);
  const { code, said } = await other.run();
  assert.is(code, 0, said);
});

test.run();
