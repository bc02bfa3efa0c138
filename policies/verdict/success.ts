// Decides when a call succeeded: the one verdict that needs no rules.

import type { Evidence, Verdict } from '../facts/evidence.ts';

export const SUCCESS: Verdict = { class: null, reason: null, evidence: null, retry_at: null };

/** A complete answer remains one, whatever came after it: a signal, a lingering process, a non-zero exit. */
export const isSuccess = ({ completed, answerChars }: Pick<Evidence, 'completed' | 'answerChars'>): boolean =>
  completed && answerChars > 0;

/** White space and zero-width characters are not an answer. */
export function visibleChars(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (!isInvisible(text.charCodeAt(at))) count += 1;
  return count;
}

function isInvisible(code: number): boolean {
  if (code < 128) return code === 32 || (code > 8 && code < 14);
  if (code < 0x2000) return code === 0xa0 || code === 0x1680;
  return code < 0x2010 || INVISIBLE.has(code);
}

const INVISIBLE: ReadonlySet<number> = new Set([0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff]);
