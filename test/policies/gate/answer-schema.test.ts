// Whether a schema lets an answer say PASS and FAIL in a property "verdict" of its own.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { verdictMistake } from '../../../policies/gate/answer-schema.ts';

const withVerdict = (verdict: unknown, more: object = {}) => ({ type: 'object', properties: { verdict }, ...more });

const GOOD: Record<string, object> = {
  'both words': withVerdict({ enum: ['PASS', 'FAIL'] }),
  'lower case': withVerdict({ enum: ['pass', 'fail', 'unsure'] }),
  'any text': withVerdict({ type: 'string' }),
  'text or null': withVerdict({ type: ['string', 'null'] }),
  anything: withVerdict(true),
  'without a type': { properties: { verdict: { type: 'string' } } },
  'named as required alone': { type: 'object', required: ['verdict'] },
  'by a reference': { $ref: '#/$defs/review', $defs: { review: withVerdict({ enum: ['PASS', 'FAIL'] }) } },
  'whose values are a reference': withVerdict(
    { $ref: '#/$defs/v~1w' },
    { $defs: { 'v/w': { enum: ['PASS', 'FAIL'] } } },
  ),
  'a remote reference': { $ref: 'https://example.org/review.json' },
  'one word each': { oneOf: [withVerdict({ const: 'PASS' }), withVerdict({ const: 'FAIL' })] },
  'a pattern': withVerdict({ type: 'string', pattern: '^(PASS|FAIL)$' }),
  'alternatives of the value': withVerdict({ anyOf: [{ const: 'PASS' }, { const: 'FAIL' }] }),
  'a pattern of names': { patternProperties: { '^ver': { type: 'string' } } },
  'beside other parts': { allOf: [{ properties: { why: {} } }, withVerdict({ type: 'string' })] },
  'a reference to itself': { properties: { verdict: { type: 'string' }, next: { $ref: '#' } }, allOf: [{ $ref: '#' }] },
};

for (const [what, schema] of Object.entries(GOOD)) test(`good: ${what}`, () => assert.is(verdictMistake(schema), null));

const BAD: Record<string, [schema: object, at: string, message: RegExp]> = {
  'none at all': [{ type: 'object' }, '', /has no property "verdict"/],
  empty: [{}, '', /has no property "verdict"/],
  'of another name': [{ properties: { result: { enum: ['PASS', 'FAIL'] } } }, '', /has no property/],
  nested: [{ properties: { review: withVerdict({ type: 'string' }) } }, '', /has no property/],
  'in a list': [{ type: 'array', items: withVerdict({ type: 'string' }) }, 'type', /must be object, not array/],
  'other words': [withVerdict({ enum: ['yes', 'no'] }), 'properties.verdict', /allows no PASS and no FAIL/],
  'never FAIL': [withVerdict({ const: 'PASS' }), 'properties.verdict', /allows no FAIL/],
  'never PASS': [withVerdict({ enum: ['FAIL'] }), 'properties.verdict', /allows no PASS/],
  'true or false': [withVerdict({ type: 'boolean' }), 'properties.verdict', /allows no PASS and no FAIL/],
  'an object': [withVerdict({ type: 'object' }), 'properties.verdict', /allows no/],
  forbidden: [withVerdict(false), 'properties.verdict', /allows no/],
  'excluded by not': [
    withVerdict({ type: 'string', not: { enum: ['FAIL', 'fail', 'Fail'] } }),
    'properties.verdict',
    /no FAIL/,
  ],
  'too short': [withVerdict({ type: 'string', maxLength: 2 }), 'properties.verdict', /allows no/],
  'by a reference to another': [
    { $ref: '#/$defs/a', $defs: { a: withVerdict({ enum: ['ok'] }) } },
    '$ref.properties.verdict',
    /allows no/,
  ],
  'FAIL forbidden by allOf beside it': [
    { ...withVerdict({ enum: ['PASS', 'FAIL'] }), allOf: [{ properties: { verdict: { const: 'PASS' } } }] },
    'properties.verdict',
    /allows no FAIL/,
  ],
  'FAIL forbidden by one of two of allOf': [
    { type: 'object', allOf: [withVerdict({ enum: ['PASS', 'FAIL'] }), withVerdict({ enum: ['PASS'] })] },
    'allOf.0.properties.verdict',
    /allows no FAIL/,
  ],
  'no property beside verdict, and another one required': [
    { ...withVerdict({ type: 'string' }), additionalProperties: false, required: ['summary'] },
    'properties.verdict',
    /allows no/,
  ],
  'an object with a verdict excluded': [
    { ...withVerdict({ type: 'string' }), not: { required: ['verdict'] } },
    'properties.verdict',
    /allows no/,
  ],
  'no such name': [
    { ...withVerdict({ type: 'string' }), propertyNames: { enum: ['a'] } },
    'properties.verdict',
    /allows no/,
  ],
  'no property at all': [{ ...withVerdict({ type: 'string' }), maxProperties: 0 }, 'properties.verdict', /allows no/],
  'a reference in a circle': [{ $ref: '#' }, '', /has no property/],
};

for (const [what, [schema, at, message]] of Object.entries(BAD))
  test(`bad: ${what}`, () => {
    const found = verdictMistake(schema);
    assert.is(found?.at.join('.'), at);
    assert.match(found!.message, message);
    assert.match(found!.message, 'expected an object with the property "verdict"');
  });

test.run();
