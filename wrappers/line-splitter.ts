// Splits text that arrives in arbitrary pieces into lines, and keeps only a limited part of a long line.

import { isInk } from '../policies/signature/characters.ts';

export interface LineSplitter {
  push(text: string): void;
  /** Passes on a last line that has no line end. */
  end(): void;
  /** The received part of a line that has no end yet; empty once it is longer than a question to the user. */
  begun(): string;
}

/** How many characters of a line of stderr are read: enough for its beginning, and the JSON in it. */
export const MAX_STDERR_LINE = 32_768;

const LONGEST_QUESTION = 2000;

/**
 * @param maxLine characters of a line that are kept.
 * @param keeps all of a line, or what is `shown` of it. A terminal overwrites the text before a carriage return, so only the
 *   last state of a progress bar is a line, however long it ran. `shown` drops white space at the end of a line.
 * @param onLine gets each line without its end, and how many characters of it were not kept.
 */
export function createLineSplitter(
  maxLine: number,
  keeps: 'all' | 'shown',
  onLine: (line: string, dropped: number) => void,
): LineSplitter {
  let pieces: string[] = [];
  let kept = 0;
  let dropped = 0;
  /** The last white space received. It is either the end of the line, or more text follows it. */
  let space = '';

  const clear = () => {
    pieces = [];
    kept = 0;
    dropped = 0;
  };
  const keep = (piece: string) => {
    const room = Math.min(piece.length, maxLine - kept);
    if (room > 0) pieces.push(piece.slice(0, room));
    kept += room;
    dropped += piece.length - room;
  };
  const show = (piece: string) => {
    const end = piece.trimEnd().length;
    if (end > 0) {
      const from = piece.lastIndexOf('\r', end - 1) + 1;
      const returned = space.lastIndexOf('\r') + 1;
      if (from > 0 || returned > 0) clear();
      if (from === 0) keep(space.slice(returned));
      keep(piece.slice(from, end));
      space = '';
    }
    const more = space + piece.slice(end);
    const returned = more.lastIndexOf('\r');
    space = returned < 0 ? more.slice(0, maxLine) : `\r${more.slice(returned + 1, returned + 1 + maxLine)}`;
  };
  const take = keeps === 'all' ? keep : show;
  const flush = () => {
    const line = pieces.length === 1 ? pieces[0]! : pieces.join('');
    const lost = dropped;
    clear();
    space = '';
    onLine(lost === 0 && line.endsWith('\r') ? line.slice(0, -1) : line, lost);
  };
  return {
    push(text) {
      let from = 0;
      // This path is fast for whole lines: most lines arrive whole, and there may be millions of short ones.
      const isPlain = !text.includes('\r');
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        const isWhole = isPlain && kept === 0 && dropped === 0 && space === '' && end - from <= maxLine;
        const piece = text.slice(from, end);
        if (isWhole) onLine(keeps === 'all' || isInk(text.charCodeAt(end - 1)) ? piece : piece.trimEnd(), 0);
        else {
          take(piece);
          flush();
        }
        from = end + 1;
      }
      take(text.slice(from));
    },
    end() {
      if (kept > 0) flush();
    },
    begun: () => (kept > LONGEST_QUESTION ? '' : pieces.join('')),
  };
}
