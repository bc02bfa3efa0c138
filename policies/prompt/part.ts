// Defines the parts of a prompt, lays them out as one text, and lists those that differ between two texts.

import { fenced, fenceWord } from '../text/fence.ts';
import { charsOf, type Excerpt, render, wholeText } from './excerpt.ts';
import { reading } from './rules.ts';

const PART_KINDS = [
  'rules',
  'reading',
  'role',
  'goal',
  'request',
  'non_goals',
  'decisions',
  'context',
  'changes',
  'files',
  'attachment',
  'answer',
  'scope',
  'prohibited',
  'acceptance',
  'form',
] as const;

export type PartKind = (typeof PART_KINDS)[number];

export interface PromptPart {
  kind: PartKind;
  /** As users know it: `request`, `attachments/build.log`, `answer of codex_brief`. */
  name: string;
  /** Consecutive parts may share a heading. */
  heading: string;
  /** The label on the fence of a quoted part; null if the part is stated, not quoted. */
  label: string | null;
  excerpt: Excerpt;
  lean: 'head' | 'tail';
}

/** A part as it is listed: its number of characters, and how many of them are in the prompt. */
export interface PartSize {
  kind: PartKind;
  name: string;
  chars: number;
  kept: number;
  /** Headings of the request, if it has several of the same level. */
  sections?: readonly string[];
}

export const instruction = (kind: PartKind, heading: string, text: string): PromptPart => ({
  kind,
  name: kind,
  heading,
  label: null,
  excerpt: wholeText(text),
  lean: 'head',
});

export const quoted = (kind: PartKind, heading: string, name: string, excerpt: Excerpt): PromptPart => ({
  kind,
  name,
  heading,
  label: name,
  excerpt,
  lean: 'head',
});

export const sizeOf = (part: PromptPart): PartSize => ({
  kind: part.kind,
  name: part.name,
  chars: charsOf(part.excerpt),
  kept: part.excerpt.head.length + part.excerpt.tail.length,
});

/** Names each part by its heading, or its fence, in the order of the prompt; removed parts come last. */
export function changedParts(before: string, now: string): string[] {
  const [old, fresh] = [partsOf(before), partsOf(now)];
  const names = new Set([...fresh.keys(), ...old.keys()]);
  return [...names].filter((name) => name !== READING && old.get(name)?.trim() !== fresh.get(name)?.trim());
}

/** This part exists whenever something is quoted. */
const READING = 'How to read this';

/** The fence word depends on the whole prompt, so it is removed from each part. */
function partsOf(text: string): Map<string, string> {
  const word = /^===== begin ([0-9a-f-]+): /m.exec(text)?.[1];
  const parts = new Map<string, string>();
  let heading = '';
  let quoted: string | null = null;
  for (const line of (word === undefined ? text : text.replaceAll(word, '')).split('\n')) {
    const label: string | undefined = quoted === null ? /^===== begin : (.*) =====$/.exec(line)?.[1] : undefined;
    if (label !== undefined) quoted = label.replace(/, \d+ bytes$/, '');
    else if (quoted !== null && line === '===== end  =====') quoted = null;
    else if (quoted === null && line.startsWith('# ')) heading = line.slice(2);
    else if (line !== '') parts.set(quoted ?? heading, `${parts.get(quoted ?? heading) ?? ''}${line}\n`);
  }
  return parts;
}

/** Lays out the parts of a prompt as one text: a heading for each, and fences around quoted text. */
export function layOut(parts: readonly PromptPart[]): string {
  const texts = parts.map((part) => render(part.excerpt));
  const word = fenceWord([...texts, ...parts.map((part) => part.label ?? '')]);
  let heading: string | null = null;
  return parts
    .map((part, i) => {
      const above = part.heading === heading ? '' : `# ${part.heading}\n\n`;
      heading = part.heading;
      return above + block(part, texts[i]!, word);
    })
    .join('\n');
}

function block(part: PromptPart, text: string, word: string): string {
  if (part.kind === 'reading') return reading(word);
  return part.label === null ? `${text.trim()}\n` : fenced(word, part.label, text);
}
