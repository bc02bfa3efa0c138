// Secrets of which each event of a stream holds a piece, as each CLI streams what its model says; and what hides them.

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAcrossEvents } from '../../../policies/redact/across-events.ts';
import { createRedactor, createStreamRedactor } from '../../../policies/redact/create-redactor.ts';

const test = suite('across events');

const ENV = { env: { A_TOKEN: 'open sesame' }, patterns: ['ACME \\w+'] };
const KEY = 'sk-ant-api03-aBcD1234eFgH5678iJkL9012';
const PEM = `-----BEGIN PRIVATE KEY-----\n${'aBcD1234eFgH5678'.repeat(4)}\n${'aBcD1234eFgH5678'.repeat(4)}\n-----END PRIVATE KEY-----`;

function stream(text: string, size = text.length): string {
  const redacting = createStreamRedactor(createRedactor(ENV));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(redacting.write(text.slice(at, at + size)));
  return pieces.join('') + redacting.end();
}

let number = 0;
const envelope = () => {
  number += 1;
  return { id: `e${number}`, timestamp: '2026-01-01T00:00:00.000Z', parentId: `e${number - 1}` };
};
/** As it is read from a line. */
type Event = Record<string, string> & { type?: string; data: Record<string, string>; params: Record<string, string> };
type Kind = { event: (text: string, message?: string) => object; textOf: (event: Event) => string };
const KINDS: Record<string, Kind> = {
  'gemini: a message': {
    event: (content) => ({ type: 'message', timestamp: 'x', role: 'assistant', content, delta: true }),
    textOf: ({ content }) => content!,
  },
  'copilot: a message': {
    event: (deltaContent, messageId = 'm1') => ({
      type: 'assistant.message_delta',
      data: { messageId, deltaContent },
      ephemeral: true,
      ...envelope(),
    }),
    textOf: ({ data }) => data.deltaContent!,
  },
  'copilot: what a tool is called with': {
    event: (inputDelta, toolCallId = 'm1') => ({
      type: 'assistant.tool_call_delta',
      data: { toolCallId, toolName: 'bash', toolType: 'function', inputDelta },
      ...envelope(),
    }),
    textOf: ({ data }) => data.inputDelta!,
  },
  'copilot: what a tool prints': {
    event: (partialOutput, toolCallId = 'm1') => ({
      type: 'tool.execution_partial_result',
      data: { toolCallId, partialOutput },
      ...envelope(),
    }),
    textOf: ({ data }) => data.partialOutput!,
  },
  'codex: a message of its server': {
    event: (delta, itemId = 'm1') => ({ method: 'item/agentMessage/delta', params: { threadId: 't', itemId, delta } }),
    textOf: ({ params }) => params.delta!,
  },
  'an event without a type': { event: (delta) => ({ delta }), textOf: ({ delta }) => delta! },
};

const lines = (events: readonly object[]) => `${events.map((event) => JSON.stringify(event)).join('\n')}\n`;
const parsed = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);

for (const [name, { event, textOf }] of Object.entries(KINDS)) {
  test(`${name}: a key in pieces, cut at any place`, () => {
    for (const [secret, kind] of [
      [KEY, 'anthropic_key'],
      ['open sesame', 'A_TOKEN'],
      ['ACME Corporation', 'pattern'],
      [PEM, 'private_key'],
    ] as const) {
      const said = `It is "${secret}", I think.`;
      const [begin, end] = [said.indexOf(secret), said.indexOf(secret) + secret.length];
      for (let at = begin + 1; at < end; at += secret.length > 60 ? 17 : 1) {
        const text = stream(lines([event(said.slice(0, at)), event(said.slice(at))]), 50);
        assert.is(parsed(text).map(textOf).join(''), `It is "[REDACTED:${kind}]", I think.`);
      }
    }
  });

  test(`${name}: a key letter by letter, with other events between`, () => {
    const other = { type: 'model.call_start', data: { turnId: '1' } };
    const events = [...`see ${KEY} there`].flatMap((letter) => [event(letter), other]);
    const told = parsed(stream(lines(events), 997));
    assert.is(told.length, events.length);
    assert.is(
      told
        .filter(({ type }) => type !== other.type)
        .map(textOf)
        .join(''),
      'see [REDACTED:anthropic_key] there',
    );
  });
}

test('messages that come at the same time are told apart', () => {
  const { event, textOf } = KINDS['copilot: a message']!;
  const [one, two] = [KEY.slice(0, 20), KEY.slice(20)];
  const events = [event(one, 'a'), event('sk-', 'b'), event(two, 'a'), event('learn is fine', 'b')];
  assert.equal(parsed(stream(lines(events))).map(textOf), ['[REDACTED:anthropic_key]', 'sk-', '', 'learn is fine']);
});

