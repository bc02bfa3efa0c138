// Lays out the parts of a prompt as one text: a heading for each, and fences around quoted text.

import { fenced, fenceWord } from '../text/fence.ts';
import { render } from './excerpt.ts';
import type { PromptPart } from './part.ts';
import { reading } from './rules.ts';

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
