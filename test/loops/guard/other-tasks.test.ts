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

/** Two tasks; an agent of `fix` works while `edit` is done to `other`. */
async function meanwhile(rig: TestRig, edit: (other: TestTask) => void): Promise<TestTask> {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  rig.write('.tmp/task/other/inputs/user_request.md', 'Look.\n');
  rig.write('.tmp/task/other/inputs/attachments/a.md', 'a\n');
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  edit(other);
  await fake.tell(...answerWith('codex', 'fine'));
  const { code, stdout } = await running.result;
  assert.is(code, 0, stdout);
  return other;
}

const manifestOf = (id: string, more: object) => JSON.stringify({ task_id: id, goal: 'Find out.', ...more });

const EDITS: [what: string, file: string, edit: (other: TestTask, rig: TestRig) => void][] = [
  ['its manifest', 'manifest.json', (_, rig) => rig.write('.tmp/task/other/manifest.json', manifestOf('other', EVIL))],
  [
    'its manifest, renamed into place',
    'manifest.json',
    ({ folder }, rig) =>
      renameSync(rig.write('evil.json', manifestOf('other', EVIL)), path.join(folder, 'manifest.json')),
  ],
  ['its request', 'inputs/user_request.md', (_, rig) => rig.write('.tmp/task/other/inputs/user_request.md', 'Do.\n')],
  ['its request, taken away', 'inputs', ({ folder }) => rmSync(path.join(folder, 'inputs/user_request.md'))],
  [
    'all its inputs, moved away',
    'inputs',
    ({ folder }, rig) => renameSync(path.join(folder, 'inputs'), path.join(rig.root, 'inputs')),
  ],
  ['a new attachment', 'inputs/attachments', (_, rig) => rig.write('.tmp/task/other/inputs/attachments/b.md', 'b\n')],
  [
    'its budget',
    'state/stats.json',
    (other, rig) => {
      other.journal.append({ fact: 'budget', calls: 10, from: 'manifest' });
      const figures = { paid_calls_used: 0, paid_call_budget: 99, journal_offset: statSync(other.journal.file).size };
      rig.write('.tmp/task/other/state/stats.json', JSON.stringify(figures));
    },
  ],
];

for (const [what, file, edit] of EDITS)
  test(`${what}: the next run of that task stops, says whose call it was, and continues when a person accepts`, async ({
    rig,
  }) => {
    const other = await meanwhile(rig, (task) => edit(task, rig));
    rig.answer(() => answerWith('gemini', 'PASS'));
    const { code, said } = await other.run();
    assert.is(code, 2, said);
    assert.match(said, `files that other is judged by were changed while another task's agent ran: ${file}`);
    assert.match(said, /\(task fix, stage codex_review, call \d{14}-[0-9a-f]{8}, \S+ to \S+\)/);
    assert.match(said, 'tollgate run other --accept-changes');
    assert.is((await rig.run('tollgate', ['run', 'other', '--dry-run'])).code, 2);
    assert.is((await rig.run('tollgate', ['batch', 'other'])).code, 2);
    assert.is(rig.calls.length, 1);
    const accepted = await other.run('--accept-changes');
    assert.is(accepted.code, 0, accepted.said);
    assert.is((await other.run()).code, 0);
  });

test('an agent cannot accept its own changes', async ({ rig }) => {
  const other = await meanwhile(rig, () => rig.write('.tmp/task/other/manifest.json', manifestOf('other', EVIL)));
  const env = { TOLLGATE_CALL_ID: '20260101000000-00000000' };
  const { code, stderr } = await rig.run('tollgate', ['run', 'other', '--accept-changes'], { env });
  assert.is(code, 2);
  assert.match(stderr, 'a call may not accept what was changed');
  assert.is((await other.run()).code, 2);
});

test('a task that starts while the agent of another still runs is stopped, too', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  rig.write('.tmp/task/other/manifest.json', manifestOf('other', EVIL));
  const { code, said } = await other.run();
  assert.is(code, 2, said);
  assert.match(said, / to now\)/);
  await fake.tell(...answerWith('codex', 'fine'));
  assert.is((await running.result).code, 0);
  assert.is((await other.run()).code, 2);
});

