// The client against a service of documents on the loopback: what it sends, what it makes of each answer, and of each way to fail.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TurnContent, UploadedBook } from '../../../policies/distill/service.ts';
import { UnfitFileError } from '../../../state/disk/regular-file.ts';
import { createGeminiService } from '../../../wrappers/gemini-api/client.ts';
import {
  type BookToUpload,
  type DocumentService,
  ServiceFailure,
} from '../../../wrappers/gemini-api/document-service.ts';
import { type DocumentApi, startDocumentApi } from '../../rig/document-api.ts';
import type { FaultName } from '../../rig/model-api/documents/faults.ts';

const KEY = 'test-key';
const never = new AbortController().signal;
const MIB = 1024 * 1024;

interface World {
  api: DocumentApi;
  service: DocumentService;
  folder: string;
}

const test = suite<World>('client');

test.before.each(async (world) => {
  world.api = await startDocumentApi();
  world.service = createGeminiService({ key: KEY, baseUrl: world.api.url, maxSilenceMs: 60_000 });
  world.folder = mkdtempSync(path.join(tmpdir(), 'client-'));
});

test.after.each(async ({ api, folder }) => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const bookOf = ({ folder }: World, bytes: number) => {
  const file = path.join(folder, 'book.pdf');
  writeFileSync(file, '%PDF');
  truncateSync(file, bytes);
  return { file, mimeType: 'application/pdf', displayName: 'Ein Büchlein' };
};

async function active(world: World): Promise<UploadedBook> {
  const { name } = await world.service.upload(bookOf(world, 1000), { signal: never, sent: () => {} });
  await world.service.look(name, never);
  return world.service.look(name, never);
}

const first = ({ uri, mimeType }: UploadedBook): TurnContent => ({
  role: 'user',
  parts: [{ fileData: { fileUri: uri, mimeType } }, { text: 'The first section, please.' }],
});
const next: TurnContent = { role: 'user', parts: [{ text: 'Next' }] };

const asking = (contents: readonly TurnContent[], signal = never) => ({
  model: 'gemini-2.5-pro',
  systemInstruction: 'Distil.',
  contents,
  temperature: null,
  signal,
});

const failureOf = async (asked: Promise<unknown>): Promise<ServiceFailure> => {
  const error = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  assert.instance(error, ServiceFailure);
  return error as ServiceFailure;
};

test('a book is uploaded in pieces, processed, and described', async (world) => {
  const sent: number[] = [];
  const book = await world.service.upload(bookOf(world, 5 * MIB), { signal: never, sent: (bytes) => sent.push(bytes) });
  assert.equal(sent, [0, 2 * MIB, 4 * MIB, 5 * MIB]);
  assert.equal([book.state, book.mimeType, book.error], ['PROCESSING', 'application/pdf', null]);
  assert.ok(Date.parse(book.expiresAt!) > Date.now());
  await world.service.look(book.name, never);
  assert.is((await world.service.look(book.name, never)).state, 'ACTIVE');
  const [stored] = world.api.files.stored.values();
  assert.equal([stored!.displayName, stored!.sizeBytes], ['Ein Büchlein', 5 * MIB]);
});

test('every byte of it arrives where it stood, and a book that is cut meanwhile is told as that', async (world) => {
  const book = bookOf(world, 1);
  const bytes = Buffer.alloc(3 * MIB + 1, createHash('sha512').update('book').digest());
  for (let at = 0; at < bytes.length; at += 1000) bytes.writeUInt32LE(at, Math.min(at, bytes.length - 4));
  writeFileSync(book.file, bytes);
  await world.service.upload(book, { signal: never, sent: () => {} });
  const [stored] = world.api.files.stored.values();
  assert.is(stored!.sha256, createHash('sha256').update(bytes).digest('hex'));
  const cut = (sent: number) => {
    if (sent === 2 * MIB) truncateSync(book.file, 2 * MIB);
  };
  const error = await world.service.upload(book, { signal: never, sent: cut }).catch((error: unknown) => error);
  assert.instance(error, UnfitFileError);
  assert.match((error as Error).message, /became shorter/);
});

test('an upload that failed half-way continues where the service has it', async (world) => {
  for (const fault of ['503', 'reset'] as const) {
    const before = world.api.requests('piece').length;
    const sent: number[] = [];
    const book = bookOf(world, 5 * MIB + before);
    const upload = () => world.service.upload(book, { signal: never, sent: (bytes) => sent.push(bytes) });
    world.api.script('piece', [null, fault]);
    await failureOf(upload());
    const again = await upload();
    assert.is(again.state, 'PROCESSING');
    assert.is(world.api.requests('start').length, fault === '503' ? 1 : 2, 'it was not begun again');
    assert.ok(sent.filter((bytes) => bytes === 0).length === 1, `${fault}: ${sent}`);
  }
  assert.is(world.api.requests('query').length, 2);
});

test('an upload that the service has forgotten begins again; so does one of a book that changed', async (world) => {
  const upload = (book: BookToUpload) => world.service.upload(book, { signal: never, sent: () => {} });
  const book = bookOf(world, 1000);
  world.api.script('piece', ['503']);
  world.api.script('query', ['file-404']);
  await failureOf(upload(book));
  await upload(book);
  world.api.script('piece', ['503']);
  await failureOf(upload(book));
  await upload(bookOf(world, 1001));
  assert.is(world.api.requests('start').length, 4);
});

test('an empty book is not uploaded', async (world) => {
  const error = await world.service
    .upload(bookOf(world, 0), { signal: never, sent: () => {} })
    .catch((error: unknown) => error);
  assert.instance(error, UnfitFileError);
  assert.match((error as Error).message, /book\.pdf is empty/);
  assert.is(world.api.requests().length, 0);
});

test('a book that cannot be processed says why', async (world) => {
  const api = await startDocumentApi({ looks: 0, failure: 'The document has no pages.' });
  const service = createGeminiService({ key: KEY, baseUrl: api.url });
  const { name } = await service.upload(bookOf(world, 10), { signal: never, sent: () => {} });
  const { state, error } = await service.look(name, never);
  assert.equal([state, error], ['FAILED', 'The document has no pages.']);
  await api.close();
});

test('a turn has its key in a header, no tools, a temperature only when asked for, and its history as it was answered', async (world) => {
  const book = await active(world);
  const one = await world.service.ask(asking([first(book)]));
  assert.match(one.text, /^## Section 1: /);
  assert.not.match(one.text, /What is in section/);
  assert.equal([one.finishReason, one.blockReason, one.modelVersion], ['STOP', null, 'gemini-2.5-pro']);
  assert.equal(one.usage, { input: 1001, output: one.usage!.output, thoughts: 5, cached: 900 });
  const odd = { text: 'unknown to the SDK', newField: { deep: [1] } };
  const two = await world.service.ask({ ...asking([first(book), one.content!, next]), temperature: 0.5 });
  assert.match(two.text, /^## Section 2: /);
  await failureOf(world.service.ask(asking([first(book), { role: 'model', parts: [odd] }, next])));
  const [asked, askedNext, askedOdd] = world.api.requests('ask');
  assert.equal(asked!.turn!.body.tools, []);
  assert.equal(asked!.turn!.body.generationConfig?.temperature, undefined);
  assert.is(askedNext!.turn!.body.generationConfig?.temperature, 0.5);
  assert.is(asked!.turn!.body.systemInstruction!.parts![0]!.text, 'Distil.');
  assert.equal(askedNext!.turn!.body.contents![1]!.parts, one.content!.parts as never);
  assert.equal(askedOdd!.turn!.body.contents![1]!.parts, [odd] as never);
  assert.is(asked!.key, KEY);
  assert.not.ok(world.api.requests().some(({ path }) => path.includes(KEY)));
});

test('the file part goes in either shape', async (world) => {
  const { uri, mimeType } = await active(world);
  const contents: TurnContent[] = [{ role: 'user', parts: [{ file_data: { file_uri: uri, mime_type: mimeType } }] }];
  assert.match((await world.service.ask(asking(contents))).text, /^## Section 1: /);
});

/** What is known of each failure: status, the wait asked for, nobody there, its message. */
const FAILURES: [FaultName, number | null, number | null, boolean, RegExp][] = [
  ['429-retry-info', 429, 50, false, /^the service answered 429 RESOURCE_EXHAUSTED: You exceeded your current quota/],
  ['429-retry-after', 429, 0, false, /429 RESOURCE_EXHAUSTED/],
  ['500', 500, null, false, /500 INTERNAL: An internal error/],
  ['503', 503, null, false, /503 UNAVAILABLE: The model is overloaded/],
  ['502-html', 502, null, false, /^the service answered 502: 502 Bad Gateway$/],
  ['bad-key', 400, null, false, /400 INVALID_ARGUMENT: API key not valid/],
  ['file-400', 400, null, false, /FAILED_PRECONDITION: Unsupported file uri/],
  ['file-403', 403, null, false, /PERMISSION_DENIED/],
  ['redirect', 302, null, false, /leads elsewhere, where the key is not taken/],
  ['empty', 200, null, false, /^the service answered 200 without a word$/],
  ['html', 200, null, false, /^the service answered 200 with something else than JSON$/],
  ['reset', null, null, true, /^the line to 127\.0\.0\.1:\d+ broke \(ECONNRESET\)$/],
  ['cut', null, null, true, /^the line to 127\.0\.0\.1:\d+ broke \(UND_ERR_SOCKET\)$/],
  ['unfinished', null, null, true, /^the answer broke off before its end$/],
];

test('each failure keeps what is known of it, is asked once, and does not name the key', async (world) => {
  const book = await active(world);
  for (const [fault, status, wait, offline, message] of FAILURES) {
    const before = world.api.requests('ask').length;
    world.api.script('ask', [fault]);
    const failed = await failureOf(world.service.ask(asking([first(book)])));
    assert.equal([failed.status, failed.retryAfterMs, failed.offline], [status, wait, offline], fault);
    assert.match(failed.message, message, fault);
    assert.is(world.api.requests('ask').length, before + 1, fault);
    assert.not.ok(`${failed.stack}${failed.body}`.includes(KEY), fault);
  }
});

const ANSWERS: [FaultName, finishReason: string | null, blockReason: string | null, content: boolean][] = [
  ['max-tokens', 'MAX_TOKENS', null, true],
  ['safety', 'SAFETY', null, false],
  ['recitation', 'RECITATION', null, false],
  ['blocked', null, 'PROHIBITED_CONTENT', false],
];

test('an answer that was cut or blocked is an answer that says so', async (world) => {
  const book = await active(world);
  for (const [fault, finishReason, blockReason, content] of ANSWERS) {
    world.api.script('ask', [fault]);
    const answer = await world.service.ask(asking([first(book)]));
    assert.equal(
      [answer.finishReason, answer.blockReason, answer.content !== null],
      [finishReason, blockReason, content],
      fault,
    );
  }
});

/** Much longer than an answer takes to arrive, also on a busy machine. */
const GIVEN_UP_MS = 3_000;

test('an answer that arrived whole counts, whether its connection breaks, stays open, or is given up', async (world) => {
  const book = await active(world);
  const text = ({ text }: { text: string }) => text;
  const whole = await world.service.ask(asking([first(book)])).then(text);
  world.api.script('ask', ['broken-after', 'open-after', 'open-after']);
  assert.is(await world.service.ask(asking([first(book)])).then(text), whole);
  const impatient = createGeminiService({ key: KEY, baseUrl: world.api.url, maxSilenceMs: GIVEN_UP_MS });
  assert.is(await impatient.ask(asking([first(book)])).then(text), whole);
  assert.is(await world.service.ask(asking([first(book)], AbortSignal.timeout(GIVEN_UP_MS))).then(text), whole);
  assert.is(world.api.requests('ask').length, 4);
});

test('silence is given up after a time, and an abort at once', async (world) => {
  const book = await active(world);
  const impatient = createGeminiService({ key: KEY, baseUrl: world.api.url, maxSilenceMs: 50 });
  world.api.script('ask', ['silence', 'silence']);
  const failed = await failureOf(impatient.ask(asking([first(book)])));
  assert.match(failed.message, /^nothing was heard of 127\.0\.0\.1:\d+ for 0\.05 s$/);
  assert.ok(failed.offline);
  const aborting = new AbortController();
  const asked = world.service.ask(asking([first(book)], aborting.signal));
  aborting.abort(new Error('paused'));
  assert.is(await asked.catch((error: Error) => error.message), 'paused');
});

test('nobody there is told from a refusal', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const service = createGeminiService({ key: KEY, baseUrl: `http://127.0.0.1:${port}` });
  const { offline, message } = await failureOf(service.look('files/x', never));
  assert.ok(offline);
  assert.is(message, `127.0.0.1:${port} was not reached: no server listens there (ECONNREFUSED)`);
});

test('a key or an address that cannot be one is refused without being shown', () => {
  for (const key of ['', 'secret\n', 'sec ret', 'sécret']) {
    const message = thrownBy(() => createGeminiService({ key, baseUrl: null }));
    assert.match(message, /API key/);
    assert.not.match(message, /secret|sec ret|sécret/);
  }
  for (const baseUrl of ['nowhere', 'file:///x', 'http://user:word@host/', 'http://host/?key=1'])
    assert.match(
      thrownBy(() => createGeminiService({ key: KEY, baseUrl })),
      /not a plain address/,
      baseUrl,
    );
});

function thrownBy(made: () => unknown): string {
  try {
    made();
  } catch (error) {
    assert.instance(error, ServiceFailure);
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

test.run();
