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

const REFUSED = [
  ['fix', ' \n', 'there is no text in the answer'],
  ['fix', 'x'.repeat(65_537), 'the text has 65537 bytes; at most 65536 are taken'],
  ['nobody', 'Yes.', 'nobody'],
  ['plain', 'Yes.', 'plain is not a supervised task'],
] as const;

test('neither a refused answer nor a note that an agent forges in the project is heard; a note on what is done is, after a new start', async ({
  rig,
}) => {
  const stages = [{ tool: 'codex', role: 'review', id: 'one' }];
  rig.write('.tmp/task/plain/manifest.json', JSON.stringify({ task_id: 'plain', goal: 'x', stages }));
  play(rig, [DONE, LATER, DONE], (n) => {
    for (const folder of n > 1 ? [] : ['state/notes/fix', 'notes/fix'])
      void leaveNote(path.join(rig.project, '.tmp', folder), 'Forged.', new Date());
    return changes(n);
  });
  const task = superviseTask(rig);
  for (const [word, text, why] of REFUSED) {
    const refused = await rig.run('tollgate', ['answer', word, text]);
    assert.equal([refused.code, refused.stderr.includes(why)], [2, true], refused.stderr);
  }
  const ran = await task.supervise();
  assert.is(ran.code, 0, ran.said);
  assert.not.match(task.prompts(REASONER)[0]!, /Forged\.|What a person says/);
  const noted = await rig.run('tollgate', ['answer', 'fix', 'And the CSS.']);
  assert.is(noted.code, 0, noted.stderr);
  assert.match(noted.stdout, 'is done, so the note is read only after a new start: tollgate supervise fix --anew');
  const anew = await task.supervise('--anew');
  assert.is(anew.code, 1, anew.said);
  assert.match(task.prompts(REASONER)[1]!, /What a person says[\s\S]*And the CSS\./);
  // Control characters and invalid bytes are sent as they are, and shown without them.
  const odd = 'Mind \u001b[31mthe\u0007 CSS \u202e\ufffd.';
  const later = await rig.run('tollgate', ['answer', 'fix', odd]);
  assert.equal([later.code, later.stdout], [0, 'Noted for the next run: tollgate supervise fix\n'], later.stderr);
  const last = await task.supervise();
  assert.is(last.code, 0, last.said);
  assert.match(task.prompts(REASONER)[2]!, odd);
  assert.not.match(last.summary, /[^\P{Cc}\n]/u);
});

test.run();
