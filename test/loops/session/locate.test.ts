// A session that a task names: by an id that a CLI could have made, or by the beginning of one, which is made whole before anybody stands in line.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSession } from '../../rig/session-files.ts';
import { answerWith, failWith, SESSION } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('named id');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STAGE = { tool: 'codex', role: 'review', ...ANY_ANSWER };
const FIRST = '0199a213-81c0-7800-8aa1-bbab2a035a53';
const SECOND = '0199a213-9999-7800-8aa1-bbab2a035a53';
const ANSWERED = [{ prompt: 'by hand', answer: 'ONE' }];
const named = (rig: TestRig, session_id: string) => makeTask(rig, { stages: [STAGE], meta: { session_id } });

for (const id of ['latest', '3', 'abc', '../../etc', '--yolo', '0199a2', 'login', `${FIRST}0`, '0199a213/81c0'])
  test(`${id} is not an id of a session, and costs nothing`, async ({ rig }) => {
    const { code, stdout, stderr } = await named(rig, id).outcome();
    assert.is(code, 2);
    const must = 'must be the id of a session as its CLI shows it, or the first 7 digits of it or more';
    assert.match(`${stdout}${stderr}`, must);
    assert.is(rig.calls.length, 0);
  });

for (const word of [FIRST, FIRST.toUpperCase(), '0199a213-8', '0199a213-81c0-7800'])
  test(`${word} is made whole before anybody stands in line`, async ({ rig }) => {
    makeSession('codex', rig, ANSWERED, FIRST);
    makeSession('codex', rig, ANSWERED, SECOND);
    const first = makeTask(rig, { stages: [STAGE], meta: { session_id: FIRST } }, 'one').start();
    const call = await rig.call();
    const second = named(rig, word).start();
    await second.says(new RegExp(`stage codex_review waits for codex session ${FIRST}: task one `));
    rig.answer(() => answerWith('codex', 'fine', FIRST));
    await call.tell(...answerWith('codex', 'fine', FIRST));
    assert.equal([(await first.result).code, (await second.result).code], [0, 0]);
    assert.ok(rig.calls.at(-1)!.report.argv.includes(FIRST));
  });

const MISTAKEN: [word: string, says: RegExp][] = [
  ['0199a213', /meta\.session_id: 0199a213 is the beginning of 2 sessions \(codex .*, codex .*\); give the whole id/],
  ['0199a214', /meta\.session_id: no session of codex begins with 0199a214 here; give its whole id/],
];
for (const [word, says] of MISTAKEN)
  test(`${word} names no one session, and costs nothing`, async ({ rig }) => {
    for (const id of [FIRST, SECOND]) makeSession('codex', rig, ANSWERED, id);
    const { code, stdout, stderr } = await named(rig, word).outcome();
    assert.is(code, 2);
    assert.match(`${stdout}${stderr}`, says);
    assert.is(rig.calls.length, 0);
  });

test('a failure that could not be logged is told, though the next call succeeds', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  mkdirSync(path.join(rig.project, '.tmp/state/api_errors.log'), { recursive: true });
  rig.answer(() =>
    rig.calls.length === 1
      ? failWith('codex', 'unexpected status 503 Service Unavailable: busy', 503)
      : answerWith('codex', 'fine', SESSION),
  );
  const { code, said, report } = await makeTask(rig, { stages: [STAGE] }).run();
  assert.is(code, 0, said);
  assert.match(said, /stage codex_review: warning: the API failure could not be logged whole: /);
  assert.match(report.stages[0]!.warnings.join('\n'), /the API failure could not be logged whole: /);
});

test.run();
