// The end of a run or a batch whose endpoint of traces takes nothing: it is as it is, soon over, and told in one line; that of a supervised task sends its turns.

import * as assert from 'uvu/assert';
import { type Collecting, collectorIn, collectorSuite, LOOK } from '../../rig/collector-suite.ts';
import { openCollector } from '../../rig/otlp.ts';
import { answerWith } from '../../rig/streams.ts';
import { play, superviseTask } from '../../rig/supervise-run.ts';
import { makeTask } from '../../rig/task-run.ts';

const test = collectorSuite('an endpoint of traces at the end');

/** At a run's end, without a time of the user's. */
const LOST: [what: string, endpointOf: (context: Collecting) => Promise<string>, why: RegExp][] = [
  ['never answers', async (context) => (await collectorIn(context, () => {})).endpoint, /no answer within 2 s/],
  [
    'is down',
    async () => {
      const collector = await openCollector();
      await collector.close();
      return collector.endpoint;
    },
    /ECONNREFUSED/,
  ],
  ['has no address', async () => 'http://collector.invalid:4318', /ENOTFOUND|EAI_AGAIN|no answer within 2 s/],
];
for (const [what, endpointOf, why] of LOST)
  test(`a run's end at an endpoint that ${what}: the run is as it is, and one line says it once`, async (context) => {
    const { rig } = context;
    rig.answer(() => answerWith('codex', 'Fine.'));
    for (const id of ['a', 'b']) makeTask(rig, { stages: [LOOK] }, id);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await endpointOf(context) };
    const { code, stderr } = await rig.run('tollgate', ['batch', 'a', 'b'], { env });
    assert.is(code, 0);
    const lines = stderr.split('\n').filter((line) => line.includes('the traces were not sent'));
    assert.is(lines.length, 1, stderr);
    assert.match(lines[0]!, why);
    assert.match(lines[0]!, /; tollgate trace TASK sends them later$/);
  });

test('an endpoint that is overloaded is not asked for longer than it may take', async (context) => {
  const { rig } = context;
  rig.answer(() => answerWith('codex', 'Fine.'));
  makeTask(rig, { stages: [LOOK] });
  const collector = await collectorIn(context, (response) => response.writeHead(503, { 'retry-after': '60' }).end());
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix'], { env });
  assert.is(code, 0);
  assert.match(
    stderr,
    /the traces were not sent to .*: it is overloaded or not ready, and asks for another time; tollgate trace/,
  );
  assert.is(collector.received.length, 1);
});

const TURN = [
  ['stage worker', 'invoke_workflow fix'],
  ['invoke_agent codex', 'stage worker'],
  ['stage reasoner', 'invoke_workflow fix'],
  ['invoke_agent gemini', 'stage reasoner'],
];

test('a supervised task sends its turns, worker and reasoner by turns, each with its call', async (context) => {
  const { rig } = context;
  play(rig, [
    { action: 'continue', instruction: 'Now the tests.' },
    { action: 'done', summary: 'All of it.' },
  ]);
  superviseTask(rig);
  const collector = await collectorIn(context);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  const { code, stderr } = await rig.run('tollgate', ['supervise', 'fix'], { env });
  const spans = collector.spans();
  assert.is(code, 0, stderr);
  const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  assert.equal(
    spans.map(({ name, parentSpanId }) => [name, nameOf.get(parentSpanId ?? '')]),
    [['invoke_workflow fix', undefined], ...TURN, ...TURN],
  );
});

test.run();
