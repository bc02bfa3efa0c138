// Redacts a stream of chunks so that a secret that is split between chunks is found.

import { createAcrossEvents } from './across-events.ts';
import type { Redactor } from './redactor.ts';

interface StreamRedactor {
  /** Takes the next chunk and returns the text that can be written so far. After a withheld piece, it returns nothing more. */
  write(chunk: string): string;
  /** Returns the rest. */
  end(): string;
  /** Whether nothing is held back so far, and further text would be written. */
  isIdle(): boolean;
}

/**
 * The limit of what is held back between two chunks: the unfinished line, or the lines of an unfinished private key. A longer
 * line is released in pieces. No secret shorter than `OVERLAP` is split, but such a line is not checked as JSON.
 */
const MAX_CARRY = 64 * 1024;
const OVERLAP = 8 * 1024;

export function createStreamRedactor(redactor: Redactor): StreamRedactor {
  let carry = '';
  // Each further piece would take as long, and there may be thousands.
  let silent = false;
  const unlessWithheld = (piece: () => string): string => {
    if (silent) return '';
    const before = redactor.withheld.length;
    const written = piece();
    silent = redactor.withheld.length > before;
    return written;
  };
  const across = createAcrossEvents((text) => redactor.hits(text));
  const redact = (text: string) => unlessWithheld(() => redactor.redact(across.write(text)));
  const redactHeld = () => unlessWithheld(() => redactor.redact(across.end()));
  return {
    write(chunk) {
      if (silent) return '';
      carry += chunk;
      if (!chunk.includes('\n') && carry.length <= MAX_CARRY) return '';
      const whole = wholeLines(carry);
      let written = redact(carry.slice(0, whole));
      carry = carry.slice(whole);
      if (carry.length > MAX_CARRY) written += redactHeld();
      while (carry.length > MAX_CARRY) {
        const until = gapBefore(carry, Math.min(MAX_CARRY, carry.length) - OVERLAP);
        const text = carry;
        written += unlessWithheld(() => {
          const { redacted, taken } = redactor.redactHead(text, until);
          carry = text.slice(taken);
          return redacted;
        });
        if (silent) carry = '';
      }
      return written;
    },
    end() {
      const rest = redact(carry) + redactHeld();
      carry = '';
      return rest;
    },
    isIdle: () => carry === '' && !silent && across.isEmpty(),
  };
}

/** Returns the offset after the last line end, but not within a private key that is not complete yet. */
function wholeLines(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  let begin = end === 0 ? -1 : text.lastIndexOf(BEGIN, end);
  if (begin < 0 || !/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(text.slice(begin, begin + 80))) return end;
  const close = text.indexOf(CLOSE, begin);
  if (close >= 0 && close < end) return end;
  let from = text.lastIndexOf('\n', begin) + 1;
  // Another key may end in the line in which this one begins.
  while (begin > 0 && text.length - from <= MAX_CARRY && text.slice(from, begin).includes(CLOSE)) {
    begin = text.lastIndexOf(BEGIN, begin - 1);
    from = text.lastIndexOf('\n', begin) + 1;
  }
  return text.length - from > MAX_CARRY ? end : from;
}

const BEGIN = '-----BEGIN ';
const CLOSE = '-----END ';

/** Returns a space shortly before `at`, so that a name is not separated from its value; otherwise `at` itself. */
function gapBefore(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at);
  return space > at - 200 && space > 0 ? space : at;
}
