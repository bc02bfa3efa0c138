// Redacts secrets in text: known token shapes, values of secret environment variables, and users' own patterns.

import { secretsOf } from './environment.ts';
import { createFinder, type Hit } from './finder.ts';
import { keepJson } from './json.ts';
import { compilePatterns } from './patterns.ts';
import { type Bounded, type Redactor, UNBOUNDED, withheldText } from './redactor.ts';

export { createStreamRedactor } from './stream.ts';

interface RedactorOptions {
  /** The environment that the CLI sees. The values of variables with secret-looking names are redacted wherever they occur. */
  env: Readonly<Record<string, string | undefined>>;
  /** The user's regular expressions, as in `security.redaction_patterns`. */
  patterns: readonly string[];
  /** Interrupts patterns that would never end; without it, their end is awaited. */
  bounded?: Bounded;
}

const MAX_PASSES = 8;

/** @throws a `SyntaxError` that names the pattern, if a pattern is not a regular expression. */
export function createRedactor({ env, patterns, bounded = UNBOUNDED }: RedactorOptions): Redactor {
  const finder = createFinder(secretsOf(env));
  const own = compilePatterns(patterns);
  const withheld: number[] = [];

  const replace = (text: string, until: number) => {
    let redacted = '';
    let taken = 0;
    for (let hit = finder.next(text, 0, until); hit; hit = finder.next(text, hit.to, until)) {
      redacted += `${text.slice(taken, hit.from)}[REDACTED:${hit.kind}]`;
      taken = hit.to;
    }
    return { redacted, taken };
  };
  const redactPlain = (text: string): string => {
    const { redacted, taken } = replace(text, text.length);
    return own.redact(taken === 0 ? text : redacted + text.slice(taken));
  };
  // A placeholder may remove what hid another secret. So this repeats until nothing more is found, nearly always in the second
  // pass.
  const redactAll = (text: string): string => {
    let redacted = redactPlain(text);
    for (let before = text, pass = 0; before !== redacted && pass < MAX_PASSES; pass += 1) {
      before = redacted;
      redacted = redactPlain(before);
    }
    return redacted;
  };

  const hasAny = (text: string): boolean => finder.next(text, 0, text.length) !== null || own.matches(text);
  // Escapes and codes remain if they hide nothing.
  const shown = (line: string): string => {
    const plain = hasEscapes(line) ? unescaped(line) : line;
    if (plain === line || !hasAny(plain)) return line;
    return unescaped(redactAll(line)) === redactAll(plain) ? line : plain;
  };
  const redactText = (text: string): string => {
    const readable = hasEscapes(text) ? text.split('\n').map(shown).join('\n') : text;
    return hasAny(readable) ? keepJson(readable, redactAll) : text;
  };
  /** @param work a function that may run a pattern on a text of this many characters. */
  const withinTime = (text: string, work: () => string): string => {
    if (patterns.length === 0) return work();
    const done = bounded(work, text.length);
    if (done.how === 'done') return done.value;
    const pattern = own.tried() ?? 1;
    withheld.push(pattern);
    return withheldText(text, pattern);
  };

  return {
    redact: (text) => withinTime(text, () => redactText(text)),
    redactHead(text, until) {
      const { redacted, taken } = replace(text, until);
      const past = Math.max(until, taken);
      const head = redacted + text.slice(taken, past);
      return { redacted: withinTime(head, () => own.redact(head)), taken: past };
    },
    hits(text) {
      const found = hitsIn(finder, text);
      if (patterns.length === 0) return found;
      const done = bounded(() => own.hits(text), text.length);
      if (done.how === 'done') return apart([...found, ...done.value]);
      withheld.push(own.tried() ?? 1);
      return found;
    },
    withheld,
  };
}

function hitsIn(finder: ReturnType<typeof createFinder>, text: string): Hit[] {
  const found: Hit[] = [];
  for (let hit = finder.next(text, 0, text.length); hit; hit = finder.next(text, hit.to, text.length)) found.push(hit);
  return found;
}

/** Keeps the first of those that overlap. */
function apart(hits: readonly Hit[]): Hit[] {
  let end = 0;
  return [...hits]
    .sort((a, b) => a.from - b.from)
    .filter(({ from, to }) => {
      if (from < end) return false;
      end = to;
      return true;
    });
}

/** Whether a text contains any escapes or codes. */
const hasEscapes = (text: string): boolean => text.includes('\x1b[') || text.includes('\\u00') || text.includes('\\/');

/** Valid JSON remains valid, with the same meaning except for the codes. */
const unescaped = (text: string): string =>
  text
    .replace(CODES, (_, _none, before: string | undefined) => before ?? '')
    .replace(ESCAPES, (_, before: string, hex: string | undefined) => {
      const sign = hex === undefined ? '/' : String.fromCharCode(Number.parseInt(hex, 16));
      return before + (KEPT.has(sign) ? `\\u00${hex}` : sign);
    });

/** Matches only after an even number of backslashes, because each pair is a literal backslash. */
const EVEN = String.raw`((?<!\\)(?:\\\\)*)`;

const CODES = new RegExp(String.raw`(?:()\x1b|${EVEN}\\u001[bB])\[[0-9;:?]*[A-Za-z]`, 'g');

const ESCAPES = new RegExp(String.raw`${EVEN}\\(?:u00([2-7][0-9a-fA-F])|/)`, 'g');

const KEPT = new Set(['"', '\\', '\x7f']);
