// A status of gRPC, as each language writes it; as the only word it decides.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { triage } from '../../../loops/report/triage.ts';
import { grpcCodeIn } from '../../../policies/facts/engine-failure.ts';
import { NOW } from '../replay.ts';

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
