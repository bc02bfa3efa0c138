// Budgets and holds by the page over the console itself: what its buttons set stands in the user's files, and in what the command prints.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { answerWith, failWith } from '../rig/streams.ts';
import type { TestRig } from '../rig/test-rig.ts';
import { liveSuite } from './rig/live-suite.ts';

const live = liveSuite('live-limits');

const fileOf = (rig: TestRig, name: string) => path.join(rig.home, '.local/state/tollgate/limits', name);

live.test('a budget is set, changed and taken away', async ({ rig, page, go, told }) => {
  await go('budgets');
  await page.getByRole('button', { name: 'Set a budget' }).click();
  await page.getByLabel('Of which CLI').selectOption('codex');
  await page.getByLabel('In each').selectOption('week');
  await page.getByLabel('Counted in').selectOption('tokens');
  await page.getByLabel('At the most').fill('50000');
  await page.getByRole('button', { name: 'Set it' }).click();
  await page
    .locator('.budgets')
    .getByText(/of 50k tokens/i)
    .waitFor();
  const set = async () =>
    ((await told('budget')).budgets as Record<string, unknown>[]).map(({ tool, per, unit, most }) => [
      ...[tool, per, unit, most],
    ]);
  assert.equal(await set(), [['codex', 'week', 'tokens', 50_000]]);
  assert.match(readFileSync(fileOf(rig, 'limits.json'), 'utf8'), /50000/);
  await page.getByRole('button', { name: 'Change the tokens of codex a week' }).click();
  await page.getByLabel('At the most').fill('60000');
  await page.getByRole('button', { name: 'Set it' }).click();
  await page
    .locator('.budgets')
    .getByText(/of 60k tokens/i)
    .waitFor();
  assert.equal(await set(), [['codex', 'week', 'tokens', 60_000]]);
  await page.getByRole('button', { name: 'Change the tokens of codex a week' }).click();
  await page.getByLabel('At the most').fill('');
  await page.getByRole('button', { name: 'Take it away' }).click();
  await page.getByText('No limit over all tasks').waitFor();
  assert.equal(await set(), []);
  assert.not.match(readFileSync(fileOf(rig, 'limits.json'), 'utf8'), /[56]0000/);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Set a budget' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await set(), []);
});

live.test('a pace is set, changed and taken away', async ({ rig, page, go }) => {
  await go('budgets');
  const set = () => JSON.parse(readFileSync(fileOf(rig, 'limits.json'), 'utf8')) as Record<string, unknown>;
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Set a pace' }).click();
  await page.getByLabel('Of which CLI').selectOption('codex');
  await page.getByLabel('At the most').fill('0');
  assert.ok(await dialog.getByRole('button', { name: 'Set it' }).isDisabled());
  await page.getByLabel('At the most').fill('2');
  await dialog.getByText('From now on codex may use 2 calls at once.').waitFor();
  await dialog.getByRole('button', { name: 'Set it' }).click();
  await page.getByText('2 calls at once of codex').waitFor();
  assert.match(JSON.stringify(set()), /"codex":2/);
  await page.getByRole('button', { name: 'Change the calls of codex at once' }).click();
  await page.getByLabel('At the most').fill('3');
  await dialog.getByRole('button', { name: 'Set it' }).click();
  await page.getByText('3 calls at once of codex').waitFor();
  await page.getByRole('button', { name: 'Change the calls of codex at once' }).click();
  await page.getByLabel('At the most').fill('');
  await dialog.getByRole('button', { name: 'Take it away' }).click();
  await page.getByText('No limit on calls at once or per minute.').waitFor();
  assert.not.match(JSON.stringify(set()), /codex/);
});

live.test('a hold that a service has asked for is let go of', async ({ rig, page, go, confirm }) => {
  await go('budgets');
  rig.write('ask.md', 'Say hello.\n');
  rig.answer(() => failWith('codex', '429 Too Many Requests: please try again in 3600s', 429));
  await rig.start('run_codex', ['--prompt-file', 'ask.md', '--out', 'a.out', '--err', 'a.err']).result;
  assert.match(readFileSync(fileOf(rig, 'holds.json'), 'utf8'), '"tool":"codex"');
  await page.locator('.holds .mark', { hasText: 'codex' }).waitFor();
  await confirm('Release the hold on codex', 'Release');
  await page.getByText('The hold of codex is removed; the next call shows whether the service accepts it.').waitFor();
  assert.not(existsSync(fileOf(rig, 'holds.json')));
  await page.getByText('Nothing is held').waitFor();
});

live.test('what was used is shown in calls, tokens and money', async ({ rig, page, go }) => {
  // The runs of the world may be of yesterday, if midnight has passed since.
  rig.write('ask.md', 'Say hello.\n');
  rig.answer(() => answerWith('gemini', 'Hello.'));
  await rig.start('gemini_headless', ['--prompt-file', 'ask.md', '--out', 'g.out', '--err', 'g.err']).result;
  await go('budgets');
  for (const [chip, says] of [
    ['tokens', /^tokens: /],
    ['cost', /^cost: /],
    ['calls', /^calls: /],
  ] as const) {
    await page.getByRole('button', { name: chip, exact: true }).click();
    await page.getByRole('img', { name: says }).waitFor();
  }
  const chart = page.getByRole('img', { name: /^calls: \d+ in 7 days, most on \S+ with \d+\./ });
  await chart.focus();
  assert.is(await page.evaluate('document.activeElement.localName'), 'svg');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('End');
  await page.getByText(/^\w+ \d+, \d{4}: .*gemini \d+$/).waitFor();
  for (const [per, says] of [
    ['week', /^The week from .*gemini \d+$/],
    ['month', /^\w+ \d{4}: .*gemini \d+$/],
    ['day', /^\w+ \d+, \d{4}: .*gemini \d+$/],
  ] as const) {
    await page.getByRole('button', { name: per, exact: true }).click();
    await page.getByText(says).waitFor();
  }
  await page.getByText('Show as table').click();
  await page.getByRole('columnheader', { name: 'gemini' }).waitFor();
  await page.getByRole('button', { name: 'Copy setting' }).click();
  await page.getByRole('button', { name: 'Copied setting' }).waitFor();
});

live.run();
