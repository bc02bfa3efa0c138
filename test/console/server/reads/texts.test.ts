// A text is redacted before it is cut: of a secret that lies across the edge not even the beginning is shown.

import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { headOfFile, headOfText, tailOfFile } from '../../../../console/server/reads/texts.ts';
import { redactorOf } from '../../../../loops/redactor.ts';
import { openConsoleOf } from '../../../rig/console-client.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
const OURS = 'blue-heron-';
const LONG = 512 * 1024;

const test = suite<{ rig: TestRig }>('texts of the console');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

test('across the edge, and across the end of what is read', ({ rig }) => {
  const redactor = redactorOf({}, []);
  for (const [what, most, before] of [
    ['edge', 1000, 990],
    ['end of what is read', 1000, 1000 + 64 * 1024 - 10],
    ['end, behind secrets that become short', 1000, 1000 + 64 * 1024 - 10],
  ] as const) {
    const filler = what.includes('behind') ? `${TOKEN}\n` : 'word\n';
    const text = filler.repeat(before).slice(0, before - 1);
    const whole = `${text}\n${TOKEN}\n${'more '.repeat(40_000)}`;
    rig.write('text.md', whole);
    const { text: shown, cut } = headOfFile(path.join(rig.project, 'text.md'), most, redactor);
    assert.not.ok(/ghp_/.test(shown.replace(/\[REDACTED[^\]]*\]/g, '')), what);
    assert.is(headOfText(whole, most, redactor), shown, what);
    assert.ok(cut > 0 && shown.length <= most, what);
  }
});

test('the end of a file, without the rest of a secret that began before it', ({ rig }) => {
  const redactor = redactorOf({}, []);
  const file = path.join(rig.project, 'text.md');
  for (const [most, after] of [
    [1000, 0],
    [1000, 990],
    [1000, 1000 + 64 * 1024 - 10],
    [70_000, 70_000 + 64 * 1024 - 10],
  ] as const) {
    const rest = 'word\n'.repeat(after).slice(0, after);
    rig.write('text.md', `${'more '.repeat(40_000)}\n${TOKEN}\n${rest}`);
    const { text, cut } = tailOfFile(file, most, redactor);
    assert.not.ok(/ghp_|aB3d|jK9/.test(text), `${most} ${after}`);
    assert.ok(cut > 0 && text.length <= most, `${most} ${after}`);
    assert.ok(rest.endsWith(text) || text.includes('REDACTED'), `${most} ${after}`);
  }
  rig.write('text.md', 'ä\nend\n');
  assert.equal(tailOfFile(file, 1000, redactor), { text: 'ä\nend\n', cut: 0 });
  assert.equal(tailOfFile(file, 4, redactor), { text: 'end\n'.slice(-4), cut: 3 });
});

test('what is short is whole, also where its bytes are more than its characters', ({ rig }) => {
  rig.write('text.md', 'ä'.repeat(900));
  const shown = headOfFile(path.join(rig.project, 'text.md'), 1000, redactorOf({}, []));
  assert.equal(shown, { text: 'ä'.repeat(900), cut: 0 });
});

test("the patterns of a task's manifest hold for its goal, its summary and its texts", async ({ rig }) => {
  const stages = [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }];
  const security = { redaction_patterns: [`${OURS}\\d+`] };
  makeTask(rig, { goal: `Look for ${OURS}123.`, stages, security });
  rig.write('.tmp/task/fix/outputs/_summary.md', `# ${OURS}123\n`);
  rig.write('.tmp/task/fix/outputs/codex_brief.out', `${'x'.repeat(LONG - 12)} ${OURS}4567 ${'y'.repeat(LONG)}`);
  const page = await openConsoleOf(rig);
  const task = await page.get('/api/tasks/fix');
  assert.ok(task.value.goal.startsWith('Look for [REDACTED'), task.value.goal);
  assert.ok(task.value.summary.startsWith('# [REDACTED'), task.value.summary);
  const text = await page.get(`/api/tasks/fix/texts/${encodeURIComponent('outputs/codex_brief.out')}`);
  assert.is(text.status, 200);
  assert.ok(text.value.cut > LONG / 2);
  assert.not.ok(`${task.text}${text.text}`.includes('blue-'));
  // Goals of the list are looked up behind its first answer.
  let list = await page.get('/api/tasks');
  while (list.text.includes('"goal":null')) list = await page.get('/api/tasks');
  assert.ok(list.text.includes('Look for [REDACTED'), list.text);
  page.command.signal('SIGTERM');
  await page.command.result;
});

test.run();
