// A fresh session in the place of one that is full is told what was done under its tag: in this task, and in those before it.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepEntries } from '../../rig/kept-entries.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, NO_REST } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('hand-off');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const OTHER = '00000000-0000-4000-8000-000000000002';
const STAGE = { tool: 'codex', role: 'review', ...ANY_ANSWER };
const SECRET = 'hunter2-hunter2-hunter2';

test('earlier tasks of the tag, without secrets, and none of another tag', async ({ rig }) => {
  rig.write('tollgate.yaml', NO_REST);
  const meta = { feature: 'the login' };
  const ended = async (id: string, goal: string, own = meta) => {
    const manifest = { goal, stages: [STAGE], meta: own, budgets: { retry_budget: 0 } };
    return (await makeTask(rig, manifest, id).run()).code;
  };
  rig.answer(() => answerWith('codex', `The token is never renewed; the key is ${SECRET}.`));
  assert.is(await ended('find-cause', 'Find out why the login fails.'), 0);
  assert.is(await ended('other', 'Paint the shop.', { feature: 'the shop' }), 0);
  rig.answer(() => failWith('codex', 'unexpected status 503 Service Unavailable: busy', 503));
  assert.is(await ended('mend-it', 'Renew the token.'), 1);

  keepEntries(rig, 'codex', { 'the login': { context_tokens: 350_001 } });
  rig.answer(() => answerWith('codex', 'fine', OTHER));
  const task = makeTask(rig, { goal: 'Look at it again.', stages: [STAGE], meta }, 'again');
  const { code } = await rig.run('tollgate', ['run', 'again'], { env: { MY_API_TOKEN: SECRET } });
  assert.is(code, 0);
  const [attempt] = readdirSync(path.join(task.folder, 'state/attempts'));
  const prompt = task.read(`state/attempts/${attempt}/prompt`);
  assert.ok(
    prompt.includes(`Earlier tasks of the same feature, the newest first:
- mend-it: Renew the token.; open: codex_review; failed: codex_review: transient (overloaded): unexpected status 503 Service Unavailable: busy
- find-cause: Find out why the login fails.; nothing is open; done: codex_review: The token is never renewed; the key is [REDACTED:MY_API_TOKEN].`),
    prompt,
  );
  assert.not.match(prompt, SECRET);
  assert.not.match(prompt, 'Paint the shop');
});

test.run();
