// Tests that the document service on the loopback refuses what the real one refuses.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DocumentApi, startDocumentApi } from './document-api.ts';

const KEY = 'test-key';
const test = suite<{ api: DocumentApi }>('document API');

test.before.each(async (world) => {
  world.api = await startDocumentApi({ looks: -1, granularity: 4 });
});
test.after.each(({ api }) => api.close());

const post = (url: string, headers: Record<string, string>, body: string | null = null) =>
  fetch(url, { method: 'POST', headers: { 'x-goog-api-key': KEY, ...headers }, body });

async function started({ url }: DocumentApi, length: number): Promise<string> {
  const headers = { 'x-goog-upload-command': 'start', 'x-goog-upload-header-content-length': String(length) };
  const { headers: said } = await post(`${url}/upload/v1beta/files`, headers, '{}');
  const named = new URL(said.get('x-goog-upload-url')!);
  return `${url}${named.pathname}${named.search}`;
}

const piece = (to: string, at: number, text: string, command = 'upload') =>
  post(to, { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(at) }, text);

async function uploaded(api: DocumentApi): Promise<string> {
  const answered = await piece(await started(api, 4), 0, 'book', 'upload, finalize');
  return ((await answered.json()) as { file: { uri: string } }).file.uri;
}

const user = (...parts: object[]) => ({ role: 'user', parts });
const fileIn = (fileUri: string) => ({ fileData: { fileUri } });
const NEXT = user({ text: 'Next' });

const ask = async ({ url }: DocumentApi, body: object, key = KEY) => {
  const answered = await post(
    `${url}/v1beta/models/m:generateContent`,
    { 'x-goog-api-key': key },
    JSON.stringify(body),
  );
  return { status: answered.status, said: (await answered.json()) as Record<string, never> };
};

test('pieces go where they stand, in the sizes that are asked for, and all of them before the end', async ({ api }) => {
  const to = await started(api, 10);
  assert.is((await piece(to, 4, 'abcd')).status, 400, 'a hole');
  assert.is((await piece(to, 0, 'abc')).status, 400, 'no multiple of the granularity');
  assert.is((await piece(to, 0, 'abcd', 'upload, finalize')).status, 400, 'not all of it');
  assert.is((await piece(to, 0, 'abcd')).headers.get('x-goog-upload-status'), 'active');
  const asked = await post(to, { 'x-goog-upload-command': 'query' });
  assert.is(asked.headers.get('x-goog-upload-size-received'), '4');
  assert.is((await piece(to, 4, 'efghij', 'upload, finalize')).headers.get('x-goog-upload-status'), 'final');
  assert.is((await piece(to, 10, 'k')).status, 404, 'it is over');
  assert.is([...api.files.stored.values()][0]!.sizeBytes, 10);
});

test('a turn is refused whose file, history or tools are not as they should be', async ({ api }) => {
  const uri = await uploaded(api);
  const first = user(fileIn(uri), { text: 'The first section.' });
  const { said } = await ask(api, { contents: [first], tools: [] });
  const [{ content }] = said.candidates as unknown as [{ content: { role: string; parts: object[] } }];
  const refusals: [string, object, number, key?: string][] = [
    ['taken', { contents: [first, content, NEXT], tools: [] }, 200],
    ['a wrong key', { contents: [first], tools: [] }, 400, 'another'],
    ['no tools', { contents: [first] }, 400],
    ['two of the user', { contents: [first, NEXT, NEXT], tools: [] }, 400],
    ['a model last', { contents: [first, content], tools: [] }, 400],
    ['no file', { contents: [NEXT], tools: [] }, 400],
    ['the file once more', { contents: [first, content, user(fileIn(uri))], tools: [] }, 400],
    ['an unknown file', { contents: [user(fileIn(`${uri}x`))], tools: [] }, 403],
    [
      'a lost signature',
      { contents: [first, { ...content, parts: content.parts.slice(0, -1) }, NEXT], tools: [] },
      400,
    ],
  ];
  for (const [what, body, status, key] of refusals) assert.is((await ask(api, body, key)).status, status, what);
  api.files.expire();
  assert.is((await ask(api, { contents: [first], tools: [] })).status, 403, 'expired');
  assert.equal(
    api.paid().map(({ section, whole }) => [section, whole]),
    [
      [1, true],
      [2, true],
    ],
  );
});

test('a file that is still processed is refused, and one that is deleted is unknown', async () => {
  const api = await startDocumentApi({ looks: 0, granularity: 4 });
  const uri = await uploaded(api);
  const body = { contents: [user(fileIn(uri))], tools: [] };
  assert.is((await ask(api, body)).status, 400);
  const look = () => fetch(uri, { headers: { 'x-goog-api-key': KEY } });
  assert.is(((await (await look()).json()) as { state: string }).state, 'ACTIVE');
  assert.is((await ask(api, body)).status, 200);
  await fetch(uri, { method: 'DELETE', headers: { 'x-goog-api-key': KEY } });
  assert.is((await look()).status, 403);
  await api.close();
});

test('a section that nobody asks for is not waited for without end', async ({ api }) => {
  const waited = await api.asked(9, 10).catch((error: Error) => error.message);
  assert.is(waited, 'section 9 was not asked for in 10 ms');
});

test.run();
