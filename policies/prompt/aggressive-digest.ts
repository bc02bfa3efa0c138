// Makes the digest `aggressive`: goal, non-goals, scope, acceptance, fixed decisions, files, prohibited actions and form.

import { sectionsNamed } from '../text/sections.ts';
import { render, shorten, wholeText } from './excerpt.ts';
import { filesPart } from './files-part.ts';
import { type PromptPart, quoted } from './part.ts';
import { fairShare } from './shares.ts';
import type { PromptSource } from './source.ts';
import { answerParts, changesPart, closingParts, openingParts, requestPart } from './whole-parts.ts';

/** The request itself. A goal may be one sentence that means nothing without the request. */
const REQUEST_DIGEST_CHARS = 2000;
/** All earlier answers together. A stage that consolidates answers must read them. */
const ANSWERS_DIGEST_CHARS = 4000;
/** The beginning of a change; the rest is in the tree. */
const CHANGES_DIGEST_CHARS = 8000;
/** Non-goals and fixed decisions; from the request and from the context, each. */
const SECTION_DIGEST_CHARS = 2000;

const NON_GOALS = ['non goals', 'non goal', 'nongoals', 'out of scope', 'not in scope', 'what not to do', 'exclusions'];

const DECISIONS = [
  'decisions',
  'decision',
  'fixed decisions',
  'decisions that are fixed',
  'key decisions',
  'design decisions',
  'constraints',
];

export function aggressiveDigest(source: PromptSource): PromptPart[] {
  return [
    ...openingParts(source),
    ...requestPart(source).map((part) => cut(part, REQUEST_DIGEST_CHARS)),
    ...sectionParts(source, NON_GOALS, 'non_goals', 'Non-goals'),
    ...sectionParts(source, DECISIONS, 'decisions', 'Fixed decisions'),
    ...changesPart(source).map((part) => cut(part, CHANGES_DIGEST_CHARS)),
    filesPart(source.attachments, [source.request?.path, source.context?.path]),
    ...digestedAnswers(source),
    ...closingParts(source, 'begun'),
  ].filter((part) => part.kind === 'reading' || render(part.excerpt).trim() !== '');
}

function sectionParts(
  source: PromptSource,
  titles: readonly string[],
  kind: 'non_goals' | 'decisions',
  heading: string,
): PromptPart[] {
  const from: [name: string, text: string | undefined][] = [
    ['request', source.request?.text],
    ['context', source.context?.text],
  ];
  return from.flatMap(([name, text]) => {
    const found = text === undefined ? '' : sectionsCalled(text, titles);
    const label = `${heading.toLowerCase()}, from the ${name}`;
    return found === '' ? [] : [cut(quoted(kind, heading, label, wholeText(found)), SECTION_DIGEST_CHARS)];
  });
}

/** Users write these sections, or a brief hands them off in the form in which users write. */
const sectionsCalled = (text: string, names: readonly string[]): string =>
  sectionsNamed(text, { names, writer: 'person' })
    .map(({ from, to }) => text.slice(from, to).trim())
    .join('\n\n');

function digestedAnswers(source: PromptSource): PromptPart[] {
  const parts = answerParts(source);
  const share = fairShare(
    parts.map((part) => render(part.excerpt).length),
    ANSWERS_DIGEST_CHARS,
  );
  return parts.map((part) => cut(part, share));
}

const cut = (part: PromptPart, max: number): PromptPart => ({
  ...part,
  excerpt: shorten(part.excerpt, max, part.lean),
});
