// Collects what a call records about its prompt besides the text: the omitted parts, and the warnings.

import { NAMED_IN_WARNING, omissionSentence } from '../../policies/prompt/omissions.ts';
import type { Dispatch } from '../attempt/dispatch.ts';
import type { Prompt } from './prompt.ts';

export function aboutPrompt({
  warnings,
  leftOut,
}: Pick<Prompt, 'warnings' | 'leftOut'>): Omit<Dispatch['prompt'], 'before'> {
  const sentence = omissionSentence(leftOut, NAMED_IN_WARNING);
  const all = [...(sentence === null ? [] : [sentence]), ...warnings];
  const more = all.length - MOST_WARNINGS;
  return {
    warnings: [
      ...all.slice(0, MOST_WARNINGS).map((warning) => warning.slice(0, MOST_WARNING_CHARS)),
      ...(more > 0 ? [`${more} more warnings about the prompt, which tollgate run --dry-run shows`] : []),
    ],
    left_out: leftOut,
  };
}

const MOST_WARNINGS = 12;
const MOST_WARNING_CHARS = 2000;
