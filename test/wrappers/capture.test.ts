import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import { createCapture } from '../../wrappers/capture.ts';

const capture = (...events: EngineEvent[]) => {
  const builder = createCapture();
  for (const event of events) builder.add(event);
  return builder.result();
};
const piece = (text: string, message: string | null = null): EngineEvent => ({
  how: 'said',
  text,
  whole: false,
  message,
});
const whole = (text: string, message: string | null = null): EngineEvent => ({
  how: 'said',
  text,
  whole: true,
  message,
});
const began = (id: string): EngineEvent => ({ how: 'tool_began', id, name: `tool-${id}` });
const ended = (id: string): EngineEvent => ({ how: 'tool_ended', id, name: null, denied: false });
const turn: EngineEvent = { how: 'turn_began' };
const completed: EngineEvent = { how: 'completed' };

const ANSWERS: [why: string, events: EngineEvent[], answer: string][] = [
  ['pieces follow each other exactly', [piece(' one '), piece('\ntwo\n')], ' one \ntwo\n'],
  ['text before a tool is no answer', [piece('I look. '), began('1'), ended('1'), piece('Done.')], 'Done.'],
  ['nor is text before the result', [began('1'), piece('waiting'), ended('1'), piece('Done.')], 'Done.'],
  ['a tool without a word after it leaves no answer', [piece('I look.'), began('1'), ended('1')], ''],
  ['a tool whose beginning was not told counts too', [piece('I look.'), ended('1'), piece('Done.')], 'Done.'],
  ['a tool may continue while the model speaks', [piece('I look.'), began('1'), piece('Done.')], 'Done.'],
  ['whole messages are parted by a blank line', [whole('One.', 'a'), whole('Two.', 'b')], 'One.\n\nTwo.'],
  ['a whole message was told in pieces before', [piece('hel', 'a'), piece('lo', 'a'), whole('hello', 'a')], 'hello'],
  ['a whole message may continue after its pieces', [piece('hel', 'a'), whole('hello', 'a')], 'hello'],
  ['a cut message continues in the next', [piece('one, ', 'a'), piece('two', 'b'), whole('two', 'b')], 'one, two'],
  ['a message told only as a whole is kept whole', [piece('one, ', 'a'), whole('two', 'b')], 'one, two'],
  ['an empty message parts nothing', [whole('', 'a'), whole('One.', 'b'), whole('', 'c')], 'One.'],
  [
    'what a failed attempt said is no answer',
    [piece('half'), { how: 'retrying', failure: { message: 'x' } }, piece('all')],
    'all',
  ],
];

for (const [why, events, answer] of ANSWERS)
  test(`the answer: ${why}`, () => assert.is(capture(turn, ...events, completed).answer, answer));

test('a call that says nothing leaves nothing but its empty capture', () => {
  assert.equal(capture(), {
    sessionId: null,
    model: null,
    answer: '',
    completed: false,
    failure: null,
    errors: [],
    retrying: null,
    retries: 0,
    denials: [],
    servers: [],
    warnings: [],
    inferred: [],
    turns: null,
    tools: 0,
    unmet: null,
    requests: [],
    usage: {
      api_requests: null,
      turns: null,
      input_tokens: null,
      cached_tokens: null,
      output_tokens: null,
      total_tokens: null,
      usd: null,
    },
  });
});

test('a CLI that gave up is not believed when it reports success', () => {
  const failure = { message: 'Loop detected, stopping execution' };
  const { completed: succeeded, failure: why } = capture(
    turn,
    piece('The same '),
    { how: 'stopped', failure },
    completed,
  );
  assert.equal([succeeded, why], [false, failure]);
});

test('a field that is missing in one line counts only where nothing was said in another', () => {
  const missed: EngineEvent = { how: 'stopped', failure: { message: 'no field' }, unless: 'answered' };
  assert.equal(capture(missed, whole('Done.'), completed).completed, true);
  assert.equal(capture(whole('Done.'), missed, completed).failure, null);
  assert.equal(capture(missed, completed).failure, { message: 'no field' });
  assert.equal(capture(missed, completed).completed, false);
});

test('a terminal failure without words takes those of the last error', () => {
  const erred = (message: string): EngineEvent => ({ how: 'erred', failure: { message, status: 400 } });
  const failed: EngineEvent = { how: 'failed', failure: { message: '' } };
  assert.equal(capture(erred('first'), erred('last'), failed).failure, { message: 'last', status: 400 });
  assert.equal(capture(failed).failure, { message: '' });
  const own: EngineEvent = { how: 'failed', failure: { message: 'own' } };
  assert.equal(capture(erred('first'), own).failure, { message: 'own' });
});

test("a CLI's frame around a failure gives way to the service's own words, told or retried, of the same status", () => {
  const cause = { message: 'Incorrect API key', status: 401, code: 'invalid_api_key' };
  const framed: EngineEvent = { how: 'erred', failure: { message: 'no luck', status: 401 }, framed: true };
  const failed: EngineEvent = { how: 'failed', failure: { message: '' } };
  assert.equal(capture({ how: 'retrying', failure: cause }, framed, failed).failure, cause);
  assert.equal(capture({ how: 'erred', failure: cause }, framed, failed).failure, cause);
  assert.equal(capture({ how: 'erred', failure: { ...cause, status: 500 } }, framed, failed).failure, framed.failure);
  assert.equal(capture(framed, failed).failure, framed.failure);
});

