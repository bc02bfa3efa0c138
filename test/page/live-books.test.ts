// Books by the page over the console itself, against a service on the loopback: begun, held, accepted, paused, resumed, stopped, cut and exported.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { TestRig } from '../rig/test-rig.ts';
import { type Live, liveSuite } from './rig/live-suite.ts';

const live = liveSuite('live-books');

const factsOf = (rig: TestRig, book: string) =>
  readFileSync(path.join(rig.project, '.tmp/distill', book, 'state/journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { fact: string } & Record<string, unknown>);

/** As tollgate distill status says it. */
async function stateOf({ told }: Live, name: string): Promise<string> {
  const { distillations } = await told('distill', 'status', name);
  return (distillations as { state: string }[])[0]!.state;
}

async function begin({ page, go, rig }: Live, name: string, most = ''): Promise<void> {
  rig.write(`books/${name}.txt`, `${name}\n`);
  await go('distill');
  await page.getByRole('button', { name: 'Distill a book …' }).click();
  await page.getByLabel('The book').fill(`books/${name}.txt`);
  await page.getByLabel('Instruction (optional)').fill('The arguments alone; <b>$(id)</b>.');
  await page.getByLabel('Model').selectOption('gemini-2.5-flash');
  await page.getByLabel('Paid calls at the most').fill(most);
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name }).waitFor();
  await go(`distill/${name}`);
}

live.test('a book is begun with its prompt, model and budget; a held section is accepted', async (shown) => {
  const { rig, books, page, confirm } = shown;
  books.script('ask', [null, 'short']);
  await begin(shown, 'emerson', '12');
  await page.getByRole('button', { name: 'Keep answer' }).waitFor();
  await page.getByText('Paused: empty/short', { exact: true }).waitFor();
  assert.match(await stateOf(shown, 'emerson'), /^paused/);
  const [turn] = books.paid().slice(-2);
  assert.match(JSON.stringify(turn!.body), 'The arguments alone; <b>$(id)</b>.');
  assert.is(turn!.model, 'gemini-2.5-flash');
  await page.getByText('2 of 12 paid calls').waitFor();
  const heads = page.locator('main li > .panel-head');
  assert.match(await heads.nth(0).innerText(), /^1\. .+ characters, 1 attempt/s);
  assert.match(await heads.nth(1).innerText(), /^2\. .+held.+ characters, 1 attempt/s);
  const { length: paid } = books.paid();
  await confirm('Keep answer', 'Run it');
  await page.getByText('done', { exact: true }).waitFor();
  assert.is(await stateOf(shown, 'emerson'), 'complete');
  assert.is(books.paid().length, paid + 1, 'what is accepted is not paid again');
  assert.ok(factsOf(rig, 'emerson').some(({ fact }) => fact === 'accepted'));
});

live.test('a book that runs is paused, goes on, and is stopped', async (shown) => {
  const { books, page, confirm } = shown;
  const first = shown.holdBooks();
  await begin(shown, 'thoreau');
  await books.asked(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page
    .locator('.notes .notice')
    .getByText(/thoreau/)
    .waitFor();
  first();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  assert.match(await stateOf(shown, 'thoreau'), /^paused/);
  const second = shown.holdBooks();
  await confirm('Resume', 'Run it');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.mark').getByText('stopped').waitFor();
  second();
  assert.match(await stateOf(shown, 'thoreau'), /^stopped/);
});

live.test('the limit of paid calls is raised where it stopped the book', async (shown) => {
  const { page, confirm, books } = shown;
  await begin(shown, 'cicero', '1');
  await page.getByText('Paused: the budget of paid calls is used up', { exact: true }).waitFor();
  const { length: paid } = books.paid();
  await page.getByRole('button', { name: 'Copy command' }).first().click();
  await confirm('Raise the limit', 'Run it');
  await page.getByText('done', { exact: true }).waitFor();
  await page.getByText('3 of 21 paid calls').waitFor();
  assert.is(books.paid().length, paid + 2);
});

live.test('a section is deleted, and the others stay', async ({ page, go, confirm, told }) => {
  await go('distill/walden');
  const sections = async () =>
    ((await told('distill', 'sections', 'walden')).sections as { section: number }[]).map(({ section }) => section);
  assert.equal(await sections(), [1, 2, 3]);
  await confirm('Delete section 2', 'Delete');
  await page.getByRole('button', { name: 'Delete section 2' }).waitFor({ state: 'detached' });
  assert.equal(await sections(), [1, 3]);
});

live.test('a book is exported in three forms, each the file that the command writes', async (shown) => {
  const { rig, page, go } = shown;
  await go('distill/walden');
  for (const [name, format] of [
    ['Markdown', 'md'],
    ['Text', 'txt'],
    ['PDF', 'pdf'],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ]);
    assert.is(download.suggestedFilename(), `walden.${format}`);
    const got = readFileSync(await download.path());
    const { stdout } = await rig.run('tollgate', ['distill', 'export', 'walden', `--format=${format}`, '--json']);
    const { file } = JSON.parse(stdout) as { file: string };
    if (format === 'pdf') assert.is(got.subarray(0, 5).toString(), '%PDF-');
    else assert.is(got.toString(), readFileSync(path.resolve(rig.project, file), 'utf8'));
  }
});

live.test('the trace is opened, and says what was asked', async ({ page, go }) => {
  await go('distill/walden');
  await page.getByText(/^Trace, \d+ lines/).click();
  await page.getByRole('region', { name: 'Trace' }).or(page.getByLabel('Trace')).getByText(/"at"/).first().waitFor();
});

live.run();
