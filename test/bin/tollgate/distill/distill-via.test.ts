// tollgate distill --via: the same loop over one session of a CLI, which fakes play.

import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../../../policies/facts/tools.ts';
import { commandLinesWith } from '../../../../wrappers/processes/command-lines.ts';
import { epubOf, pdfOf } from '../../../rig/books.ts';
import { answerWith, failWith, write } from '../../../rig/streams.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate distill --via');
test.before.each(async (world) => {
  world.rig = await TestRig.open({ tools: TOOLS });
  mkdirSync(path.join(world.rig.project, '.git'));
  world.rig.write('walden.epub', epubOf({ '1.xhtml': '<h1>Economy</h1><p>When I wrote.</p>' }));
  world.rig.write('walden.pdf', pdfOf(1));
  world.rig.write('distil.md', 'Distil this book.\n');
});
test.after.each(({ rig }) => rig.dispose());

const SESSION_A = '00000000-0000-4000-8000-00000000000a';
const SESSION_B = '00000000-0000-4000-8000-00000000000b';
const section = (n: number, last = false) =>
  `# Part ${n}\n\n${`Thought ${n}-${n * 7} `.repeat(20)}${last ? '<end_of_book>' : ''}`;
const begin = (tool: string) => [
  'distill',
  'walden.epub',
  '--prompt',
  'distil.md',
  '--via',
  tool,
  '--no-check',
  'loop',
];

for (const tool of TOOLS)
  test(`${tool}: the first call names the files, each further one says Next in the same session`, async ({ rig }) => {
    const running = rig.start('tollgate', begin(tool), { env: { GEMINI_API_KEY: '' } });
    const first = await rig.call();
    assert.match(first.report.stdin.text, /^Distil this book\.\n[\s\S]*- book\/part-0001\.txt\n[\s\S]*Begin now/);
    assert.match(
      readFileSync(path.join(first.report.cwd, 'book/part-0001.txt'), 'utf8'),
      /# Economy\n\nWhen I wrote\./,
    );
    await first.tell(...answerWith(tool, section(1), SESSION_A));
    const second = await rig.call();
    assert.is(second.report.stdin.text.trim(), 'Next');
    assert.ok(second.report.argv.join(' ').includes(SESSION_A), second.report.argv.join(' '));
    await second.tell(...answerWith(tool, section(2, true), SESSION_A));
    const { code, stderr } = await running.result;
    assert.is(code, 0, stderr);
    assert.match(
      readFileSync(path.join(rig.project, '.tmp/distill/walden/walden.md'), 'utf8'),
      /# Part 1[\s\S]*# Part 2/,
    );
  });

test('a section that the CLI reports as cut is held', async ({ rig }) => {
  const [opens, says, end] = [
    { type: 'system', subtype: 'init', session_id: SESSION_A, model: 'm' },
    { type: 'assistant', message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: section(1) }] } },
    { type: 'result', subtype: 'success', is_error: false, result: section(1), session_id: SESSION_A },
  ];
  rig.answer(() => [write([opens, says, { ...end, stop_reason: 'max_tokens' }].map((each) => JSON.stringify(each)))]);
  const { code, stdout, stderr } = await rig.run('tollgate', [...begin('claude'), '--trust-workspace']);
  assert.is(code, 1, stderr);
  assert.match(`${stdout}${stderr}`, 'the answer ended with max_tokens');
  assert.is(rig.calls.length, 1);
});

