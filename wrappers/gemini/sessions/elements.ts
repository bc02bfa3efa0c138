// Finds the messages of one huge `$set` line by their bytes: a resume writes the whole conversation as a single line.

export const REPLACING = '{"$set":{"messages":[';

export interface ElementSpan {
  from: number;
  to: number;
}

interface Element extends ElementSpan {
  /** Its first bytes, as latin1 text; fewer at the end of a chunk. */
  head: string;
}

/** Depth within the list: the record, its `$set`, the list. */
const IN_LIST = 3;
const [QUOTE, BACKSLASH, OPEN, CLOSE, LIST, LIST_END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the positions of the objects of the list.
 * @param chunks of the line, from after `REPLACING`.
 * @param at the position at which the chunks begin.
 * @returns null if the line does not end as it should.
 */
export function elementsIn(chunks: Iterable<Buffer>, at: number, headBytes: number): Element[] | null {
  const spans: Element[] = [];
  let head = '';
  let depth = IN_LIST;
  let [from, inText, escaped, listed] = [at, false, false, true];
  for (const chunk of chunks) {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (inText) {
        if (escaped) escaped = false;
        else {
          const quote = chunk.indexOf(QUOTE, i);
          const end = quote === -1 ? chunk.length : quote;
          const odd = backslashesBefore(chunk, end, i) % 2 === 1;
          if (quote === -1) escaped = odd;
          else inText = odd;
          i = end;
        }
      } else if (byte === QUOTE) inText = true;
      else if (byte === OPEN || byte === LIST) {
        if (depth === IN_LIST) [from, head] = [at + i, chunk.toString('latin1', i, i + headBytes)];
        depth += 1;
      } else if (byte === CLOSE || byte === LIST_END) {
        depth -= 1;
        if (depth === IN_LIST && listed && byte === CLOSE)
          spans.push({ from, to: at + i + 1, head: head.slice(0, at + i + 1 - from) });
        if (depth < IN_LIST) listed = false;
      }
    }
    at += chunk.length;
  }
  return depth === 0 && !inText ? spans : null;
}

function backslashesBefore(chunk: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}
