// When a call succeeded: the one verdict that needs no rules.

import type { Evidence, Verdict } from './evidence.ts';

export const SUCCESS: Verdict = { class: null, reason: null, evidence: null, retry_at: null };

/** An answer that is complete stays one, whatever came after it: a signal, a lingering process, a non-zero exit. */
export const isSuccess = ({ completed, answerChars }: Pick<Evidence, 'completed' | 'answerChars'>): boolean =>
  completed && answerChars > 0;

/** White space and zero-width characters are no answer. */
export const visibleChars = (text: string): number => text.replace(/[\s\u200b-\u200f\u2060\ufeff]/g, '').length;
