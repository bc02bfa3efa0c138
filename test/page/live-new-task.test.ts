// A new task and its manifest by the page over the console itself: filled in, checked, created, run and edited, as its files say afterwards.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { makeTask, untilStarted } from '../rig/task-run.ts';
import type { TestRig } from '../rig/test-rig.ts';
import { type Live, liveSuite } from './rig/live-suite.ts';

const live = liveSuite('live-new-task');

const tasksIn = (rig: TestRig) => readdirSync(path.join(rig.project, '.tmp/task')).sort();
const manifestOf = (rig: TestRig, task: string) =>
  readFileSync(path.join(rig.project, '.tmp/task', task, 'manifest.yaml'), 'utf8');
const factsOf = (rig: TestRig, task: string): { fact: string }[] =>
  readFileSync(path.join(rig.project, '.tmp/task', task, 'state/journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The list of completions can be used, and this is the chosen one. */
const chosen = (page: Live['page'], word: string) =>
  page
    .locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled) [aria-selected="true"]', {
      hasText: word,
    })
    .waitFor();

const button = ({ page }: Live, name: string) => page.getByRole('button', { name, exact: true });

live.test('a task is filled in, checked without a trace, and created', async (shown) => {
  const { rig, page, go } = shown;
  const before = tasksIn(rig);
  await go('new');
  const id = page.getByLabel('Id', { exact: true });
  await page.getByLabel('Goal', { exact: true }).fill('Repair the login of <b>admins</b>; $(id) "now".');
  assert.is(await id.inputValue(), 'repair-the-login-of-b');
  await id.fill('login-1');
  await page.getByLabel('Pipeline', { exact: true }).selectOption('one_shot_impl');
  await page.getByText('verify', { exact: true }).waitFor();
  await page.getByLabel('Pipeline', { exact: true }).selectOption('');
  await page.getByLabel('CLI of stage 1').waitFor();
  await button(shown, 'Add a stage').click();
  await button(shown, 'Remove stage 2').click();
  await page.getByLabel('CLI of stage 2').waitFor({ state: 'detached' });
  await page.getByLabel('CLI of stage 1').selectOption('codex');
  await page.getByLabel('Role of stage 1').selectOption('review');
  await page.getByLabel('Access of stage 1').selectOption('read');
  await page.getByText('Acceptance and scope').click();
  await page.getByLabel('Commands', { exact: true }).fill('npm test');
  await page.getByText('No stage runs these commands').waitFor();
  await page.getByLabel('Criteria', { exact: true }).fill('It holds.\n\n"Twice".');
  await page.getByLabel('May change', { exact: true }).fill('src/**');
  await page.getByLabel('May not change').fill('.ci/**');
  await page.getByLabel('US dollars').fill('2.5');
  await page.getByLabel('Minutes').fill('30');
  await page.getByLabel('Paid calls').fill('0');
  await page.getByText('Still needed: limits above zero.').waitFor();
  assert.is(await button(shown, 'Check').isDisabled(), true);
  await page.getByLabel('Paid calls').fill('4');
  await button(shown, 'Check').click();
  await page.getByText('A run makes 1 paid call, more with retries, at most 4.').waitFor();
  await page.getByText('Expected cost, by the earlier calls of this project: price unknown.').waitFor();
  assert.equal(tasksIn(rig), before);
  await button(shown, 'Create').click();
  await page.getByRole('heading', { level: 1, name: 'login-1' }).waitFor();
  assert.equal(tasksIn(rig), [...before, 'login-1'].sort());
  const lines = manifestOf(rig, 'login-1')
    .split('\n')
    .map((line) => line.trim());
  for (const line of [
    'goal: "Repair the login of <b>admins</b>; $(id) \\"now\\"."',
    '- {tool: codex, role: review, access: read}',
    'paid_call_budget: 4',
    'max_usd: 2.5',
    'max_wallclock_sec: 1800',
    'criteria: ["It holds.","\\"Twice\\"."]',
    'allow: ["src/**"]',
    'deny: [".ci/**"]',
    '#commands: ["npm test"]',
  ])
    assert.ok(lines.includes(line), line);
});