test('events without a secret stay as they came, to the byte', () => {
  const { event } = KINDS['copilot: a message']!;
  const text = lines(Array.from({ length: 300 }, (_, i) => event(`word ${i}, `))).replaceAll('":', '" : ');
  assert.is(stream(text, 1000), text);
  const odd = '{"delta":"a"\n{"delta":\n\n not json delta\n{"type":"delta","data":[1]}\n{"delta":"\\ud800"}\n';
  assert.is(stream(odd, 7), odd);
});

test('what is held back is bounded, and a key on the border of what goes out is found', () => {
  const { event, textOf } = KINDS['gemini: a message']!;
  const redacting = createStreamRedactor(createRedactor(ENV));
  const said = `word ${KEY.slice(0, 15)}`;
  const pair = lines([event(said), event(`${KEY.slice(15)} and `)]);
  let [given, told, most] = [0, '', 0];
  for (let i = 0; i < 20_000; i += 1) {
    given += pair.length;
    told += redacting.write(pair);
    most = Math.max(most, given - told.length);
  }
  assert.ok(most < 3 * 1024 * 1024, `${most} characters were held back`);
  told += redacting.end();
  assert.is(parsed(told).map(textOf).join(''), 'word [REDACTED:anthropic_key] and '.repeat(20_000));
});

test('no piece of a key is told, however a text is cut into events and chunks', () => {
  const part = fc.constantFrom(KEY, 'open sesame', 'ACME Corp', ' ', 'word', '"', '\n', '\\', 'é');
  const kind = fc.constantFrom(...Object.values(KINDS));
  fc.assert(
    fc.property(
      kind,
      fc.array(part, { maxLength: 10 }),
      fc.array(fc.nat(12), { maxLength: 60 }),
      fc.integer({ min: 1, max: 400 }),
      ({ event, textOf }, parts, sizes, size) => {
        const said = parts.join(' ');
        const events: object[] = [];
        let from = 0;
        for (const length of sizes) {
          events.push(event(said.slice(from, from + length)));
          from += length;
        }
        events.push(event(said.slice(from)));
        assert.is(
          parsed(stream(lines(events), size))
            .map(textOf)
            .join(''),
          createRedactor(ENV).redact(said),
        );
      },
    ),
    { numRuns: 400 },
  );
});

const { redact } = createRedactor(ENV);
const HIDDEN: [what: string, text: string, redacted: string][] = [
  ['escapes of JSON', `{"a":"\\u0073k-ant-api03-aBcD1234eFgH5678iJkL9012"}`, '{"a":"[REDACTED:anthropic_key]"}'],
  [
    'slashes that are escaped',
    '{"a":"postgres:\\/\\/jo:hunter22@db"}',
    '{"a":"postgres://jo:[REDACTED:url_password]@db"}',
  ],
  ['colours', `see \x1b[1msk-ant-\x1b[31mapi03-aBcD1234eFgH5678\x1b[0m`, 'see [REDACTED:anthropic_key]'],
  [
    'colours in JSON',
    `{"a":"sk-ant-\\u001b[31mapi03-aBcD1234eFgH5678\\u001B[0m b"}`,
    '{"a":"[REDACTED:anthropic_key] b"}',
  ],
];
for (const [what, text, expected] of HIDDEN)
  test(`what ${what} hide is found`, () => {
    assert.is(redact(`one\n${text}\ntwo`), `one\n${expected}\ntwo`);
    assert.is(stream(`one\n${text}\ntwo`, 9), `one\n${expected}\ntwo`);
  });

test('escapes and colours that hide nothing stay, beside a secret too', () => {
  for (const text of ['\x1b[31mred\x1b[0m', '{"a":"\\u003cb\\u003e \\\\u0073k \\u0022 \\u005c"}', 'C:\\/x \\\\\\/'])
    assert.is(redact(text), text);
  assert.is(redact(`\x1b[31m ${KEY} \x1b[0m`), '\x1b[31m [REDACTED:anthropic_key] \x1b[0m');
});

test('what reaches the end of what is held may continue, and is taken out whole once it has', () => {
  const across = createAcrossEvents((text) =>
    [...text.matchAll(/zz[0-9]+/g)].map(({ index, 0: found }) => ({
      from: index,
      to: index + found.length,
      kind: 'own',
    })),
  );
  const line = (content: string, timestamp = 'x') =>
    `${JSON.stringify({ type: 'message', timestamp, role: 'assistant', content, delta: true })}\n`;
  // More than is held: the first goes out, of which the secret is no part.
  const written =
    across.write(line('before ', 'x'.repeat(600 * 1024)) + line('zz12') + line('34', 'x'.repeat(450 * 1024))) +
    across.write(line('56')) +
    across.end();
  const said = written
    .trim()
    .split('\n')
    .map((one) => (JSON.parse(one) as { content: string }).content);
  assert.is(said.join(''), 'before [REDACTED:own]');
});

test.run();
