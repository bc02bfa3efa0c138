// Conversations by the page over the console itself: taken back, brought back, recovered; and refused while a call goes on in one.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { makeSession, SESSION_IDS, sessionFile } from '../rig/session-files.ts';
import { standsIn } from '../rig/session-run.ts';
import { answerWith, STREAMS, write } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { liveSuite } from './rig/live-suite.ts';
import { OPENING } from './rig/told-names.ts';
import { SESSION_OF_GEMINI, stageOf } from './rig/world.ts';

const live = liveSuite('live-sessions');

const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', answer: 'TWO' },
];
const CODEX = SESSION_IDS.codex;

live.test('an answer is undone and brought back, in the file of its CLI', async ({ rig, page, go, confirm }) => {
  const file = sessionFile('gemini', rig.home);
  const was = readFileSync(file, 'utf8');
  await go(`sessions/${SESSION_OF_GEMINI}`);
  await confirm('Undo the last answer', 'Undo');
  await page.getByText('[ REVERTED ]').waitFor();
  assert.match(await standsIn(rig, SESSION_OF_GEMINI), /-~=Done: the view shows what it is given\.$/);
  assert.is.not(readFileSync(file, 'utf8'), was);
  await confirm(/Restore the undone answer/, 'Restore it');
  await page.getByText('[ REVERTED ]').waitFor({ state: 'detached' });
  assert.is(readFileSync(file, 'utf8'), was);
});

live.test(
  'while a call goes on in it, taking back and recovering are refused in words, and the file stays',
  async (shown) => {
    const { rig, page, go } = shown;
    const file = makeSession('codex', rig, TURNS);
    rig.write('ask.md', 'go on');
    const words = ['--prompt-file', 'ask.md', '--out', 'a.out', '--err', 'a.err', '--resume-session', CODEX];
    const running = rig.start('run_codex', words);
    const call = await rig.call();
    await call.tell(write(STREAMS.codex.opens(CODEX)));
    const was = readFileSync(file, 'utf8');
    await go(`sessions/${CODEX}`);
    for (const [opener, verb] of [
      ['Undo the last answer', 'Undo'],
      ['Recover …', 'Do it'],
    ] as const) {
      await page.getByRole('button', { name: opener }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: verb, exact: true }).click();
      await dialog
        .getByRole('alert')
        .getByText(/is in use: the call \S+ continues in it; try again when that has ended/)
        .waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    assert.is(readFileSync(file, 'utf8'), was);
    running.signal('SIGTERM');
    await running.result;
    await page.getByRole('button', { name: 'Undo the last answer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('[ REVERTED ]').waitFor();
    assert.is(await standsIn(rig, CODEX), '+one=ONE +two= -~=TWO');
  },
);

live.test(
  'a task leads to its conversation and back; turns are found, folded and jumped to',
  async ({ rig, page, go }) => {
    const id = '01a1ffb7-d15d-75e0-9cd1-00c74850c599';
    rig.answer(() => answerWith('codex', 'The long answer of the model.', id));
    await makeTask(rig, { goal: 'Sort the invoices.', stages: [stageOf('codex', 'brief')] }, 'sorted').run();
    makeSession(
      'codex',
      rig,
      [
        { prompt: `${OPENING}Sort the invoices by date.`, answer: 'They are sorted.' },
        { prompt: 'Say it again.', answer: 'They are sorted, again.' },
      ],
      id,
    );
    await go('tasks/sorted');
    await page.getByRole('link', { name: 'its session' }).click();
    await page.getByRole('heading', { level: 1, name: 'sorted' }).waitFor();
    await page.getByText('Sort the invoices.', { exact: true }).waitFor();
    await page.getByLabel('Calls of this conversation').getByRole('link', { name: 'sorted' }).waitFor();
    const rules = page.locator('summary', { hasText: 'lines of rules' });
    await rules.click();
    await page.getByLabel('Rules of turn 1').getByText('You run headless').waitFor();
    const list = page.getByRole('navigation', { name: 'Turns' });
    await page.getByRole('button', { name: 'Fold all turns' }).click();
    await page.getByText('They are sorted.').waitFor({ state: 'detached' });
    await list.getByRole('button', { name: '1 Sort the invoices by date.' }).click();
    await page.getByText('They are sorted.').waitFor();
    await page.getByRole('button', { name: 'Turn 1' }).click();
    await page.getByText('They are sorted.').waitFor({ state: 'detached' });
    await page.getByLabel('Search the conversation').fill('are SORTED');
    await page.getByText('1 of 2 matches').waitFor();
    await page.getByRole('button', { name: 'Next match' }).click();
    await page.getByText('2 of 2 matches').waitFor();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await page.getByText('1 of 2 matches').waitFor();
    await page.getByLabel('Search the conversation').fill('nothing like it');
    await page.getByText('not found').waitFor();
  },
);

const RECOVERIES = [
  ['Deep rollback', '+one=ONE -two=TWO'],
  ['Clear turn', '+one=ONE +two= -~=TWO'],
  ['Export diagnostic', '+one=ONE +two=TWO'],
  ['Ignore', '+one=ONE +two=TWO'],
] as const;

for (const [label, stands] of RECOVERIES)
  live.test(`recovered by "${label}": the conversation stands as ${stands}`, async ({ rig, page, go }) => {
    const id = `01a1ffb7-d15d-75e0-9cd1-00c74850c5${50 + RECOVERIES.findIndex(([each]) => each === label)}`;
    makeSession('codex', rig, TURNS, id);
    await go(`sessions/${id}`);
    await page.getByRole('button', { name: 'Recover …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(label).click();
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await page.locator('.notes .notice.good').waitFor();
    assert.is(await standsIn(rig, id), stands);
    const says = await page.locator('.notes .notice').innerText();
    if (label !== 'Export diagnostic') return;
    const report = /(\/\S+?)[.,;]?(?:\s|$)/.exec(says)?.[1];
    assert.ok(report, says);
    assert.match(readFileSync(path.resolve(rig.project, report), 'utf8'), id);
  });

live.test('how it goes with the services is said, and the list is filtered by any word', async ({ page, go }) => {
  await go('failures');
  await page.getByText('Failures by day').click();
  await page.getByText('Show as table').click();
  await go('sessions');
  const rows = page.locator('main tbody tr');
  await rows.first().waitFor();
  const all = await rows.count();
  await page.getByLabel('Filter sessions').fill('claude');
  await page.waitForFunction((most) => document.querySelectorAll('tbody tr').length < most, all);
  for (const row of await rows.all()) assert.match(await row.innerText(), 'claude');
  await page.getByLabel('Filter sessions').fill('');
  await page.getByText(/^\d+ sessions? w\w+ not kept$/).click();
  await page.locator('th a[href^="#/tasks/"]').first().waitFor();
  await page.getByLabel('Filter sessions').fill('no such session');
  await page.getByText('No session is like that').waitFor();
});

live.test('what a model thought, called and was given is opened', async ({ page, go }) => {
  await go(`sessions/${SESSION_OF_GEMINI}`);
  await page.getByText('Reasoning', { exact: true }).click();
  await page.getByText('Two places, then.').waitFor();
  // Those of a broken turn are open from the start.
  for (const [summary, inside] of [
    ['calls run_shell_command', 'grep -rn round test'],
    ['Result of run_shell_command', 'test/price.test.ts:12'],
  ] as const) {
    await page.getByText(inside).waitFor();
    await page.getByText(summary).click();
    await page.getByText(inside).waitFor({ state: 'hidden' });
  }
});

live.run();
