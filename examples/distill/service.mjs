// As much of the Gemini API as the example needs, on the loopback: it takes the book, and answers section by section from answers.mjs.
import { createServer } from 'node:http';
import { ANSWERS } from './answers.mjs';

const FILE = 'files/example';

/** @returns its address, and how it is closed. */
export async function startService() {
  let hasFailed = false;
  const server = createServer(async (request, response) => {
    const { port } = server.address();
    const base = `http://127.0.0.1:${port}`;
    const url = new URL(request.url, base);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === null ? '' : JSON.stringify(body));
    };
    const file = {
      name: FILE,
      uri: `${base}/v1beta/${FILE}`,
      mimeType: 'text/plain',
      state: 'ACTIVE',
      expirationTime: new Date(Date.now() + 48 * 3_600_000).toISOString(),
    };
    if (url.pathname === '/upload/v1beta/files') {
      if (request.headers['x-goog-upload-command'] === 'start')
        send(200, null, {
          'x-goog-upload-url': `${base}/upload/v1beta/files?upload_id=example`,
          'x-goog-upload-status': 'active',
        });
      else send(200, { file }, { 'x-goog-upload-status': 'final' });
    } else if (url.pathname === `/v1beta/${FILE}`) send(200, file);
    else if (url.pathname.endsWith(':streamGenerateContent')) {
      const { contents } = JSON.parse(Buffer.concat(chunks).toString());
      const answered = contents.filter(({ role }) => role === 'model').length;
      // Once, in the middle, so that a retry is to be seen.
      if (answered === 1 && !hasFailed) {
        hasFailed = true;
        send(503, {
          error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' },
        });
        return;
      }
      const text = ANSWERS[answered] ?? '<end_of_book>';
      const answer = {
        candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1500 + 200 * answered, candidatesTokenCount: Math.ceil(text.length / 4) },
        modelVersion: 'gemini-2.5-flash-lite',
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(answer)}\n\n`);
    } else send(404, { error: { code: 404, message: `${url.pathname} is not in the example`, status: 'NOT_FOUND' } });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
