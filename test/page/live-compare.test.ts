// Batches and comparisons in the console: a batch run again; variants side by side, one applied, worktrees removed.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { BatchStart } from '../../loops/batch/report.ts';
import type { TasksStatus } from '../../loops/report/status.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { answerWith } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { type Live, liveSuite } from './rig/live-suite.ts';
import { stageOf } from './rig/world.ts';

const live = liveSuite('live-compare');

/** Makes the project a repository, and compares two CLIs: codex answers, claude is stopped in its call. */
async function compared({ rig, told }: Live): Promise<string> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.project, env: rig.env });
  writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tname = User\n\temail = user@localhost\n');
  rig.write('.gitignore', '.tmp/\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  let isHanging = true;
  const begun = new Promise<void>((resolve) => {
    rig.answer(({ report }) => {
      const tool = report.tool as BuiltIn;
      const saved = { do: 'save', file: 'who.txt', text: `${tool}\n` } as const;
      if (tool !== 'claude' || !isHanging) return [saved, ...answerWith(tool, `I am ${tool}.`)];
      isHanging = false;
      resolve();
      return [{ do: 'hang' }];
    });
  });
  const words = ['compare', 'Write your name', '--with', 'codex', '--with', 'claude', '--access', 'write'];
  const running = rig.start('tollgate', [...words, '--trust-workspace', '--json']);
  await begun;
  const { comparisons } = (await told('compare', '--list')) as { comparisons: { comparison_id: string }[] };
  const id = comparisons[0]!.comparison_id;
  const answered = path.join(rig.project, '.tmp/task', `${id}-1`, 'outputs/_summary.md');
  await waitWhile(() => !existsSync(answered));
  running.signal('SIGINT');
  await running.result;
  return id;
}

