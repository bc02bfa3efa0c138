// Makes lines of text that comes in pieces, wherever it was cut, and keeps no more of a line than is wanted.

export interface LineSplitter {
  push(text: string): void;
  /** Gives out a last line that has no line end. */
  end(): void;
}

/** So much of a line of stderr is read: its beginning, and the JSON in it. */
export const MAX_STDERR_LINE = 32_768;

/**
 * @param maxLine characters of a line that are kept.
 * @param keeps all of a line, or what is `shown` of it: a terminal writes over what stands before a carriage return,
 *   so that of a progress bar only the last state is a line, however long it went on.
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
  let returned = false;

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
    let end = piece.length;
    while (end > 0 && piece.charCodeAt(end - 1) === RETURN) end -= 1;
    if (end > 0) {
      const from = piece.lastIndexOf('\r', end - 1) + 1;
      if (from > 0 || returned) clear();
      keep(piece.slice(from, end));
    }
    returned = end < piece.length || (returned && end === 0);
  };
  const take = keeps === 'all' ? keep : show;
  const flush = () => {
    const line = pieces.length === 1 ? pieces[0]! : pieces.join('');
    const lost = dropped;
    clear();
    returned = false;
    onLine(lost === 0 && line.endsWith('\r') ? line.slice(0, -1) : line, lost);
  };
  return {
    push(text) {
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        take(text.slice(from, end));
        flush();
        from = end + 1;
      }
      take(text.slice(from));
    },
    end() {
      if (kept > 0) flush();
    },
  };
}

const RETURN = 13;
