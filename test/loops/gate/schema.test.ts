// Schemas that are none, and answers that do not fit one: where, what was expected, what was found.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkFit as checkFitOn } from '../../../loops/gate/fit.ts';
import { checkSchema } from '../../../loops/gate/schema.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import { createRedactor } from '../../../policies/redact/create-redactor.ts';

const REDACTOR = createRedactor({ env: { A_TOKEN: 'tok-verysecret' }, patterns: [] });
const checkFit = (schema: Record<string, unknown>, value: unknown, chars: number, wallMs = 60_000) =>
  checkFitOn(schema, value, chars, { redact: REDACTOR.redact, stop: new AbortController().signal, wallMs });

const SCHEMA = {
  type: 'object',
  required: ['verdict', 'items'],
  additionalProperties: false,
  properties: {
    verdict: { enum: ['pass', 'fail'] },
    items: {
      type: 'array',
      maxItems: 50,
      items: { type: 'object', properties: { line: { type: 'integer', minimum: 1 } } },
    },
    'a/b': { const: 1 },
  },
};

test('a schema that is one', async () => {
  const rows = [
    {},
    SCHEMA,
    { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{}] },
    { unknown: 1 },
  ];
  const old = ['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-06/schema#'];
  for (const schema of [...rows, ...old.map(($schema) => ({ $schema, items: [{ type: 'string' }] }))])
    assert.is(await checkSchema(schema), null);
});

test('a schema that is none', async () => {
  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 20_000; i++) deep = { not: deep };
  const rows: [schema: Record<string, unknown>, message: string | RegExp][] = [
    [{ type: 'text' }, '/type must be equal to one of the allowed values'],
    [{ properties: { a: { minimum: 'x' } } }, '/properties/a/minimum must be number'],
    [{ pattern: '(' }, /^Invalid regular expression/],
    [{ $ref: 'http://127.0.0.1/x' }, /^can't resolve reference http:\/\/127\.0\.0\.1\/x/],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      '$schema http://json-schema.org/draft-04/schema# is not known; draft 2020-12, 07 and 06 are',
    ],
    [{ $async: true }, '$async is not known'],
    [deep, 'it is nested too deeply'],
  ];
  for (const [schema, message] of rows) {
    const told = await checkSchema(schema);
    if (typeof message === 'string') assert.is(told, message);
    else assert.match(told ?? '', message);
  }
});

const told = async (value: unknown, schema: Record<string, unknown> = SCHEMA) => {
  const { finding } = await checkFit(schema, value, JSON.stringify(value).length);
  return finding === null ? [] : finding.text.replace('the answer does not fit the schema: ', '').split('; ');
};

test('two schemas that bear one name do not meet', async () => {
  for (const type of ['string', 'number'])
    assert.is(await checkSchema({ $id: 'http://127.0.0.1/own', $defs: { a: { $id: 'a', type } }, $ref: 'a' }), null);
});

test('a required name that every object inherits must be in the answer itself', async () => {
  const schema = { type: 'object', required: ['constructor'] };
  assert.is((await told({ a: 1 }, schema)).length, 1);
  assert.equal(await told({ constructor: 1 }, schema), []);
});

test('an answer that fits', async () => {
  assert.equal(await checkFit(SCHEMA, { verdict: 'pass', items: [{ line: 1 }] }, 100), { finding: null, notes: [] });
  assert.equal(await checkFit({ type: 'string', format: 'email' }, 'no mail', 10), {
    finding: null,
    notes: ['formats in the schema are not checked'],
  });
});

