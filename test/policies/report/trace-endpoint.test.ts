// Where traces go, by a flag and by OpenTelemetry's variables.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sendsByItself, traceEndpoint } from '../../../policies/report/trace-endpoint.ts';

const ALL = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

for (const [given, environment, url] of [
  [null, { [ALL]: 'http://c:4318' }, 'http://c:4318/v1/traces'],
  [null, { [ALL]: 'https://c/otlp/' }, 'https://c/otlp/v1/traces'],
  [null, { [ALL]: 'http://c:4318', [TRACES]: 'http://t/in?x=1' }, 'http://t/in?x=1'],
  ['http://f:1', { [ALL]: 'http://c', [TRACES]: 'http://t/in' }, 'http://f:1/v1/traces'],
  ['http://f:1/v1/traces', {}, 'http://f:1/v1/traces'],
] as [string | null, Record<string, string>, string][])
  test(`${given ?? ''} ${JSON.stringify(environment)}: ${url}`, () => {
    assert.equal(traceEndpoint(given, environment), { how: 'found', url, shown: new URL(url).origin });
  });

for (const [given, environment, message] of [
  ['', {}, /^--endpoint is empty$/],
  ['localhost', {}, /^--endpoint is not an http or https address$/],
  [null, { [ALL]: 'ftp://c' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is not an http/],
  [null, { [TRACES]: 'http://user:hidden@c' }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT holds a user or a password/],
  [null, { [ALL]: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /is grpc, and traces go over HTTP alone/],
] as [string | null, Record<string, string>, RegExp][])
  test(`${given ?? ''} ${JSON.stringify(environment)} is refused`, () => {
    const found = traceEndpoint(given, environment);
    assert.match(found.how === 'invalid' ? found.message : '', message);
    assert.not.match(JSON.stringify(found), /hidden/);
  });

test('a run sends by itself where an endpoint is named and nothing switches it off', () => {
  const named = { [ALL]: 'http://c' };
  assert.equal(traceEndpoint(null, { [ALL]: '' }), { how: 'none' });
  assert.equal(
    [{}, { [ALL]: '' }, named, { ...named, OTEL_SDK_DISABLED: 'TRUE' }, { ...named, OTEL_TRACES_EXPORTER: 'none' }].map(
      sendsByItself,
    ),
    [false, false, true, false, false],
  );
});

test.run();
