// Passes over the middle of a flood of lines that are too short to say anything.

interface ShortLines {
  /** Takes a line of `SHORT` characters at most. */
  push(line: string): void;
  /** A longer one follows. */
  end(): void;
  /** Gives out what is held back. */
  flush(): void;
}

/** No line of so few characters says by itself what went wrong. */
export const SHORT = 3;
/** Of so many in a row the first are read, and of those that follow the last: they may open what comes. */
const FIRST = 1000;
const LAST = 8;

/** @param skip gets each line that is passed over. */
export function createShortLines(emit: (line: string) => void, skip: (line: string) => void): ShortLines {
  let inRow = 0;
  let last: string[] = [];
  const flush = () => {
    const lines = last;
    last = [];
    for (const line of lines) emit(line);
  };
  return {
    end() {
      inRow = 0;
      if (last.length > 0) flush();
    },
    push(line) {
      inRow += 1;
      if (inRow <= FIRST) return emit(line);
      last.push(line);
      if (last.length > LAST) skip(last.shift()!);
    },
    flush,
  };
}
