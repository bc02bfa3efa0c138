// Markdown of a model as tokens, within a time: what costs more is shown as it was written, and the page stays usable.

import { Lexer, type Token, Tokenizer, type Tokens } from 'marked';

export type { Token, Tokens } from 'marked';

/** More is not worth the try. */
const MOST_CHARS = 100_000;
/** An answer of 100,000 characters takes 30 ms; some marks cost the square of their text. */
const MOST_MS = 1000;
/** Rows without cells are filled up to the columns of their table. */
const MOST_CELLS = 20_000;

/** null where it is better shown as it was written. */
export function tokensOf(text: string, lines: 'flow' | 'kept', now = () => performance.now()): Token[] | null {
  if (text.length > MOST_CHARS) return null;
  try {
    return Lexer.lex(text, { gfm: true, breaks: lines === 'kept', tokenizer: new TimedTokenizer(now) });
  } catch {
    // Its time is over, or a thousand marks within each other are more than its stack holds.
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

/** A cell of its own has a mark at least. */
function isSparse(src: string, columns: number): boolean {
  const end = src.search(/\n[ \t]*\n/);
  const block = end < 0 ? src : src.slice(0, end);
  const cells = columns * block.split('\n').length;
  return cells > MOST_CELLS && cells > block.length;
}
