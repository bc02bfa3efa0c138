// An upload with a clock that is handed in: two seconds between looks, four minutes at most, and every failure by its kind.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { uploadBook } from '../../../loops/distill/upload.ts';
import { createGeminiService } from '../../../wrappers/gemini-api/client.ts';
import { type DocumentApi, startDocumentApi } from '../../rig/document-api.ts';
import type { FaultName } from '../../rig/model-api/documents/faults.ts';

const KEY = 'test-key';
const START_MS = Date.parse('2026-11-23T12:00:00Z');

const test = suite<{ folder: string; close: () => Promise<void> }>('upload');

test.before.each((world) => {
  world.folder = mkdtempSync(path.join(tmpdir(), 'upload-'));
});
test.after.each(async ({ folder, close }) => {
  rmSync(folder, { recursive: true });
  await close();
});

async function upload(
  world: { folder: string; close: () => Promise<void> },
  settings: Parameters<typeof startDocumentApi>[0],
  prepare: (api: DocumentApi, stop: AbortController) => void = () => {},
  bytes = 1000,
) {
  const api = await startDocumentApi(settings);
  world.close = api.close;
  const stop = new AbortController();
  prepare(api, stop);
  const file = path.join(world.folder, 'book.pdf');
  if (bytes > 0) writeFileSync(file, Buffer.alloc(bytes, '%PDF'));
  const book = { file, mimeType: 'application/pdf', displayName: 'book.pdf', bytes };
  let nowMs = START_MS;
  const waits: number[] = [];
  const events: object[] = [];
  const ended = await uploadBook(book, {
    service: createGeminiService({ key: KEY, baseUrl: api.url, maxSilenceMs: 60_000 }),
    control: { waiting: stop.signal },
    terms: { autoWaitMs: 60_000 },
    context: {
      clock: () => new Date(nowMs),
      random: () => 0.5,
      pause: async (ms) => {
        waits.push(ms);
        nowMs += ms;
        if (waits.length === 500) stop.abort('too many');
      },
      tell: (event) => {
        events.push(event);
        if ('attempt' in event && event.attempt === 99) stop.abort('pause');
      },
    },
  });
  return { ended, api, waits, events, nowMs };
}

test('it looks every 2 s until the book is ACTIVE', async (world) => {
  const { ended, api, waits, events } = await upload(world, { looks: 2 });
  assert.is(ended.how, 'ready');
  assert.equal(waits, [2000, 2000, 2000]);
  assert.is(api.requests('look').length, 3);
  assert.equal(events, [
    { event: 'uploading', why: 'first', bytes: 0, of: 1000 },
    { event: 'uploading', why: 'first', bytes: 1000, of: 1000 },
    { event: 'processing', elapsed_ms: 0 },
    { event: 'processing', elapsed_ms: 2000 },
    { event: 'processing', elapsed_ms: 4000 },
  ]);
});

test('a book that is never ready is given up after 4 minutes', async (world) => {
  const { ended, nowMs } = await upload(world, { looks: Number.POSITIVE_INFINITY });
  assert.equal(ended, { how: 'failed', reason: 'processing', evidence: 'the service was still at it after 240 s' });
  assert.is(nowMs - START_MS, 240_000);
});

test('a book that cannot be processed pauses with the reason', async (world) => {
  const { ended } = await upload(world, { looks: 1, failure: 'The document has no pages.' });
  assert.equal(ended, {
    how: 'failed',
    reason: 'processing',
    evidence: 'the service could not read the book: The document has no pages.',
  });
});

/** Each is tried again, after the wait that it asks for, at least. */
const PASSING: [FaultName, leastMs: number][] = [
  ['429-retry-info', 50],
  ['429-retry-after', 0],
  ['500', 0],
  ['503', 0],
  ['502-html', 0],
  ['reset', 0],
];

test('what passes by itself is tried again, at every step of it, and told with its attempt', async (world) => {
  for (const [fault, leastMs] of PASSING) {
    const { ended, api, waits, events } = await upload(world, { looks: 1 }, (api) => {
      for (const kind of ['start', 'piece', 'look'] as const) api.script(kind, [fault]);
    });
    assert.is(ended.how, 'ready', fault);
    const waiting = events.filter((event) => 'attempt' in event) as { attempt: number; why: string }[];
    assert.equal(
      waiting.map(({ attempt }) => attempt),
      [2, 3, 2],
      fault,
    );
    assert.ok(
      waiting.every(({ why }) => why !== ''),
      fault,
    );
    assert.ok(
      waits.every((ms) => ms >= leastMs),
      fault,
    );
    assert.is(api.requests('start').length, 2, fault);
    await world.close();
  }
});

test('a service that keeps failing is given up; a wait that is longer than is waited for pauses', async (world) => {
  const often = await upload(world, {}, (api) => api.script('start', Array<FaultName>(20).fill('503')));
  assert.is(often.ended.how === 'failed' && often.ended.reason, 'retries');
  assert.is(often.api.requests('start').length, 8);
  await world.close();
  const long = await upload(world, {}, (api) => api.script('start', ['429-long']));
  assert.is(long.ended.how === 'failed' && long.ended.reason, 'reset');
  assert.is(long.api.requests('start').length, 1);
});

test('as long as each try gets on, no number of failures gives it up', async (world) => {
  const script = Array.from({ length: 24 }, (_, i): FaultName | null => (i % 2 === 0 ? null : '503'));
  const { ended, api } = await upload(world, {}, (api) => api.script('piece', script), 26 * 1024 * 1024);
  assert.is(ended.how, 'ready');
  assert.is(api.requests('start').length, 1);
});

test('a wrong key is an error, and asked once', async (world) => {
  const { ended, api } = await upload(world, { key: 'another' });
  assert.is(ended.how === 'failed' && ended.reason, 'error');
  assert.match((ended as { evidence: string }).evidence, /API key not valid/);
  assert.is(api.requests().length, 1);
});

test('a book that is gone is told as that', async (world) => {
  const { ended, api } = await upload(world, {}, () => {}, 0);
  assert.is(ended.how === 'failed' && ended.reason, 'book');
  assert.is(api.requests().length, 0);
});

test('offline is tried until somebody pauses', async (world) => {
  const { ended, events } = await upload(world, { choose: () => 'reset' });
  assert.equal(ended, { how: 'aborted' });
  assert.is(events.filter((event) => 'attempt' in event).length, 98);
});

test('a pause ends an upload at once, in its middle', async (world) => {
  const { ended } = await upload(
    world,
    {
      choose: () => 'silence',
    },
    (_api, stop) => setImmediate(() => stop.abort('pause')),
  );
  assert.equal(ended, { how: 'aborted' });
});

test.run();
