// Phrases: where they are found, what none can look for, and that neither a long phrase nor a long text can hang them.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePhrases, phraseMistake } from '../../../policies/rules/phrase.ts';

const ROWS: [phrase: string, text: string, isFound: boolean][] = [
  ['corporate proxy', 'The Corporate\n  PROXY is down', true],
  ['corporate proxy', 'corporate proxies', false],
  ['corporate proxy', 'incorporate proxy', false],
  ['  corporate\tproxy\n', 'corporate proxy', true],
  ['proxy *down', 'proxy is down', true],
  ['proxy * down', 'proxy down', true],
  ['proxy * down', 'proxydown', false],
  ['proxy*down', 'proxydown', true],
  ['proxy * down', 'proxy is\ndown', false],
  ['proxy * down', 'proxy is\nproxy now down', true],
  ['proxy * down', 'proxy is\r\ndown', false],
  ['a b * c', 'a b x\na\nb y c', true],
  ['a b * c', 'a b a\nb c', true],
  ['a * b c * d', 'a b c\nb c d', false],
  ['a * b c * d', 'a b c\nb\na b\nc d', true],
  ['throttl*', 'request throttled', true],
  ['throttl*', 'unthrottled', false],
  ['*throttl*', 'unthrottled', true],
  ['throttl *', 'throttled', false],
  ['(quota)', 'over (quota) now', true],
  ['[407]', 'a[407]b', true],
  ['error_x', 'error_xy', false],
  ['kontingent erschöpft', 'Das Kontingent erschöpft sich', true],
  ['schöpf', 'erschöpft', false],
  ['a.c', 'abc', false],
  ['$&', '$&', true],
  ['', 'anything', false],
  ['*', 'anything', false],
  [' * * ', 'anything', false],
];
for (const [phrase, text, isFound] of ROWS)
  test(`"${phrase}" is ${isFound ? '' : 'not '}found in ${JSON.stringify(text)}`, () => {
    assert.is(compilePhrases([phrase]).test(text), isFound);
  });

test('of a list, one is enough; a person sees all of them', () => {
  const wording = compilePhrases(['no proxy', 'no * route']);
  assert.equal([wording.test('there is no way and no route'), wording.test('no way')], [true, false]);
  assert.is(String(wording), '"no proxy" or "no * route"');
});

for (const phrase of ['', ' ', '*', ' ** * ', '--', '(*)', '\u200b', '\0'])
  test(`nothing can be looked for with ${JSON.stringify(phrase)}`, () => {
    assert.match(phraseMistake(phrase)!, 'has no word in it');
  });

for (const phrase of ['403', 'a', 'ü', '配额', '* x *'])
  test(`${phrase} can be looked for`, () => assert.is(phraseMistake(phrase), null));

/** The same as a regular expression, which may take for ever where a phrase is long. */
function expressionOf(phrase: string): RegExp {
  const parts = phrase.toLowerCase().replace(/\s+/g, ' ').split('*');
  const pieces = parts.flatMap((part, i) => {
    const text = part
      .trim()
      .replace(/[.$()]/g, '\\$&')
      .replaceAll(' ', '\\s+');
    if (text === '') return [];
    const opens = i === 0 || part.startsWith(' ') ? '(?<!\\w(?=\\w))' : '';
    const closes = i === parts.length - 1 || part.endsWith(' ') ? '(?!(?<=\\w)\\w)' : '';
    return [`${opens}${text}${closes}`];
  });
  return new RegExp(pieces.length === 0 ? '(?!)' : pieces.join('.*'));
}

test('what is found is what the same regular expression finds', () => {
  const chars = fc.constantFrom('a', 'b', ' ', '\n', '*', '.');
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '.'), maxLength: 30 });
  fc.assert(
    fc.property(fc.string({ unit: chars, maxLength: 10 }), texts, (phrase, text) => {
      assert.is(compilePhrases([phrase]).test(text), expressionOf(phrase).test(text), JSON.stringify([phrase, text]));
    }),
    { numRuns: 5_000 },
  );
});

const LONG = 1_000_000;
const HARD: [what: string, phrase: string, text: string][] = [
  ['stars without end', `${'a*'.repeat(100)}b`, 'a'.repeat(LONG)],
  ['words that nearly fit', `${'a '.repeat(99)}b`, 'a '.repeat(LONG / 2)],
  ['a line that ends before the last word', 'a * b * c', 'a b\n'.repeat(LONG / 4)],
  ['white space alone', 'a b', ' \n'.repeat(LONG / 2)],
  ['words that never end', 'aa', 'a'.repeat(LONG)],
  ['a phrase of a megabyte', 'a*'.repeat(LONG / 2), 'a'.repeat(LONG / 4)],
];
for (const [what, phrase, text] of HARD)
  test(`${what}: an answer all the same`, () => assert.is(compilePhrases([phrase]).test(text), false));

test.run();
