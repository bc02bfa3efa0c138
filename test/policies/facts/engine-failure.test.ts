import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { triage } from '../../../loops/report/triage.ts';
import { grpcCodeIn, readFailure } from '../../../policies/facts/engine-failure.ts';
import { NOW } from '../replay.ts';

const STATUSES: [text: string, status: number | undefined][] = [
  ['unexpected status 401 Unauthorized: no', 401],
  ['exceeded retry limit, last status: 429 Too Many Requests', 429],
  ['Request failed with status code 500', 500],
  ['401 status code (no body)', 401],
  ['HTTP 429: too many requests', 429],
  ['HTTP/1.1 503 Service Unavailable', 503],
  ['Authentication failed with provider at http://127.0.0.1:8080/v1 (HTTP 403).', 403],
  ['API Error: 529 {"type":"error"}', 529],
  ['400 Incorrect API key provided', 400],
  ['retried 5 times (total retry wait time: 5.00 seconds) Last error: 503 The engine is overloaded', 503],
  ['  code: 429,', 429],
  ['<html><head><title>502 Bad Gateway</title></head></html>', 502],
  ['error code: 520', 520],
  ['Error 404 (Not Found)', 404],
  ['Failed to load models: 503', 503],
  ['the upload failed:503', 503],
  ['the server responded with 503', 503],
  ['RateLimitError: 429 You are sending too much', 429],
  ['ApiError: 429 slow down', 429],
  ['ApiError: 502 <!DOCTYPE html>', 502],
  ['Proxy response (407) !== 200 when HTTP Tunneling', 407],
  // No status at all.
  ['src/app.ts:403:11 - error TS2345', undefined],
  ['SyntaxError in build.py, line 401', undefined],
  ['process exited with code 403', undefined],
  ['exit code: 500', undefined],
  ['error returned from database: (code: 522) disk I/O error', undefined],
  ['wrote 429 lines', undefined],
  ['tests: 503 passed, 1 failed', undefined],
  ['listening on 127.0.0.1:500', undefined],
  ['Failed to connect to api.example.test:443', undefined],
  ['error connecting to [2001:db8::1]:443', undefined],
  ['took 404 ms', undefined],
  ['HTTP 200 OK', undefined],
  ['error TS500: no', undefined],
  ['TypeError: 404 items were expected', undefined],
  ['ApiError: 5000 tokens', undefined],
];

for (const [text, status] of STATUSES) test(`status of: ${text}`, () => assert.is(readFailure(text).status, status));

test('JSON is found in the text, and text in the JSON', () => {
  const json = '{"error":{"message":"No.","type":"invalid_request_error","code":"invalid_api_key"}}';
  assert.equal(readFailure(`unexpected status 401 Unauthorized: ${json}, url: http://h/v1`), {
    message: 'unexpected status 401 Unauthorized: No., url: http://h/v1',
    status: 401,
    code: 'invalid_api_key',
    type: 'invalid_request_error',
    details: json,
  });
});

test('colours are removed, also those that JSON escapes', () => {
  const json = String.raw`{"error":{"message":"\u001b[31mNo.\u001b[39m"}}`;
  const { message, status, details } = readFailure(`API Error: \u001b[1;31m401\u001b[0m ${json}`);
  assert.equal([message, status, details], ['API Error: 401 No.', 401, '{"error":{"message":"No."}}']);
});

test('JSON within JSON is opened', () => {
  const inner = JSON.stringify({ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } });
  const { message, status, code } = readFailure(JSON.stringify({ error: { message: inner, code: 503 } }));
  assert.equal([message, status, code], ['Busy.', 503, 'UNAVAILABLE']);
});

test('JSON that is followed by a dump ends at its own brace', () => {
  const { message, status } = readFailure('_ApiError: {"error":{"code":500,"message":"a } b"}}\n  status: 500\n}');
  assert.equal([message, status], ['a } b\n  status: 500\n}', 500]);
});

test('what is broken or no object stays text', () => {
  for (const text of ['{"error":', '{not json}', 'a } b { c', '[1,2]', '', '{"error":{"message":7}}'])
    assert.is(readFailure(text).message, text);
});

