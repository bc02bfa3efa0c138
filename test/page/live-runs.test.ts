// What is done to runs by the page over the console itself: stopped, answered, swept; each as its files say afterwards.

import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { waitForChange } from '../../state/wait-for-change.ts';
import { STREAMS } from '../rig/streams.ts';
import { isAlive } from '../rig/survivors.ts';
import { ANY_ANSWER, killWithGuardian, makeTask, untilStarted } from '../rig/task-run.ts';
import type { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { liveSuite } from './rig/live-suite.ts';
import { stageOf } from './rig/world.ts';

const live = liveSuite('live-runs');

const factsOf = (rig: TestRig, task: string) =>
  readFileSync(path.join(rig.project, '.tmp/task', task, 'state/journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { fact: string } & Record<string, unknown>);

live.test(
  'a run that begins and works is seen at once; stopped by the page, its journal says so',
  async ({ rig, page, go, confirm }) => {
    await go('now');
    const task = makeTask(
      rig,
      { goal: 'Find the flaky checkout test.', stages: [stageOf('gemini', 'brief')] },
      'flaky-checkout',
    );
    const running = task.start();
    await page.locator('.work', { hasText: 'flaky-checkout' }).getByText('gemini', { exact: true }).waitFor();
    await confirm('Stop flaky-checkout', 'Stop it');
    assert.is((await running.result).code, 143);
    await page.locator('.work', { hasText: 'flaky-checkout' }).waitFor({ state: 'detached' });
    const ended = factsOf(rig, 'flaky-checkout').filter(({ fact }) => fact === 'ended');
    assert.equal(
      ended.map(({ ending }) => ending),
      ['cancelled'],
    );
  },
);

/** Its gate requires more than the fakes answer. */
const STRICT = { stages: [{ tool: 'codex', role: 'impl', access: 'write' }] };

live.test('a suggested command is run by its button, after a question', async ({ rig, page, go, confirm }) => {
  const verdicts = () => factsOf(rig, 'rotate-keys').filter(({ fact }) => fact === 'verdict').length;
  const released = () => factsOf(rig, 'rotate-keys').filter(({ fact }) => fact === 'released').length;
  await go('tasks/rotate-keys');
  await page.getByText('The service rejected the credentials of codex.').waitFor();
  await page.getByRole('button', { name: 'Copy command' }).first().click();
  await page.getByRole('button', { name: 'Copied command' }).first().waitFor();
  await page.getByRole('button', { name: 'Copy id' }).click();
  await page.getByRole('button', { name: 'Copied id' }).first().waitFor();
  await page.getByRole('button', { name: 'Rerun anyway' }).click();
  await page.getByRole('dialog').getByText('tollgate run rotate-keys').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.is(verdicts(), 1);
  // A rerun calls the stage that failed: a button for it would do the same.
  assert.is(await page.getByRole('button', { name: 'Redo stage' }).count(), 0);
  await confirm('Rerun anyway', 'Run it');
  await waitWhile(() => verdicts() < 2 || released() < 2);
  await page.getByRole('button', { name: 'codex_brief, attempt 1 by codex' }).click();
  await page.getByText('The texts of an earlier attempt were replaced by those of the last one.').waitFor();
  await go('tasks/price-rounding');
  const checked = () => factsOf(rig, 'price-rounding').filter(({ fact }) => fact === 'verdict').length;
  const before = checked();
  await confirm(/^Redo stage/, 'Run it');
  await waitWhile(() => checked() === before);
  await makeTask(rig, { goal: 'Say nothing.', ...STRICT }, 'says-nothing').run('--trust-workspace');
  // The number of calls is of the list, which comes with the next change.
  await go('tasks');
  await page.getByRole('link', { name: 'says-nothing' }).waitFor();
  await go('tasks/says-nothing');
  await page.getByRole('button', { name: /^Redo(?: anyway)?$/ }).click();
  await page
    .getByRole('dialog')
    .getByText(/It usually makes \d+ paid calls?, at most \d+/)
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
});

live.test('a task that runs shows its call on its own page, and can be stopped there', async (shown) => {
  const { rig, page, go, confirm } = shown;
  const goal = 'Find the flaky checkout test.';
  const task = makeTask(rig, { goal, stages: [stageOf('gemini', 'brief')] }, 'flaky-twice');
  await go('tasks');
  await page.getByRole('link', { name: 'flaky-twice' }).waitFor();
  await go('tasks/flaky-twice');
  await page.getByText('not called yet').waitFor();
  const running = task.start();
  const box = page.getByRole('group', { name: 'Live log' });
  await box.getByText('-> run_shell_command').waitFor();
  await page.getByText('of gemini_brief (gemini), attempt 1').waitFor();
  await page.getByText(/^last event .+ ago: .+; stops itself at \d\d:\d\d$/).waitFor();
  assert.is(await box.getByText('session 00000000').count(), 0);
  const elapsed = page.locator('.view-head time').first();
  await page.waitForFunction(
    (before) => document.querySelector('.view-head time')?.textContent !== before,
    await elapsed.textContent(),
  );
  assert.match(await page.locator('.lane-figures').first().innerText(), /[\d.]+ (?:ms|s|min)[\d s]* of 30 min/);
  await page.getByRole('button', { name: 'Copy live log' }).click();
  await page.getByRole('button', { name: 'Copied live log' }).first().waitFor();
  await page.getByLabel('Search the live log').fill('no such words');
  await page.getByText('0 lines found').waitFor();
  await page.getByLabel('Search the live log').fill('');
  await confirm('Stop flaky-twice', 'Stop it');
  assert.is((await running.result).code, 143);
  await page.getByRole('button', { name: 'Continue' }).waitFor();
});

live.test('a task whose run was killed says which call has no result, and continues by a button', async (shown) => {
  const { rig, page, go, confirm } = shown;
  const goal = 'Find the flaky checkout test.';
  const task = makeTask(rig, { goal, stages: [stageOf('gemini', 'brief')] }, 'flaky-killed');
  const running = task.start();
  await untilStarted(task);
  await killWithGuardian(task, running);
  await go('now');
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByRole('button', { name: 'Copy command' }).first().click();
  await needs
    .getByRole('button', { name: /^Rerun of / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await needs.getByRole('link', { name: 'flaky-killed' }).waitFor();
  await needs.getByText('gemini still runs and may cost more.').waitFor();
  await needs.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('dialog').getByText('tollgate run flaky-killed').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await go('tasks/flaky-killed');
  const ended = page.getByRole('region', { name: 'How it ended' });
  await ended.getByText(/^The call of gemini for gemini_brief began .+ and has no result\./).waitFor();
  await ended.getByText(/^gemini still runs \(for .+\) and may cost more\.$/).waitFor();
  await ended.getByRole('button', { name: 'Stop it …' }).waitFor();
  await page.getByRole('button', { name: 'gemini_brief, attempt 1 by gemini: no result yet' }).waitFor();
  await confirm('Continue', 'Run it');
  await ended.waitFor({ state: 'detached' });
  await confirm('Stop flaky-killed', 'Stop it');
  await page.getByRole('button', { name: 'Continue' }).waitFor();
});

live.test('the live log is followed until the user scrolls up, and ends with a deleted task', async (shown) => {
  const { rig, page, go } = shown;
  const task = makeTask(rig, { goal: 'The flaky checkout.', stages: [stageOf('gemini', 'brief')] }, 'flaky-log');
  await go('tasks');
  await page.getByRole('link', { name: 'flaky-log' }).waitFor();
  await go('tasks/flaky-log');
  const running = task.start();
  const box = page.getByRole('group', { name: 'Live log' });
  await box.getByText('-> run_shell_command').waitFor();
  const root = path.join(rig.project, '.tmp/task/flaky-log');
  const [id] = readdirSync(path.join(root, 'state/attempts'));
  const add = (text: string) =>
    appendFileSync(path.join(root, 'state/attempts', id!, 'stdout'), `${STREAMS.gemini.says(text).join('\n')}\n`);
  add(`${Array.from({ length: 100 }, (_, n) => `line ${n} <b>\u202e`).join('\n')}\n`);
  await box.getByText('line 98 <b>').waitFor();
  const follow = page.getByRole('button', { name: 'Follow', pressed: true });
  await follow.waitFor();
  const distance = () => box.evaluate((at) => at.scrollHeight - at.scrollTop - at.clientHeight);
  assert.ok((await distance()) < 24);
  await box.evaluate((at) => at.scrollTo(0, 100));
  await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor();
  add('added below\n');
  await box.getByText('added below').waitFor();
  assert.ok((await distance()) > 100);
  await page.getByRole('button', { name: 'Follow' }).click();
  await follow.waitFor();
  assert.ok((await distance()) < 24);
  rmSync(root, { recursive: true, force: true });
  await page.getByText('The task was deleted, archived or renamed.').waitFor();
  running.signal('SIGINT');
  await running.result;
});

for (const [view, answer] of [
  ['now', 'The one with the day first; <b>$(id)</b>.'],
  ['supervise', 'The second.'],
  ['tasks/invoice-dates', 'The third.'],
] as const)
  live.test(`a question is answered in ${view}: noted, told to the reasoner, which asks again`, async (shown) => {
    const { rig, page, go } = shown;
    const noted = () => factsOf(rig, 'invoice-dates').filter(({ fact }) => fact === 'noted');
    const notedBefore = noted().length;
    const asked = () => rig.calls.filter(({ report }) => report.stdin.text.includes(answer)).length;
    await go(view);
    await page.getByLabel('Answer to invoice-dates').fill(answer);
    await page.getByRole('button', { name: /^Answer(?: anyway)?$/ }).click();
    await page.getByText(/^invoice-dates has the answer, and is (?:parked now|at work)\.$/).waitFor();
    // The page says so when the answer is stored; the supervision that it starts notes it a moment later.
    await waitWhile(() => noted().length === notedBefore);
    const kept = path.join(rig.project, `.tmp/task/invoice-dates/state/supervise/${noted().at(-1)!.text}.md`);
    assert.is(readFileSync(kept, 'utf8'), answer);
    await go('tasks');
    await page.locator('.row-at', { hasText: 'invoice-dates' }).getByText('asks you').waitFor();
    await waitWhile(() => asked() === 0);
  });

live.test('a sweep ends what a killed run left, and says what it was; a second finds nothing', async (shown) => {
  const { rig, page, go, confirm } = shown;
  const begun = path.join(rig.root, 'begun');
  const command = `echo $$ > ${begun}.new; mv ${begun}.new ${begun}; exec sleep 600`;
  const verify = { stages: [{ tool: 'codex', role: 'verify', ...ANY_ANSWER }] };
  const running = makeTask(rig, { ...verify, acceptance: { commands: [command] } }, 'left-behind').start();
  while (!existsSync(begun)) await waitForChange(begun, 1000, new AbortController().signal);
  const pid = Number(readFileSync(begun, 'utf8'));
  running.signal('SIGKILL');
  await running.result;
  assert.is(isAlive(pid), true);
  await go('machine');
  await confirm('Clean up …', 'Clean up');
  await page
    .locator('.notes .notice')
    .getByText('commands of a gate of left-behind that was killed: 1 process was ended. 1 swept.')
    .waitFor();
  assert.is(isAlive(pid), false);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await confirm('Clean up …', 'Clean up');
  await page.getByText(/^Nothing to sweep: /).waitFor();
});

live.test('a CLI that a killed run left is ended from the page of its task', async ({ rig, page, go, confirm }) => {
  const left = makeTask(rig, { stages: [stageOf('claude', 'brief')] }, 'left-running');
  const running = left.start();
  await untilStarted(left);
  await killWithGuardian(left, running);
  await go('tasks/left-running');
  await page.getByText(/^claude still runs \(for [^)]+\) and may cost more\.$/).waitFor();
  await confirm('Stop it …', 'Clean up');
  await page.getByText('still runs').waitFor({ state: 'detached' });
});

live.test('the machine is looked at again by a button, and what is fine is folded', async ({ rig, page, go }) => {
  await go('machine');
  const tile = page.locator('.tile', { hasText: 'claude' });
  await tile.getByText('2.1.330').waitFor();
  rig.install('claude', { version: '2.1.331' });
  await page.getByRole('button', { name: 'Check again' }).click();
  await tile.getByText('2.1.331').waitFor();
  rig.install('claude', { version: '2.1.332' });
  await tile.getByRole('button', { name: 'Check claude again' }).click();
  await tile.getByText('2.1.332').waitFor();
  const fine = page.getByRole('rowheader', { name: 'disk space' });
  assert.is(await fine.isVisible(), false);
  await page.getByText('Checks without a finding', { exact: true }).first().click();
  await fine.waitFor();
});

live.run();
