// Parses Markdown of a model within a time limit; a text that takes longer is shown as it was written.

import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';

export type { Token, Tokens } from 'marked';

/** A longer text is not parsed. */
const MOST_CHARS = 100_000;
/** An answer of 100,000 characters takes 30 ms; the time for some marks grows with the square of their text. */
const MOST_MS = 1000;
/** Rows without cells are filled up to the number of columns of their table. */
const MOST_CELLS = 20_000;

/** @returns null if the text should be shown as it was written. */
export function tokensOf(text: string, lines: 'flow' | 'kept', now = () => performance.now()): Token[] | null {
  if (text.length > MOST_CHARS) return null;
  try {
    return Lexer.lex(text, { gfm: true, breaks: lines === 'kept', tokenizer: new TimedTokenizer(now) });
  } catch {
    // The time is over, or the stack overflowed on a thousand nested marks.
    return null;
  }
}

/** The lexer begins each step with `space` between blocks, and with `escape` within a line. */
class TimedTokenizer extends Tokenizer {
  readonly #now: () => number;
  readonly #end: number;

  constructor(now: () => number) {
    super();
    this.#now = now;
    this.#end = now() + MOST_MS;
  }

  override space(src: string): Tokens.Space | undefined {
    this.#check();
    return super.space(src);
  }

  override escape(src: string): Tokens.Escape | undefined {
    this.#check();
    return super.escape(src);
  }

  override table(src: string): Tokens.Table | undefined {
    const [head = ''] = src.split('\n', 1);
    const columns = head.split('|').length;
    return columns > 1 && isSparse(src, columns) ? undefined : super.table(src);
  }

  #check(): void {
    if (this.#now() > this.#end) throw new Error('the time is over');
  }
}

/** A written cell takes at least one character. */
function isSparse(src: string, columns: number): boolean {
  const end = src.search(/\n[ \t]*\n/);
  const block = end < 0 ? src : src.slice(0, end);
  const cells = columns * block.split('\n').length;
  return cells > MOST_CELLS && cells > block.length;
}