test('the classes of a passed-on error are taken off, and the last one is its type', () => {
  assert.equal(readFailure('Error: exception TypeError: fetch failed'), { message: 'fetch failed', type: 'TypeError' });
  assert.equal(readFailure('TerminalQuotaError: spent'), { message: 'spent', type: 'TerminalQuotaError' });
  assert.equal(readFailure('Error: spent'), { message: 'spent' });
});

test('the errors of the system and of TLS are codes', () => {
  for (const code of ['ECONNREFUSED', 'ENOSPC', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'CERT_HAS_EXPIRED', 'E2BIG'])
    assert.is(readFailure(`it failed: ${code} somewhere`).code, code);
  assert.is(readFailure('EVERYTHING is fine').code, undefined);
});

test('what the stream says beside the message wins over the message', () => {
  const failure = readFailure('500 It broke', { status: 503, code: 'model_overloaded', type: 'rate_limit' });
  assert.equal(failure, { message: '500 It broke', status: 503, code: 'model_overloaded', type: 'rate_limit' });
});

// A status of gRPC, as each language writes it; as the only word it decides.

const ROWS: [text: string, code: string | undefined][] = [
  ['rpc error: code = PermissionDenied desc = ', 'PERMISSION_DENIED'],
  ['status = StatusCode.DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED'],
  ['Status(StatusCode="Unavailable", Detail="")', 'UNAVAILABLE'],
  ['status: ResourceExhausted, message: "", details: []', 'RESOURCE_EXHAUSTED'],
  ['14:Endpoint read failed (GRPC::Unavailable)', 'UNAVAILABLE'],
  ['ConnectError: [unauthenticated] no', 'UNAUTHENTICATED'],
  ['grpc-status: 16', 'UNAUTHENTICATED'],
  ['grpc-status: 99', undefined],
  ['status: Done, message: "ok"', undefined],
  ['StatusCode.NONSENSE', undefined],
  ['exit code = 14', undefined],
];
for (const [text, code] of ROWS) test(`${text}: ${code}`, () => assert.is(grpcCodeIn(text), code));

const of = (stderr: string) =>
  triage(
    { tool: 'gemini', exitCode: 1, signal: null, ending: 'exited', stderr, stdout: '' },
    { now: NOW, timeZone: 'UTC' },
  );

const BARE: [word: string, verdict: string][] = [
  ['UNAVAILABLE', 'transient (overloaded)'],
  ['RESOURCE_EXHAUSTED', 'transient (rate_limit)'],
  ['DEADLINE_EXCEEDED', 'transient (server_error)'],
  ['PERMISSION_DENIED', 'auth (not_authorised)'],
  ['UNAUTHENTICATED', 'auth (bad_credentials)'],
  ['INVALID_ARGUMENT', 'tooling (bad_request)'],
  ['NOT_FOUND', 'tooling (not_found)'],
  ['UNIMPLEMENTED', 'tooling (bad_request)'],
  ['CANCELLED', 'transient (server_error)'],
];
for (const [word, verdict] of BARE)
  test(`${word}, and nothing else`, () => {
    const { class: errorClass, reason } = of(`Error: ${word}\n`).verdict;
    assert.is(`${errorClass} (${reason})`, verdict);
  });

const TELLING: [what: string, texts: string[]][] = [
  ['a word', BARE.map(([word]) => `Error: ${word}`)],
  ['a number of gRPC', [7, 8, 14, 16].map((n) => `Error: grpc-status: ${n}`)],
  ['a quoted word', ['Unavailable', 'PermissionDenied'].map((word) => `Status(StatusCode="${word}", Detail="")`)],
  ['a status', [400, 401, 403, 404, 429, 500, 503].map((n) => `${n} status code (no body)`)],
];
for (const [what, texts] of TELLING)
  test(`${what} that is all the difference makes another signature`, () =>
    assert.is(new Set(texts.map((text) => of(`${text}\n`).signature!.signature)).size, texts.length));

test('beside another word it tells less', () => {
  const { class: errorClass, reason } = of(
    'Error: 3 INVALID_ARGUMENT: API key not valid. Please pass a valid API key.\n',
  ).verdict;
  assert.is(`${errorClass} (${reason})`, 'auth (bad_key)');
});

test.run();
