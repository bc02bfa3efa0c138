// What to do about a prompt that is too large: one to three sentences about its largest parts.

import type { PartSize } from './part.ts';

/** A part below this share of the prompt is not worth a word. */
const WORTH_SHARE = 0.1;
const MOST_LINES = 3;

export function splitAdvice(parts: readonly PartSize[]): string[] {
  const all = parts.reduce((sum, part) => sum + part.kept, 0);
  const large = [...parts]
    .filter((part) => part.kept > 0 && ADVICE[part.kind] !== null)
    .sort((a, b) => b.kept - a.kept);
  const worth = large.filter((part, i) => i === 0 || part.kept >= all * WORTH_SHARE).slice(0, MOST_LINES);
  const attached = parts.filter((part) => part.kind === 'attachment' && part.kept > 0);
  const together = attached.reduce((sum, part) => sum + part.kept, 0);
  const lines = worth.map(
    (part) => `${whatItIs(part)} is ${figure(part.kept)} of ${figure(all)} characters: ${wayOut(part)}`,
  );
  // Many small ones are a large one.
  if (!worth.some((part) => part.kind === 'attachment') && together >= all * WORTH_SHARE)
    lines.splice(
      worth[0] !== undefined && worth[0].kept > together ? 1 : 0,
      0,
      `${attached.length} attachments are ${figure(together)} of ${figure(all)} characters: attach fewer of them`,
    );
  return lines.length === 0 ? ['the task is one large piece: split it into several tasks'] : lines.slice(0, MOST_LINES);
}

/** null: it is ours or the answer's form, and cannot be made smaller by whoever reads this. */
const ADVICE = {
  rules: 'shorten the rules file that tollgate.yaml names',
  reading: null,
  role: 'shorten its template',
  goal: 'say the goal in a sentence, and the rest in inputs/user_request.md',
  request: 'make several tasks of it',
  non_goals: null,
  decisions: null,
  context: 'shorten it to what this part needs',
  files: 'attach fewer files',
  attachment: 'attach less of it',
  answer: 'ask that stage for a shorter answer, or make a task of its own from here on',
  scope: null,
  prohibited: null,
  acceptance: null,
  form: null,
} as const satisfies Record<PartSize['kind'], string | null>;

const whatItIs = ({ kind, name }: PartSize): string =>
  kind === 'attachment' ? name : kind === 'role' ? 'the template of the role' : `the ${name}`;

function wayOut({ kind, sections = [] }: PartSize): string {
  if (kind === 'request' && sections.length > 1) return `it has ${sections.length} sections, make a task of each`;
  return ADVICE[kind] ?? '';
}

const figure = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
