// tollgate trace, and the end of a run that sends its own: to a real receiver of OTLP, and to endpoints that do not take it.

import * as assert from 'uvu/assert';
import { collectorIn, collectorSuite, LOOK } from '../../rig/collector-suite.ts';
import { type Collector, openCollector } from '../../rig/otlp.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { makeTask } from '../../rig/task-run.ts';
import type { TestRig } from '../../rig/test-rig.ts';

const test = collectorSuite('tollgate trace');
const ESCAPE = '\u001b[31mred\u001b]0;title\u0007';

/** Its first call meets an overload, its second answers. */
function overloadedOnce(rig: TestRig): void {
  rig.answer(() =>
    rig.calls.length === 1
      ? failWith('codex', 'unexpected status 503 Service Unavailable: overloaded', 503)
      : answerWith('codex', `Fine. ${ESCAPE} sk-ant-api03-${'a'.repeat(93)}AA`),
  );
}

test('runs, stages and calls arrive as a tree by the conventions; the same ids once more, and no texts', async (context) => {
  const { rig } = context;
  overloadedOnce(rig);
  makeTask(rig, { stages: [LOOK] });
  assert.is((await rig.run('tollgate', ['run', 'fix'])).code, 0);
  const collector = await collectorIn(context);
  const env = {
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hidden-word-1',
    OTEL_SERVICE_NAME: 'nightly',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const send = () => rig.run('tollgate', ['trace', 'fix', '--endpoint', collector.endpoint], { env });
  const first = await send();
  assert.equal(first, {
    code: 0,
    signal: null,
    stdout: `Sent 4 spans in 1 trace to ${collector.endpoint}\n`,
    stderr: '',
  });
  const [{ headers, method }] = collector.received as [Collector['received'][number]];
  assert.equal([method, headers.authorization], ['POST', 'Bearer hidden-word-1']);
  assert.is(collector.resource()['service.name'], 'nightly');
  assert.is(collector.resource()['deployment.environment.name'], 'test');
  const spans = collector.spans();
  const [run, stage, failed, answered] = spans;
  assert.equal(
    spans.map(({ name, kind, parentSpanId }) => [name, kind, parentSpanId]),
    [
      ['invoke_workflow fix', 1, undefined],
      ['stage look', 1, run!.spanId],
      ['invoke_agent codex', 3, stage!.spanId],
      ['invoke_agent codex', 3, stage!.spanId],
    ],
  );
  assert.is(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  assert.equal(failed!.status, { code: 2, message: failed!.attributes['error.type'] });
  assert.match(String(failed!.attributes['error.type']), /^transient\//);
  const { attributes } = answered!;
  assert.equal(
    Object.fromEntries(
      ['operation.name', 'provider.name', 'agent.name', 'usage.input_tokens', 'usage.output_tokens'].map((name) => [
        name,
        attributes[`gen_ai.${name}`],
      ]),
    ),
    {
      'operation.name': 'invoke_agent',
      'provider.name': 'openai',
      'agent.name': 'codex',
      'usage.input_tokens': 11,
      'usage.output_tokens': 7,
    },
  );
  assert.ok(attributes['gen_ai.conversation.id']);
  assert.equal([attributes['tollgate.attempt'], answered!.status.code], [2, 0]);
  assert.equal(
    [failed!, stage!].map(({ events }) => events.map(({ name }) => name)),
    [['verdict'], ['decision', 'gate', 'done']],
  );
  assert.ok(spans.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)));
  assert.not.match(collector.received[0]!.body, /gen_ai\.(?:input|output)\.messages|Find out/);
  await send();
  assert.equal(collector.spans().slice(4), spans);
});

test('--content tells prompts and answers, without secrets and without what a terminal obeys', async (context) => {
  const { rig } = context;
  overloadedOnce(rig);
  makeTask(rig, { stages: [LOOK] });
  await rig.run('tollgate', ['run', 'fix']);
  const { stdout } = await rig.run('tollgate', ['trace', 'fix', '--dry-run', '--json', '--content']);
  const { spans, sent } = JSON.parse(stdout) as { sent: boolean; spans: { attributes: Record<string, string> }[] };
  const { attributes } = spans.at(-1)!;
  assert.is(sent, false);
  assert.match(attributes['gen_ai.input.messages']!, /Find out\./);
  assert.match(attributes['gen_ai.output.messages']!, /Fine\..*\[REDACTED:/);
  assert.not.match(stdout, /sk-ant-api03-a|\\u001b|\\u0007/);
});

test('a run sends its own at its end, a second run nothing of the first', async (context) => {
  const { rig } = context;
  rig.answer(() => answerWith('codex', 'Fine.'));
  makeTask(rig, { stages: [LOOK] });
  const collector = await collectorIn(context);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  await rig.run('tollgate', ['run', 'fix'], { env });
  assert.equal(
    collector.spans().map(({ name }) => name),
    ['invoke_workflow fix', 'stage look', 'invoke_agent codex'],
  );
  assert.is(collector.spans()[0]!.attributes['tollgate.state'], 'done');
  await rig.run('tollgate', ['run', 'fix'], { env });
  assert.equal(
    collector
      .spans()
      .slice(3)
      .map(({ name }) => name),
    ['invoke_workflow fix'],
  );
  await rig.run('tollgate', ['run', 'fix'], { env: { ...env, OTEL_SDK_DISABLED: 'true' } });
  assert.is(collector.received.length, 2);
});

test('a batch sends all of its tasks at once', async (context) => {
  const { rig } = context;
  rig.answer(() => answerWith('codex', 'Fine.'));
  for (const id of ['a', 'b']) makeTask(rig, { stages: [LOOK] }, id);
  const collector = await collectorIn(context);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  assert.is((await rig.run('tollgate', ['batch', 'a', 'b'], { env })).code, 0);
  assert.is(collector.received.length, 1);
  assert.equal(
    collector.spans().filter(({ kind, parentSpanId }) => kind === 1 && parentSpanId === undefined).length,
    2,
  );
});

/** None of them takes it, each in its own way. */
const ENDPOINTS: [what: string, answer: Parameters<typeof openCollector>[0], why: string][] = [
  ['answers 500', (response) => response.writeHead(500).end('said: hidden-word-1'), 'it answers 500'],
  [
    'leads elsewhere',
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    'it answers 302, which leads elsewhere and is not followed',
  ],
  [
    'rejects spans',
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"partialSuccess":{"rejectedSpans":"2","errorMessage":"hidden-word-1"}}'),
    'it rejected 2 of 3 spans',
  ],
  ['never answers', () => {}, 'no answer within 0.4 s'],
  ['never ends its answer', (response) => response.writeHead(200).write(' '), 'no answer within 0.4 s'],
];
for (const [what, answer, why] of ENDPOINTS)
  test(`an endpoint that ${what}: the run is as it is, and both name it`, async (context) => {
    const { rig } = context;
    rig.answer(() => answerWith('codex', 'Fine.'));
    makeTask(rig, { stages: [LOOK] });
    const collector = await collectorIn(context, answer);
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/hidden-word-2`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hidden-word-1',
      // Long for an endpoint that answers: the answer decides, however busy the machine is.
      OTEL_EXPORTER_OTLP_TIMEOUT: what.startsWith('never') ? '400' : '30000',
    };
    const run = await rig.run('tollgate', ['run', 'fix'], { env });
    assert.is(run.code, 0);
    assert.ok(
      run.stderr.includes(
        `tollgate: the traces were not sent to ${collector.endpoint}: ${why}; tollgate trace TASK sends them later\n`,
      ),
      run.stderr,
    );
    const traced = await rig.run('tollgate', ['trace', 'fix'], { env });
    assert.equal(traced, {
      code: 1,
      signal: null,
      stdout: '',
      stderr: `tollgate trace: ${collector.endpoint} did not take the traces: ${why}; nothing is lost, the same command sends them again\n`,
    });
    assert.not.match(run.stderr + run.stdout, /hidden-word/);
  });

test('an endpoint that is down', async (context) => {
  const { rig } = context;
  rig.answer(() => answerWith('codex', 'Fine.'));
  makeTask(rig, { stages: [LOOK] });
  await rig.run('tollgate', ['run', 'fix']);
  const collector = await openCollector();
  await collector.close();
  const env = { OTEL_EXPORTER_OTLP_TIMEOUT: '30000' };
  const { code, stderr } = await rig.run('tollgate', ['trace', 'fix', '--endpoint', collector.endpoint], { env });
  assert.is(code, 1);
  assert.match(stderr, /did not take the traces: ECONNREFUSED; nothing is lost/);
});

test('what cannot be sent is refused before anything is', async (context) => {
  const { rig } = context;
  makeTask(rig, { stages: [LOOK] });
  const none = await rig.run('tollgate', ['trace', 'fix']);
  assert.equal([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, /no endpoint: use --endpoint URL, or set OTEL_EXPORTER_OTLP_ENDPOINT/);
  assert.is((await rig.run('tollgate', ['trace', 'nothing', '--dry-run'])).code, 2);
  const empty = await rig.run('tollgate', ['trace', 'fix', '--dry-run']);
  assert.equal([empty.code, empty.stdout], [0, 'no run of it is known\n']);
});

test.run();