test('an announced retry is counted once, whether or not it is confirmed', () => {
  const cause = { message: 'busy', status: 503 };
  const announced: EngineEvent = { how: 'retrying', failure: cause };
  const confirmed: EngineEvent = { how: 'retrying', failure: { message: '' } };
  const { retries, retrying } = capture(announced, confirmed, announced, confirmed);
  assert.equal([retries, retrying], [2, cause]);
  const alone = capture({ how: 'erred', failure: cause }, confirmed);
  assert.equal([alone.retries, alone.retrying], [1, cause]);
});

test('denied tools are named once each', () => {
  const denied = (id: string, name: string | null): EngineEvent => ({ how: 'tool_ended', id, name, denied: true });
  const { denials, tools } = capture(
    began('1'),
    denied('1', null),
    began('1'),
    denied('1', null),
    denied('2', 'shell'),
  );
  assert.equal([denials.map(({ tool }) => tool), tools], [['tool-1', 'shell'], 3]);
});

test('turns are counted as told, or else by what follows the results', () => {
  const results = [began('1'), began('2'), ended('1'), ended('2')];
  assert.is(capture(turn, ...results, piece('Done.')).turns, 2);
  assert.is(capture(turn, ...results, began('3'), ended('3'), piece('Done.')).turns, 3);
  const told: EngineEvent[] = [turn, { how: 'requested' }, began('1'), ended('1'), began('2'), ended('2')];
  assert.is(capture(...told).turns, 1);
  assert.is(capture(...told, turn, { how: 'requested' }, piece('Done.')).turns, 2);
});

test('totals replace earlier ones, and what is not told stays unknown', () => {
  const { usage } = capture(
    turn,
    { how: 'requested' },
    { how: 'counted', usage: { input_tokens: 5, output_tokens: 1 } },
    { how: 'counted', usage: { input_tokens: 11 } },
  );
  assert.equal(usage, {
    api_requests: 1,
    turns: 1,
    input_tokens: 11,
    cached_tokens: null,
    output_tokens: 1,
    total_tokens: null,
    usd: null,
  });
});

test('an endless stream of warnings, errors and retries is kept in bounds', () => {
  const builder = createCapture();
  for (let i = 0; i < 10_000; i++) {
    builder.add({ how: 'warned', message: `warning ${i}` });
    builder.add({ how: 'erred', failure: { message: `error ${i}` } });
    builder.add({ how: 'tool_ended', id: `${i}`, name: `tool ${i}`, denied: true });
  }
  const { warnings, errors, denials, tools } = builder.result();
  assert.equal([warnings.length, errors.length, denials.length, tools], [50, 50, 50, 10_000]);
  assert.is(errors.at(-1)?.message, 'error 9999');
});

test('nothing that is told after a complete answer changes it, but the count', () => {
  const after: EngineEvent[] = [
    whole('More.', 'b'),
    began('1'),
    { how: 'failed', failure: { message: 'late' } },
    { how: 'counted', usage: { total_tokens: 7 } },
  ];
  const told = capture(turn, whole('One.', 'a'), completed, ...after);
  assert.equal([told.answer, told.completed, told.tools, told.usage.total_tokens], ['One.', true, 0, 7]);
});

test('one use that was denied is one denial, however many events tell of it', () => {
  const denied = { how: 'tool_denied', id: '1', name: 'Bash' } as const;
  assert.equal(capture(denied, { ...denied, rule: 'Bash(ls)' }).denials, [{ tool: 'Bash', rule: null }]);
});

test('sub-agents and tools that end with the call are named, by their last state', () => {
  const agent = (id: string, state: 'working' | 'done' | 'failed') => ({ how: 'sub_agent', id, state }) as const;
  const states = [agent('a', 'working'), agent('b', 'working'), agent('c', 'working'), agent('b', 'done')];
  const ends: EngineEvent = { how: 'completed', endsTools: true };
  const told = capture(turn, ...states, agent('c', 'failed'), began('1'), whole('One.', 'a'), ends);
  assert.equal(told.inferred, [
    'sub-agents that had not finished at the end of the run: 1',
    'sub-agents that failed: 1',
    'tools that had not finished at the end of the run: tool-1',
  ]);
  assert.equal(told.warnings, [], 'the CLI reported none of it');
  assert.equal(capture(turn, agent('a', 'done'), whole('One.', 'a'), ends).inferred, []);
  const many = Array.from({ length: 103 }, (_, n) => agent(`${n}`, 'done'));
  const nested = { ...agent('0', 'working'), unlessKnown: true } as const;
  assert.equal(capture(turn, ...many, nested, whole('One.', 'a'), ends).inferred, [
    'the requests and tokens of 3 sub-agents are not counted: the call had too many',
  ]);
});

test('an answer of which a part is lost is no success', () => {
  const builder = createCapture(undefined, 10);
  for (const event of [turn, whole('0123456789'), whole('and more'), completed]) builder.add(event);
  const told = builder.result();
  assert.equal([told.completed, told.failure?.code], [false, 'answer_too_large']);
});

test.run();
