// Defines one part of a prompt: a heading, a text, and whether the text is stated or quoted.

import { charsOf, type Excerpt, type Lean, wholeText } from './excerpt.ts';

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
  lean: Lean;
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