test('an answer that does not', async () => {
  const { finding } = await checkFit(
    SCHEMA,
    { verdict: 'maybe', items: [{ line: '1' }, { line: 0 }, 7], more: 1, 'a/b': {} },
    100,
  );
  assert.equal(finding, {
    check: 'schema',
    class: 'contract_violation',
    reason: 'schema_mismatch',
    missing: [
      '/ (additionalProperties)',
      '/verdict (enum)',
      '/items/0/line (type)',
      '/items/1/line (minimum)',
      '/items/2 (type)',
      '/a~1b (const)',
    ],
    text: [
      'the answer does not fit the schema: /: expected no property "more", found one',
      '/verdict: expected one of ["pass","fail"], found "maybe"',
      '/items/0/line: expected integer, found "1"',
      '/items/1/line: expected that it must be >= 1, found 0',
      '/items/2: expected object, found 7',
      '/a~1b: expected 1, found an object',
    ].join('; '),
    next_actions: [],
  });
  assert.equal(await told([]), ['/: expected object, found []']);
  assert.equal(await told({ verdict: 'pass' }), ['/: expected the property "items", found none']);
  assert.equal(await told('x'.repeat(100), { type: ['null', 'number'] }), [
    `/: expected null or number, found "${'x'.repeat(59)}…`,
  ]);
});

test('ten mistakes are told, and of a long answer the first', async () => {
  const items = Array.from({ length: 40 }, () => 'x');
  const messages = await told({ verdict: 'pass', items });
  assert.equal([messages.length, messages.at(-1)], [11, 'and 30 more']);
  const { finding } = await checkFit(SCHEMA, { verdict: 'pass', items }, 100_000);
  assert.equal(finding?.missing, ['/items/0 (type)']);
});

test('an answer that is nested deeper than the check can go', async () => {
  const value = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const { finding } = await checkFit({ type: 'array', items: { $ref: '#' } }, value, 200_000);
  assert.is(finding?.text, 'the answer does not fit the schema: it is nested too deeply to be checked');
});

test('a secret is taken out before anything is cut', async () => {
  const secret = `${'x'.repeat(52)} tok-verysecret`;
  assert.equal(await told(secret, { type: 'number' }), [`/: expected number, found "${'x'.repeat(52)} [REDAC…`]);
  assert.equal(await told(['tok-verysecret'], { type: 'number' }), [
    '/: expected number, found ["[REDACTED:A_TOKEN]"]',
  ]);
});

/** Each further letter doubles the time; this takes hours. */
const ENDLESS = { type: 'string', pattern: '^(a+)+$' };
const LETTERS = `${'a'.repeat(50)}!`;

test('patterns are checked in a process of their own, which says the same', async () => {
  assert.equal(await told('aaa', ENDLESS), []);
  assert.equal(await told('b', ENDLESS), ['/: expected that it must match pattern "^(a+)+$", found "b"']);
  assert.equal(await told(['x', 'x'], { uniqueItems: true }), [
    '/: expected that it must NOT have duplicate items (items ## 0 and 1 are identical), found ["x","x"]',
  ]);
});

test('a pattern that takes for ever is ended', async () => {
  assert.equal((await checkFit(ENDLESS, LETTERS, 100, 200)).finding, {
    check: 'schema',
    class: 'contract_violation',
    reason: 'schema_unchecked',
    missing: ['a look at the schema'],
    text: 'whether the answer fits the schema could not be looked at: it took longer than 0.2 s',
    next_actions: [
      toDo(
        'simplify the schema: a pattern with nested repeats, such as (a+)+, can take forever, and so can many alternatives for each item of a list',
      ),
    ],
  });
});

test('a large schema is compared with a large list in a process of its own, and ended', async () => {
  const schema = { items: { allOf: Array.from({ length: 3000 }, (_, i) => ({ minimum: -i })) } };
  const list = Array<number>(30_000).fill(1);
  assert.is((await checkFit(schema, list, 60_000, 50)).finding?.reason, 'schema_unchecked');
});

test('a stop ends it', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  const asked = { redact: REDACTOR.redact, stop: stop.signal, wallMs: 3_600_000 };
  assert.is((await checkFitOn(ENDLESS, LETTERS, 100, asked)).finding, null);
});

test.run();
