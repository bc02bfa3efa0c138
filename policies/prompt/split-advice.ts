// Advises how to shrink a prompt that is too large: one to three sentences about its largest parts.

import { figure } from '../text/display.ts';
import type { PartSize } from './part.ts';

/** Parts below this share of the prompt are not mentioned. */
const WORTH_SHARE = 0.1;
const MOST_LINES = 3;

export function splitAdvice(parts: readonly PartSize[]): string[] {
  const all = parts.reduce((sum, part) => sum + part.kept, 0);
  const large = heaped(parts, all * WORTH_SHARE)
    .filter((heap) => heap.chars > 0)
    .sort((a, b) => b.chars - a.chars);
  const lines = large
    .filter((heap, i) => i === 0 || heap.chars >= all * WORTH_SHARE)
    .map(({ what, chars, wayOut }) => `${what} ${figure(chars)} of ${figure(all)} characters: ${wayOut}`);
  return lines.length === 0 ? ['the task is one large piece: split it into several tasks'] : lines.slice(0, MOST_LINES);
}

interface Heap {
  what: string;
  chars: number;
  wayOut: string;
}

/** Lists each part separately, but combines attachments that are small. */
function heaped(parts: readonly PartSize[], smallChars: number): Heap[] {
  const isSmall = ({ kind, kept }: PartSize) => kind === 'attachment' && kept < smallChars;
  const small = parts.filter(isSmall);
  const chars = small.reduce((sum, part) => sum + part.kept, 0);
  const alone = parts.flatMap((part) => {
    const wayOut = wayOutOf(part);
    return wayOut === null || (isSmall(part) && small.length > 1)
      ? []
      : [{ what: `${whatItIs(part)} is`, chars: part.kept, wayOut }];
  });
  return small.length > 1
    ? [...alone, { what: `${small.length} attachments are`, chars, wayOut: 'attach fewer of them' }]
    : alone;
}

/** null: the part is built in or is the answer's form, so the reader cannot make it smaller. */
const ADVICE = {
  rules: 'shorten the rules file that tollgate.yaml names',
  reading: null,
  role: 'shorten its template',
  goal: 'say the goal in a sentence, and the rest in inputs/user_request.md',
  request: 'make several tasks of it',
  non_goals: null,
  decisions: null,
  context: 'shorten it to what this part needs',
  changes: 'review it in parts, or name a nearer base',
  files: 'attach fewer files',
  attachment: 'attach less of it',
  answer: 'ask that stage for a shorter answer, or make a task of its own from here on',
  scope: null,
  prohibited: null,
  acceptance: null,
  form: null,
} as const satisfies Record<PartSize['kind'], string | null>;

const whatItIs = ({ kind, name }: PartSize): string =>
  kind === 'attachment' || kind === 'changes' ? name : kind === 'role' ? 'the template of the role' : `the ${name}`;

/** Built-in rules and templates are shorter than this, so longer ones are the user's own. */
const OWN_WORDS = 4000;

function wayOutOf({ kind, kept, sections = [] }: PartSize): string | null {
  if ((kind === 'rules' || kind === 'role') && kept < OWN_WORDS) return null;
  if (kind === 'request' && sections.length > 1) return `it has ${sections.length} sections, make a task of each`;
  return ADVICE[kind];
}