live.test('a mistake is shown at its line, and the form stays; a name that is taken is refused', async (shown) => {
  const { rig, page, go } = shown;
  await go('new');
  await page.getByLabel('Goal', { exact: true }).fill('Repair the logout.');
  await page.getByText('Acceptance and scope').click();
  await page.getByLabel('May change', { exact: true }).fill('../**');
  await button(shown, 'Create and run …').click();
  await page.getByText(/^Line \d+: scope\.allow\[0\]/).waitFor();
  assert.is(await page.getByRole('dialog').count(), 0);
  await page.getByLabel('May change', { exact: true }).fill('');
  await page.getByText(/^Line \d+/).waitFor({ state: 'detached' });
  await page.getByLabel('Id', { exact: true }).fill('price-rounding');
  await button(shown, 'Create').click();
  await page
    .getByRole('alert')
    .getByText(/price-rounding\/manifest\.json is there already/)
    .waitFor();
  assert.is(await page.getByLabel('Goal', { exact: true }).inputValue(), 'Repair the logout.');
  assert.is(existsSync(path.join(rig.project, '.tmp/task/repair-the-logout')), false);
});

live.test('a task is created and run after one question, which says what it pays', async (shown) => {
  const { rig, page, go, confirm } = shown;
  await go('new');
  await page.getByLabel('Goal', { exact: true }).fill('Find the flaky checkout test.');
  await page.getByLabel('CLI of stage 1').selectOption('gemini');
  await button(shown, 'Create and run …').click();
  await page.getByRole('dialog').getByText('A run makes 1 paid call, more with retries, at most 10.').waitFor();
  assert.is(tasksIn(rig).includes('find-the-flaky-checkout-test'), false);
  await page.getByRole('dialog').getByRole('button', { name: 'Create and run', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'find-the-flaky-checkout-test' }).waitFor();
  await page.getByText('of gemini_brief (gemini), attempt 1').waitFor();
  assert.is(factsOf(rig, 'find-the-flaky-checkout-test').filter(({ fact }) => fact === 'reserved').length, 1);
  await confirm('Stop find-the-flaky-checkout-test', 'Stop it');
  await page.getByRole('button', { name: 'Continue' }).waitFor();
});

live.test(
  'a CLI that is not installed cannot be chosen, nor a pipeline with it, and the reason is there',
  async (shown) => {
    const { rig, page, go } = shown;
    rig.uninstall('copilot');
    await go('new');
    await page.getByText(/copilot is not installed[,.]/).waitFor();
    const option = page.getByLabel('CLI of stage 1').locator('option', { hasText: 'copilot is not installed' });
    assert.is(await option.evaluate((at) => (at as HTMLOptionElement).disabled), true);
    const pipelines = page.getByLabel('Pipeline', { exact: true }).locator('option:disabled');
    assert.ok((await pipelines.allInnerTexts()).includes('review_cross (copilot is not installed)'));
    rig.install('copilot');
  },
);

const ORIGINAL = 'task_id: edited\ngoal: Rotate.\nstages:\n  - tool: gemini\n    role: brief\n';

