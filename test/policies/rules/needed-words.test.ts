// Words that spare a rule its regular expression: no text that would fit lacks them, proven on the expression itself.

import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Rule } from '../../../policies/rules/rule.ts';
import { RULES } from '../../../policies/rules/rules.ts';

test('each text that fits a rule has one of the words that it needs', () => {
  for (const { id, match } of RULES.filter(({ match }) => match.needs !== undefined))
    assert.equal(fitsWithout(match.text as RegExp, match.needs!), null, id);
});

test('the words are in lower case, as what they are looked for in', () => {
  for (const { id, match } of RULES)
    assert.equal(
      match.needs?.map((word) => word.toLowerCase()),
      match.needs,
      id,
    );
});

for (const [what, wording, needs, lacking] of [
  ['an alternative without one', /\bfoo\b|bar baz/i, ['foo'], 'bar baz'],
  ['an optional part', /foo(?: bar)?/i, ['bar'], 'foo'],
  ['a part that may repeat not once', /x(?:foo)*/i, ['foo'], 'x…'],
  ['a lookahead that must not be', /(?!foo)bar/i, ['foo'], 'bar'],
  ['a class within the word', /f[ou]o/i, ['foo'], 'f…o'],
] as const)
  test(`${what} is found out`, () => assert.is(fitsWithout(wording, needs), lacking));

for (const [what, wording, needs] of [
  ['words of all alternatives', /\bfoo\b|bar baz/i, ['foo', 'baz']],
  ['a word over the bound of a group', /(?:tools|prompts)\/\w+/i, ['tools/', 'prompts/']],
  ['a word of a part that may repeat but must be', /x(?:foo)+/i, ['foo']],
  ['a word that a lookahead asks for', /^(?=.*foo).*bar/i, ['foo']],
  ['an optional letter', /items? with/i, ['item with', 'items with']],
] as const)
  test(`${what} are enough`, () => assert.is(fitsWithout(wording, needs), null));

test('a rule that has its words is still looked for by them alone', () => {
  const some = RULES.filter(({ match }: Rule) => match.needs !== undefined);
  assert.ok(some.length >= 20);
});

/** What of a text is certain, with `…` for what is not: one that fits and has none of the words; null where all have. */
function fitsWithout(wording: RegExp, needs: readonly string[]): string | null {
  const { alternatives } = new RegExpParser().parsePattern(wording.source);
  return among(alternatives, needs).find((text) => text !== HAS) ?? null;
}

/** Stands for all texts that have one of the words. */
const HAS = '\0';
const GAP = '…';

const among = (alternatives: readonly AST.Alternative[], needs: readonly string[]): string[] =>
  settled(
    alternatives.flatMap(({ elements }) =>
      elements.reduce<string[]>((texts, element) => join(texts, textsOf(element, needs), needs), ['']),
    ),
    needs,
  );

const join = (before: readonly string[], after: readonly string[], needs: readonly string[]): string[] =>
  settled(
    before.flatMap((one) => after.map((next) => (one === HAS || next === HAS ? HAS : one + next))),
    needs,
  );

const settled = (texts: readonly string[], needs: readonly string[]): string[] => {
  const told = [...new Set(texts.map((text) => (needs.some((word) => text.includes(word)) ? HAS : text)))];
  assert.ok(told.length < 20_000, 'too many texts to look at');
  return told;
};

function textsOf(element: AST.Element, needs: readonly string[]): string[] {
  switch (element.type) {
    case 'Character':
      return [String.fromCodePoint(element.value).toLowerCase()];
    case 'Group':
    case 'CapturingGroup':
      return among(element.alternatives, needs);
    case 'Quantifier': {
      const once = textsOf(element.element, needs);
      if (element.max === 1) return element.min === 0 ? ['', ...once] : once;
      return element.min === 0 ? [GAP] : once.map((text) => (text === HAS ? HAS : `${GAP}${text}${GAP}`));
    }
    case 'Assertion': {
      const isAsked = (element.kind === 'lookahead' || element.kind === 'lookbehind') && !element.negate;
      // What it asks for stands somewhere in the text, though not here.
      return isAsked && among(element.alternatives, needs).every((text) => text === HAS) ? [HAS] : [''];
    }
    default:
      return [GAP];
  }
}

test.run();
