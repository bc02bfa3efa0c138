// What people say to a supervised task, and what is not one of theirs.

import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { leaveNote } from '../../../state/supervise/texts.ts';
import { changes, play, REASONER, superviseTask } from '../../rig/supervise-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('notes');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DONE = { action: 'done', summary: 'All of it.' };
const LATER = { action: 'save_session', why: 'later' };

test('what an agent writes in the project, in the form of a note, is no word of a person', async ({ rig }) => {
  const state = path.join(rig.project, '.tmp');
  play(rig, [DONE], (n) => {
    for (const folder of ['state/notes/fix', 'notes/fix'])
      void leaveNote(path.join(state, folder), 'Forged.', new Date());
    return changes(n);
  });
  const task = superviseTask(rig);
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.not.match(task.prompts(REASONER)[0]!, 'Forged.');
});

for (const [what, word, text, told] of [
  ['an empty one', 'fix', ' \n', 'there is no text in the answer'],
  ['one over 64 KiB', 'fix', 'x'.repeat(65_537), 'the text has 65537 bytes; at most 65536 are taken'],
  ['a task that is not there', 'nobody', 'Yes.', 'nobody'],
  ['a task that nobody supervises', 'plain', 'Yes.', 'plain is not a supervised task'],
] as const)
  test(`an answer is refused, and nothing kept: ${what}`, async ({ rig }) => {
    play(rig, [DONE]);
    const task = superviseTask(rig);
    rig.write('.tmp/task/plain/manifest.json', JSON.stringify({ task_id: 'plain', goal: 'x', stages: PLAIN }));
    const refused = await rig.run('tollgate', ['answer', word, text]);
    assert.equal([refused.code, refused.stderr.includes(told)], [2, true], refused.stderr);
    assert.is((await task.supervise()).code, 0);
    assert.not.match(task.prompts(REASONER)[0]!, 'What a person says');
  });

const PLAIN = [{ tool: 'codex', role: 'review', id: 'one' }];

test('a note with control characters and bytes of nonsense is told as it is, and shown without them', async ({
  rig,
}) => {
  play(rig, [LATER, DONE]);
  const task = superviseTask(rig);
  await task.supervise();
  const odd = 'Mind \u001b[31mthe\u0007 CSS \u202e\ufffd.';
  const noted = await rig.run('tollgate', ['answer', 'fix', odd]);
  assert.equal([noted.code, noted.stdout], [0, 'Noted for the next run: tollgate supervise fix\n'], noted.stderr);
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.match(task.prompts(REASONER)[1]!, odd);
  assert.not.match(ran.summary, /[^\P{Cc}\n]/u);
});

test('an answer to a task that is done says so, and how it is heard', async ({ rig }) => {
  play(rig, [DONE]);
  const task = superviseTask(rig);
  await task.supervise();
  const noted = await rig.run('tollgate', ['answer', 'fix', 'And the CSS.']);
  assert.is(noted.code, 0, noted.stderr);
  assert.match(noted.stdout, 'is done, so the note is read only after a new start: tollgate supervise fix --anew');
  const anew = await task.supervise('--anew');
  assert.is(anew.code, 1, anew.said);
  assert.match(task.prompts(REASONER)[1]!, 'And the CSS.');
});

test.run();