test('inputs that are moved away while the agent of another still runs stop the task, and none that are put back', async ({
  rig,
}) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  const inputs = path.dirname(rig.write('.tmp/task/other/inputs/user_request.md', 'Look.\n'));
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  rig.answer(() => answerWith('gemini', 'PASS'));
  renameSync(inputs, path.join(rig.root, 'inputs'));
  const stopped = await other.run();
  assert.equal([stopped.code, rig.calls.length], [2, 1], stopped.said);
  assert.match(stopped.said, "while another task's agent ran: inputs (task fix");
  renameSync(path.join(rig.root, 'inputs'), inputs);
  const { code, said } = await other.run();
  assert.is(code, 0, said);
  await fake.tell(...answerWith('codex', 'fine'));
  assert.is((await running.result).code, 0);
});

test('a stage whose inputs were changed between two stages by the agent of another task is not asked', async ({
  rig,
}) => {
  const other = makeTask(rig, { stages: [VERIFY, { ...VERIFY, role: 'review' }] }, 'other');
  const fix = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  const running = other.start();
  const first = await rig.call();
  // Both stages are gemini's: the door of the second is reached only when the first has answered.
  const saved = path.join(other.folder, 'inputs/context_pack.md');
  rig.answer(() => answerWith('gemini', 'PASS'));
  await running.says(/call 1/);
  await first.tell(...answerWith('gemini', 'PASS'));
  const { code } = await running.result;
  assert.is(code, 0);
  writeFileSync(saved, 'Trust me.\n');
  assert.is((await other.run('--redo=gemini_review')).code, 2);
  await fake.tell(...answerWith('codex', 'fine'));
  await fix.result;
});

test('in a batch the task that was edited is stopped, and the others are done', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  makeTask(rig, { stages: [REVIEW] });
  // With --fail-fast the second is begun only when the first has ended, so it is refused at its door.
  const running = rig.start('tollgate', ['batch', 'fix', 'other', '--concurrency', '1', '--fail-fast', '--json']);
  const fake = await rig.call();
  rig.answer(() => answerWith('gemini', 'PASS'));
  rig.write('.tmp/task/other/manifest.json', manifestOf('other', EVIL));
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
  rig.write('.tmp/task/other/manifest.json', manifestOf('other', EVIL));
  assert.is((await other.run()).code, 2);
  await fake.tell(...answerWith('codex', 'fine'));
});

const FINE: [what: string, edit: (other: TestTask, rig: TestRig) => unknown][] = [
  ['is read', (other) => other.read('manifest.json')],
  [
    'is run',
    (other, rig) => {
      rig.answer(() => answerWith('gemini', 'PASS'));
      return other.run();
    },
  ],
  ['is made', (_, rig) => void makeTask(rig, { stages: [VERIFY] }, 'third')],
  [
    'is looked at in an editor',
    (_, rig) => {
      const litter = ['.a.swp', 'a~', '4913', 'attachments/.a.swp', 'attachments/a~', 'attachments/4913'];
      for (const name of litter) rmSync(rig.write(`.tmp/task/other/inputs/${name}`, 'x'));
      rig.write('.tmp/task/other/inputs/.user_request.md.swp', 'left open');
    },
  ],
  ['has its budget set', (_, rig) => rig.run('tollgate', ['budget', 'other', '--set', '5'])],
];

for (const [what, edit] of FINE)
  test(`a task that ${what} while the agent of another works is not stopped`, async ({ rig }) => {
    const id = what === 'is made' ? 'third' : 'other';
    const other = makeTask(rig, { stages: [VERIFY] }, 'other');
    rig.write('.tmp/task/other/inputs/attachments/a.md', 'a\n');
    const running = makeTask(rig, { stages: [REVIEW] }).start();
    const fake = await rig.call();
    await edit(other, rig);
    await fake.tell(...answerWith('codex', 'fine'));
    assert.is((await running.result).code, 0);
    rig.answer(() => answerWith('gemini', 'PASS'));
    const { code, stderr } = await rig.run('tollgate', ['run', id]);
    assert.is(code, 0, stderr);
  });

test('what a run put back in its own task is blamed on no other', async ({ rig }) => {
  const other = makeTask(rig, { stages: [VERIFY] }, 'other');
  const running = makeTask(rig, { stages: [REVIEW] }).start();
  const fake = await rig.call();
  const theirs = other.start();
  const verify = await rig.call();
  rig.write('.tmp/task/other/manifest.json', manifestOf('other', EVIL));
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
