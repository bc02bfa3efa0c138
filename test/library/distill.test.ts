// Books by the library: events and exports, a pause from elsewhere, a held answer, refusals, and signals.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BookEnd, BookEvent, BookStanding } from '../../library/surface.ts';
import { type DocumentApi, startDocumentApi } from '../rig/document-api.ts';
import { TestRig } from '../rig/test-rig.ts';
import { installLibrary, program, resultOf, resultsOf } from '../rig/user-program.ts';

const KEY = 'test-key-of-the-loopback-service';

const test = suite<{ rig: TestRig; api: DocumentApi; release(): void }>('books by the library');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  const released = new Promise<void>((resolve) => {
    context.release = resolve;
  });
  // The second section is answered once the test allows it.
  const wait = ({ turn }: { turn: { section: number } | null }) => (turn?.section === 2 ? released : null);
  context.api = await startDocumentApi({ key: KEY, looks: 0, wait });
  Object.assign(context.rig.env, { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: context.api.url });
  mkdirSync(path.join(context.rig.project, '.git'));
  context.rig.write('republic.txt', 'The Republic, by Plato.\n');
  installLibrary(context.rig);
});
test.after.each(async ({ rig, api, release }) => {
  release();
  await api.close();
  await rig.dispose();
});

test('a book is distilled to its end, with its events and exports', async ({ rig, api, release }) => {
  release();
  const source = `import { distill, readBook } from 'tollgate';
const book = distill('republic.txt', { model: 'gemini-2.5-pro', exports: ['md', 'txt'], maxCalls: 5 });
const events = [];
for await (const event of book) events.push(event);
const [end, read] = [await book, await readBook('republic')];
const again = await distill('republic.txt', { model: 'gemini-2.5-pro' });
console.log(JSON.stringify({ events, end, read, again }));
`;
  const { code, stdout, stderr } = await program(rig, source);
  assert.equal([code, stderr], [0, ''], stdout);
  type Said = { events: BookEvent[]; end: BookEnd; read: BookStanding; again: BookEnd };
  const { events, end, read, again } = JSON.parse(stdout) as Said;
  if (end.how !== 'ended' || read.how !== 'read') throw new Error(stdout);
  const { state, sections, calls, document } = end.book;
  assert.equal([state, sections, calls, end.notes], ['complete', 3, { used: 3, total: 5 }, []]);
  assert.equal(read.book, end.book);
  assert.equal(
    end.exports.map((file) => path.basename(file)),
    ['republic.md', 'republic.txt'],
  );
  assert.ok(end.exports.every(existsSync));
  assert.match(readFileSync(document, 'utf8'), /^## /m);
  const answered = events.flatMap((event) => (event.event === 'answered' ? event.section : []));
  assert.equal([events[0]!.event, answered, api.paid().length], ['begun', [1, 2, 3], 3]);
  assert.is(again.how, 'ended');
});

/** A program that distils until its stdin ends; `begun` resolves when the second section is requested. */
function distilling({ rig, api }: { rig: TestRig; api: DocumentApi }, signal: 'signal' | 'halt') {
  const source = `import { distill } from 'tollgate';
const gone = new AbortController();
process.stdin
  .once('end', () => {
    gone.abort();
    console.error('aborted');
  })
  .resume();
console.log(JSON.stringify(await distill('republic.txt', { model: 'gemini-2.5-pro', ${signal}: gone.signal })));
process.exit();
`;
  const child = spawn(process.execPath, [rig.write('program.mjs', source)], { cwd: rig.project, env: rig.env });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const ended = new Promise<BookEnd & { how: 'ended' }>((resolve, reject) =>
    child.on('close', () => (out === '' ? reject(new Error('it printed nothing')) : resolve(JSON.parse(out)))),
  );
  const begun = Promise.race([api.asked(2), ended.then(() => Promise.reject(new Error(`it ended: ${out}`)))]);
  const aborted = once(child.stderr, 'data');
  const abort = async () => {
    child.stdin.end();
    await aborted;
  };
  return { ended, begun, abort };
}

test('a book that is paused elsewhere keeps the answer in flight, and is resumed without paying it again', async (world) => {
  const { rig, api, release } = world;
  const { ended, begun } = distilling(world, 'signal');
  await begun;
  const both = [`tollgate.resumeBook('republic')`, `tollgate.endBook('republic', 'pause')`];
  const [taken, asked] = await resultsOf<[BookEnd, BookStanding]>(rig, both);
  assert.is(taken.how, 'taken');
  assert.equal([asked.how, asked.how === 'read' && asked.book.state], ['read', 'running']);
  release();
  const { book } = await ended;
  assert.equal([book.state, book.reason, book.sections], ['paused (as you asked)', 'asked', 2]);
  const done = await resultOf<BookEnd>(rig, `tollgate.resumeBook('republic', { exports: ['md'] })`);
  assert.equal([done.how === 'ended' && done.book.state, api.paid().length], ['complete', 3]);
});

test('a signal waits for the answer that is being paid', async (world) => {
  const { ended, begun, abort } = distilling(world, 'signal');
  await begun;
  await abort();
  world.release();
  const { book } = await ended;
  assert.equal([book.state, book.sections, world.api.paid().length], ['interrupted', 2, 2]);
});

test('halt waits for nothing', async (world) => {
  const { ended, begun, abort } = distilling(world, 'halt');
  await begun;
  await abort();
  const { book } = await ended;
  assert.equal([book.state, book.sections], ['interrupted', 1]);
});

test('an answer that looks wrong is held, and kept on request', async ({ rig, api, release }) => {
  release();
  api.script('ask', ['short']);
  const [held, kept] = await resultsOf<[BookEnd, BookEnd]>(rig, [
    `tollgate.distill('republic.txt', { model: 'gemini-2.5-pro', exports: ['md'] })`,
    `tollgate.resumeBook('republic', { held: 'accept', noCheck: ['short'] })`,
  ]);
  if (held.how !== 'ended') throw new Error(held.message);
  assert.equal([held.book.reason, held.book.held_section, held.exports], ['short', 1, []]);
  assert.match(held.notes[0]!, /no section is there to export/);
  assert.equal([kept.how === 'ended' && kept.book.state, api.paid().length], ['complete', 3]);
});

test('a mistake is a value that names it, and nothing is paid', async ({ rig, api }) => {
  rig.write('empty.txt', '');
  const refusals: [expression: string, message: RegExp][] = [
    [`tollgate.distill('none.txt', { model: 'gemini-2.5-pro' })`, /none\.txt/],
    [`tollgate.distill('empty.txt', { model: 'gemini-2.5-pro' })`, /empty/],
    [`tollgate.distill(3)`, /distill: the book must be a text/],
    [
      `tollgate.distill('republic.txt', { model: 'gemini-2.5-pro', promptFile: 'none.md' })`,
      /the prompt cannot be read/,
    ],
    [`tollgate.distill('republic.txt', { temperature: 3 })`, /temperature must be a number from 0 to 2, and is 3/],
    [`tollgate.distill('republic.txt', { endMarker: ' ' })`, /endMarker must be a text that is not blank/],
    [`tollgate.distill('republic.txt', { noCheck: ['shrt'] })`, /noCheck must be a list of refusal, short/],
    [`tollgate.distill('republic.txt', { exports: 'md' })`, /exports must be a list of md, txt, pdf/],
    [`tollgate.distill('republic.txt', { autoWaitMs: 2 ** 31 })`, /autoWaitMs must be a whole number/],
    [`tollgate.distill('republic.txt', { held: 'accept' })`, /distill has no option "held"/],
    [`tollgate.distill('republic.txt', { via: 'cursor' })`, /via must be one of/],
    [`tollgate.distill('republic.txt', { maxUsd: 1, model: 'unheard-of' })`, /price/],
    [`tollgate.distill('republic.txt', { model: 'gemini-2.5-pro', environment: {} })`, /GEMINI_API_KEY is not set/],
    [`tollgate.resumeBook('none')`, /there is no distillation "none"/],
    [`tollgate.resumeBook('../x')`, /is not a name of a distillation/],
    [`tollgate.readBook('none')`, /there is no distillation "none"/],
    [`tollgate.endBook('none', 'pause')`, /there is no distillation "none"/],
    [`tollgate.endBook('none', 'halt')`, /how must be one of pause, stop/],
    [`tollgate.readBook('none', null)`, /must be an object, and are null/],
  ];
  const idOfCall = (change: string) => `Promise.resolve(void (${change}))`;
  const expressions = [
    ...refusals.map(([expression]) => expression),
    idOfCall(`process.env.TOLLGATE_CALL_ID = '0123456789abcdef0123456789abcdef'`),
    `tollgate.distill('republic.txt', { maxCalls: 9 })`,
    idOfCall('delete process.env.TOLLGATE_CALL_ID'),
    `import('node:fs').then(({ existsSync }) => existsSync('.tmp/distill'))`,
    `tollgate.distill('republic.txt', { model: 'gemini-2.5-pro', signal: AbortSignal.abort() })`,
  ];
  const said = await resultsOf<{ how: string; message: string }[]>(rig, expressions);
  for (const [at, [expression, message]] of refusals.entries()) {
    assert.is(said[at]!.how, 'invalid', expression);
    assert.match(said[at]!.message, message, expression);
  }
  const [, limit, , isBegun, aborted] = said.slice(refusals.length) as unknown[] as [
    ...[null, { message: string }, null, boolean],
    BookEnd,
  ];
  assert.match(limit.message, 'a call may not change the limit of a distillation');
  assert.is(isBegun, false);
  assert.equal([aborted.how === 'ended' && aborted.book.state, api.paid().length], ['interrupted', 0]);
});

test.run();