live.test('a manifest is edited with help by the schema, its mistakes at their lines, and saved', async (shown) => {
  const { rig, page, go } = shown;
  const file = rig.write('.tmp/task/edited/manifest.yaml', ORIGINAL);
  await go('tasks');
  await page.getByRole('link', { name: 'edited' }).waitFor();
  await go('tasks/edited');
  await page.getByRole('link', { name: 'Edit manifest' }).click();
  const editor = page.getByRole('textbox', { name: 'Manifest' });
  await editor.getByText('Rotate.').waitFor();
  await page.getByText('A run makes 1 paid call, more with retries, at most 10.').waitFor();
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('    acc');
  // The list holds what the schema knows of a stage.
  await chosen(page, 'access');
  await page.getByText('The permissions of the CLI: read, write').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('wri');
  await chosen(page, 'write');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.type('max_turns: none');
  await page.getByText('stages[0].max_turns must be').waitFor();
  assert.is(await page.locator('.mistaken').count(), 1);
  assert.is(readFileSync(file, 'utf8'), ORIGINAL);
  await page.keyboard.press('Control+Home');
  await button(shown, 'Line 7').click();
  await page.keyboard.press('End');
  await page.locator('p', { hasText: /^stages\.max_turns / }).waitFor();
  for (const _ of 'none') await page.keyboard.press('Backspace');
  await page.keyboard.type('3');
  await page.getByText('A run makes 1 paid call').waitFor();
  assert.is(await page.locator('.mistaken').count(), 0);
  await button(shown, 'Save').click();
  await page.getByText('The manifest of edited was saved.').waitFor();
  await page.getByText('as in the file').waitFor();
  assert.is(readFileSync(file, 'utf8'), `${ORIGINAL}    access: write\n    max_turns: 3`);
  // Letters in the editor are no keys of the page, and Tab leaves it.
  await editor.click();
  await page.keyboard.type('?gn');
  assert.is(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.is(await page.evaluate(() => document.activeElement?.classList.contains('manifest-editor')), false);
});

live.test('a manifest in one line is put on several lines, and only saved if the user wants', async (shown) => {
  const { rig, page, go } = shown;
  const manifest = { task_id: 'one-line', goal: 'Rotate.', stages: [{ tool: 'codex', role: 'brief' }] };
  const file = rig.write('.tmp/task/one-line/manifest.json', JSON.stringify(manifest));
  await go('tasks/one-line/manifest');
  await page.getByRole('textbox', { name: 'Manifest' }).getByText('Rotate.').waitFor();
  await page.getByText('shown formatted; the file is one line').waitFor();
  assert.ok(await button(shown, 'Save').isDisabled());
  await button(shown, 'As in the file').click();
  await page.getByText('as in the file', { exact: true }).waitFor();
  assert.ok(await button(shown, 'Save').isDisabled());
  await button(shown, 'Format').click();
  await page.getByText('shown formatted; the file is one line').waitFor();
  assert.is(readFileSync(file, 'utf8'), JSON.stringify(manifest));
  await button(shown, 'Format').waitFor({ state: 'detached' });
  await button(shown, 'Save').click();
  await page.getByText('The manifest of one-line was saved.').waitFor();
  assert.is(readFileSync(file, 'utf8'), `${JSON.stringify(manifest, null, 2)}\n`);
});

live.test('a manifest that changed meanwhile is shown, and never overwritten', async (shown) => {
  const { rig, page, go } = shown;
  const text = ORIGINAL.replace('edited', 'shared');
  const file = rig.write('.tmp/task/shared/manifest.yaml', text);
  for (const way of ['Keep my text', 'Take the file’s text']) {
    await go('now');
    await go('tasks/shared/manifest');
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await editor.getByText('goal: ').waitFor();
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(`# mine: ${way}`);
    await page.keyboard.press('Enter');
    await page.getByText('not saved yet').waitFor();
    const theirs = `${text}# theirs: ${way}\n`;
    // The page hears of the change only after the user saved: else it may disable the button first.
    let letRead = () => {};
    const refused = new Promise<void>((resolve) => {
      letRead = resolve;
    });
    await page.route('**/api/tasks/shared/manifest', (route) => refused.then(() => route.continue()));
    rig.write('.tmp/task/shared/manifest.yaml', theirs);
    await button(shown, 'Save').click();
    await page.getByText('was changed by another program meanwhile; nothing was saved').waitFor();
    assert.is(readFileSync(file, 'utf8'), theirs);
    letRead();
    await page.getByLabel('The text of the file now').getByText(`# theirs: ${way}`).waitFor();
    await button(shown, way).click();
    if (way === 'Keep my text') {
      // The note closes by itself, so that we wait for it from before the click.
      const saved = page.getByText('The manifest of shared was saved.').waitFor();
      await button(shown, 'Save').click();
      await saved;
      assert.match(readFileSync(file, 'utf8'), /^# mine: Keep my text\n/);
    } else {
      await editor.getByText(`# theirs: ${way}`).waitFor();
      await page.getByText('as in the file').waitFor();
    }
  }
});

live.test('while the task runs its manifest is shown, and cannot be changed', async (shown) => {
  const { rig, page, go } = shown;
  const stages = [{ tool: 'gemini', role: 'brief', requires: [], min_lines: 0 }];
  const task = makeTask(rig, { goal: 'The flaky checkout, again.', stages }, 'flaky-again');
  const running = task.start();
  await untilStarted(task);
  await go('tasks/flaky-again/manifest');
  await page.getByText('It cannot be saved here: flaky-again is running').waitFor();
  const editor = page.getByRole('textbox', { name: 'Manifest' });
  await editor.getByText('flaky checkout').waitFor();
  await editor.click();
  await page.keyboard.type('x');
  assert.is(await button(shown, 'Save').isDisabled(), true);
  await page.getByText('as in the file').waitFor();
  running.signal('SIGTERM');
  await running.result;
  await page.getByText('It cannot be saved here').waitFor({ state: 'detached' });
});

live.run();