live.test('a batch is shown when it has ended, and what failed in it is run again', async (shown) => {
  const { rig, page, go, complaints } = shown;
  await go('batch');
  await page.getByText('No batch yet').waitFor();
  makeTask(rig, { goal: 'Say nothing.', stages: [{ tool: 'copilot', role: 'impl', access: 'write' }] }, 'says-nothing');
  await page.getByRole('link', { name: 'New batch' }).click();
  for (const id of ['settings-page', 'rotate-keys', 'says-nothing'])
    await page.getByLabel(`Select ${id}`, { exact: true }).click();
  await page.getByRole('button', { name: 'Run as a batch' }).click();
  await page
    .getByRole('dialog')
    .getByText(/They usually make 3 paid calls, at most \d+/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Run the batch' }).click();
  await page.getByText(/^The batch was begun, and (?:is at work|has failed)/).waitFor();
  await go('batch');
  const row = page.getByRole('group', { name: 'Batches' }).locator('tbody tr');
  await row.getByText('1 of 3').waitFor();
  await row.getByRole('link', { name: 'See how to rerun 2' }).click();
  const tasks = page.getByRole('group', { name: 'Tasks of the batch' });
  await tasks.locator('tr', { hasText: 'settings-page' }).getByText('done').nth(1).waitFor();
  await tasks.locator('tr', { hasText: 'rotate-keys' }).getByText('The service rejected the credentials').waitFor();
  const failure = page.getByRole('region', { name: 'The service rejected the credentials of codex.' });
  await failure.getByRole('button', { name: 'Copy command' }).first().click();
  await page.getByText('2 of 3 tasks are not done, for 2 causes.').waitFor();
  await page.getByRole('button', { name: 'Copy id' }).click();
  await page.getByText('In a terminal', { exact: true }).click();
  await page.getByText(/^tollgate batch --from /).waitFor();
  await page.getByRole('button', { name: /^Redo(?: anyway)?$/ }).click();
  await page.getByRole('dialog').getByText('tollgate run says-nothing').waitFor();
  await page.keyboard.press('Escape');
  await failure.getByRole('button', { name: 'Rerun of rotate-keys' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rerun it' }).click();
  await page
    .getByRole('dialog')
    .getByText(/^rotate-keys continues, and /)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  // The answers of the next test are not for this run.
  await rig.run('tollgate', ['wait', 'rotate-keys']);
  assert.equal(complaints, []);
});

live.test('a variant is resumed, one is applied, and the worktrees are removed', async (shown) => {
  const { rig, page, go, confirm, complaints } = shown;
  await go('compare');
  await page.getByText('No comparison yet').waitFor();
  const id = await compared(shown);
  await page.getByRole('link', { name: id }).click();
  const variants = page.getByRole('group', { name: 'Variants' });
  await variants.getByText('1 file +1 -0').first().waitFor();
  await page.getByText('I am codex.').waitFor();
  await confirm('Resume …', 'Resume');
  await page.getByText('I am claude.').waitFor();
  await page.getByRole('button', { name: 'Fold all files' }).first().click();
  await page.locator('.diff-file button', { hasText: 'who.txt' }).first().click();
  await page.getByRole('button', { name: 'Copy the diff' }).first().click();
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as patch' }).first().click();
  assert.is((await downloaded).suggestedFilename(), 'codex.patch');
  await confirm('Apply the changes of claude', 'Apply');
  await variants.getByText('applied').waitFor();
  assert.is(readFileSync(path.join(rig.project, 'who.txt'), 'utf8'), 'claude\n');
  // Its file has uncommitted changes now, so the other one is refused beside the button.
  await page.getByRole('button', { name: 'Apply the changes of codex' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('dialog').getByText('has uncommitted changes').waitFor();
  await page.keyboard.press('Escape');
  await confirm('Remove worktrees …', 'Remove');
  await page.getByText('worktrees removed').waitFor();
  assert.not.ok(existsSync(path.join(rig.project, '.tmp/worktrees', `${id}-1`)));
  await go('compare');
  await page.getByRole('group', { name: 'Comparisons' }).getByText('claude', { exact: true }).waitFor();
  // The browser logs the refusal.
  assert.equal(
    complaints.filter((line) => !line.includes('409')),
    [],
  );
});

live.test('a batch is shown from its start, with its tasks, and that its process was killed', async (shown) => {
  const { rig, page, go, told, confirm, complaints } = shown;
  makeTask(rig, { goal: 'Answer at once.', stages: [stageOf('gemini', 'brief')] }, 'at-once');
  makeTask(rig, { goal: 'Hang.', stages: [stageOf('codex', 'brief')] }, 'hangs');
  rig.answer(({ report }) => (report.tool === 'codex' ? [{ do: 'hang' }] : answerWith('gemini', 'Done.')));
  await go('batch');
  const running = rig.start('tollgate', ['batch', 'at-once', 'hangs', '--json']);
  await page.getByRole('link', { name: 'at-once, hangs' }).click();
  const tasks = page.getByRole('group', { name: 'Tasks of the batch' });
  await tasks.locator('tr', { hasText: 'at-once' }).getByText('done').waitFor();
  await tasks.locator('tr', { hasText: 'hangs' }).getByText('running').waitFor();
  const { batches } = ((await told('status')) as unknown as TasksStatus).running;
  assert.equal(
    batches.map(({ tasks, done }) => [tasks, done]),
    [[2, 1]],
  );
  running.signal('SIGKILL');
  await running.result;
  await page.getByText('The process of this batch ended without a report').waitFor();
  await page.getByText(/^tollgate batch --from .*tasks\.txt --concurrency/).waitFor();
  const last = (await told('report', '--batch', 'last')) as unknown as BatchStart;
  assert.equal([last.state, last.task_ids], ['interrupted', ['at-once', 'hangs']]);
  await page.getByRole('link', { name: 'hangs', exact: true }).click();
  await confirm('Stop', 'Stop it');
  await page.locator('.mark', { hasText: 'interrupted' }).first().waitFor();
  assert.equal(complaints, []);
});

live.test('a batch that runs is stopped as a whole, and reports what was done', async (shown) => {
  const { rig, page, go, confirm, told } = shown;
  for (const id of ['hangs-too', 'comes-later'])
    makeTask(rig, { goal: 'Hang.', stages: [stageOf('codex', 'brief')] }, id);
  rig.answer(() => [{ do: 'hang' }]);
  await go('batch');
  const running = rig.start('tollgate', ['batch', 'hangs-too', 'comes-later', '--concurrency', '1', '--json']);
  await page.getByRole('link', { name: 'hangs-too, comes-later' }).click();
  const tasks = page.getByRole('group', { name: 'Tasks of the batch' });
  await tasks.locator('tr', { hasText: 'hangs-too' }).getByText('running').waitFor();
  await confirm('Stop the batch', 'Stop it');
  await page.getByText('The batch has the request to stop').waitFor();
  assert.is((await running.result).code, 143);
  await page.getByRole('columnheader', { name: 'In the batch' }).waitFor();
  await page.getByRole('button', { name: 'Stop the batch' }).waitFor({ state: 'detached' });
  assert.is((await told('report', '--batch', 'last')).state, 'interrupted');
});

live.test('of two pages that rerun the same task, the second one is told that it runs', async (shown) => {
  const { rig, page, go, confirm } = shown;
  rig.answer(() => [{ do: 'hang' }]);
  const other = await shown.visit(shown.console.url);
  await other.page.locator('.link-state.live').waitFor();
  await go('failures');
  await other.page.evaluate(`location.hash = '#/failures'`);
  const pages = [page, other.page];
  for (const each of pages) await each.getByRole('button', { name: 'Rerun of rotate-keys' }).click();
  const [first, second] = pages.map((each) => each.getByRole('dialog'));
  await first!.getByRole('button', { name: 'Rerun it' }).click();
  await first!.getByText('rotate-keys continues, and is at work.').waitFor();
  await second!.getByRole('button', { name: 'Rerun it' }).click();
  await second!.getByText('rotate-keys is already running; nothing was started').waitFor();
  await other.close();
  await first!.getByRole('button', { name: 'Close', exact: true }).click();
  await go('tasks/rotate-keys');
  await confirm('Stop', 'Stop it');
  await page.locator('.mark', { hasText: 'interrupted' }).first().waitFor();
});

live.test('a comparison begins by its prompt and its CLIs, and not over uncommitted changes', async (shown) => {
  const { rig, page, go } = shown;
  await go('compare');
  await page.getByRole('button', { name: 'New comparison …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Prompt').fill('Write your name again');
  await dialog.getByLabel('Compare codex').click();
  assert.is(await dialog.getByRole('button', { name: 'Begin' }).isDisabled(), true);
  await dialog.getByLabel('Compare copilot').click();
  await dialog.getByLabel('Access').selectOption('read');
  await dialog.getByText(/^2–6 paid calls/).waitFor();
  await dialog.getByRole('button', { name: 'Begin' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/uncommitted changes/)
    .waitFor();
  execFileSync('git', ['add', '-A'], { cwd: rig.project, env: rig.env });
  execFileSync('git', ['commit', '-q', '-m', 'second'], { cwd: rig.project, env: rig.env });
  await dialog.getByRole('button', { name: 'Begin' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(/^The comparison was begun, and is (?:at work|done now)/).waitFor();
  await page.getByRole('group', { name: 'Comparisons' }).getByText('codex, copilot', { exact: true }).waitFor();
});

live.run();