test('a session that may hold more than was accepted is left: a new one is told what was answered', async ({ rig }) => {
  const running = rig.start('tollgate', begin('gemini'));
  await (await rig.call()).tell(...answerWith('gemini', section(1), SESSION_A));
  await (await rig.call()).tell(
    ...failWith('gemini', 'API key not valid. Please pass a valid API key.', 400, SESSION_A),
  );
  assert.is((await running.result).code, 1);
  const resumed = rig.start('tollgate', ['distill', 'resume', 'walden']);
  const again = await rig.call();
  assert.not.ok(again.report.argv.join(' ').includes(SESSION_A));
  assert.match(again.report.stdin.text, /What was answered so far stands in so-far\.md[\s\S]*Next$/);
  assert.match(readFileSync(path.join(again.report.cwd, 'so-far.md'), 'utf8'), /# Part 1/);
  await again.tell(...answerWith('gemini', section(2, true), SESSION_B));
  const { code, stderr } = await resumed.result;
  assert.is(code, 0, stderr);
});

/** Which calls are in the books, by their number. */
const used = async (rig: TestRig) =>
  Number(/(\d+) of \d+ paid calls/.exec((await rig.run('tollgate', ['distill', 'status', 'walden'])).stdout)?.[1]);

test('a CLI that was started may have paid before its service refused: its next try is another call in the books', async ({
  rig,
}) => {
  const running = rig.start('tollgate', begin('gemini'));
  await (await rig.call()).tell(...failWith('gemini', 'The model is overloaded.', 503, SESSION_A));
  await (await rig.call()).tell(...answerWith('gemini', section(1, true), SESSION_B));
  const { code, stderr } = await running.result;
  assert.is(code, 0, stderr);
  assert.is(await used(rig), 2);
});

/** The wrapper at work, as the list of processes tells. */
const wrapperIn = (rig: TestRig) =>
  commandLinesWith(['--pid-file']).find(({ argv }) =>
    argv.some((word) => word.startsWith('--pid-file=') && word.includes(path.basename(path.dirname(rig.project)))),
  );

test('after kill -9 of the wrapper its CLI is waited for, and its answer taken', async ({ rig }) => {
  const running = rig.start('tollgate', begin('claude'));
  const first = await rig.call();
  process.kill(wrapperIn(rig)!.pid, 'SIGKILL');
  await first.tell(...answerWith('claude', section(1), SESSION_A));
  const second = await rig.call();
  assert.is(second.report.stdin.text.trim(), 'Next');
  await second.tell(...answerWith('claude', section(2, true), SESSION_A));
  const { code, stderr } = await running.result;
  assert.is(code, 0, stderr);
  assert.is(rig.calls.length, 2);
  assert.is(await used(rig), 2);
});

test('after kill -9 of the command and of its wrapper the CLI is waited for by the run that continues', async ({
  rig,
}) => {
  const killed = rig.start('tollgate', begin('gemini'));
  const first = await rig.call();
  const { pid } = wrapperIn(rig)!;
  killed.signal('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await killed.result;
  const resumed = rig.start('tollgate', ['distill', 'resume', 'walden']);
  await resumed.says(/was in flight when its process ended; its call of (?:gemini|codex|claude) is awaited/);
  await first.tell(...answerWith('gemini', section(1, true), SESSION_A));
  const { code, stderr } = await resumed.result;
  assert.is(code, 0, stderr);
  assert.is(rig.calls.length, 1);
});

test('after kill -9 the call that still runs is waited for and its answer taken: it is not paid twice', async ({
  rig,
}) => {
  const killed = rig.start('tollgate', [...begin('codex'), '--answer-timeout', '60s']);
  const first = await rig.call();
  const wrapper = wrapperIn(rig);
  assert.ok(wrapper?.argv.includes('--timeout-ms=90000'), 'its limit holds where nobody is left to keep it');
  killed.signal('SIGKILL');
  await killed.result;
  const resumed = rig.start('tollgate', ['distill', 'resume', 'walden']);
  await resumed.says(/was in flight when its process ended; its call of (?:gemini|codex|claude) is awaited/);
  await first.tell(...answerWith('codex', section(1), SESSION_A));
  const second = await rig.call();
  assert.is(second.report.stdin.text.trim(), 'Next');
  await second.tell(...answerWith('codex', section(2, true), SESSION_A));
  const { code, stderr } = await resumed.result;
  assert.is(code, 0, stderr);
  assert.equal([rig.calls.length, await used(rig)], [2, 2]);
});

test('after kill -9 a call that is asked for no more is ended before the next one starts', async ({ rig }) => {
  const killed = rig.start('tollgate', begin('claude'));
  await (await rig.call()).tell(...answerWith('claude', section(1), SESSION_A));
  const second = await rig.call();
  killed.signal('SIGKILL');
  await killed.result;
  assert.is((await rig.run('tollgate', ['distill', 'delete-section', 'walden', '1', '--ask-again'])).code, 0);
  const resumed = rig.start('tollgate', ['distill', 'resume', 'walden']);
  await second.gone;
  const third = await rig.call();
  assert.match(third.report.stdin.text, /^Distil this book/);
  await third.tell(...answerWith('claude', section(1, true), SESSION_B));
  const { code, stderr } = await resumed.result;
  assert.is(code, 0, stderr);
});

test('a PDF is refused, and nothing is asked', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', [
    'distill',
    'walden.pdf',
    '--prompt',
    'distil.md',
    '--via',
    'codex',
  ]);
  assert.is(code, 2);
  assert.match(stderr, /over a CLI a book is an EPUB or a text/);
  assert.equal(rig.calls, []);
});

test.run();
