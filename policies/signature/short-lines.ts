// Skips the middle of a flood of lines that are too short to say anything.

interface ShortLines {
  /** Takes a line of `SHORT` characters at most. */
  push(line: string): void;
  /** A longer line follows. */
  end(): void;
  /** Emits the lines that are held back. */
  flush(): void;
}

/** A line of so few characters never says by itself what went wrong. */
export const SHORT = 3;
/** Reads the first lines in a row and the last of those that follow: the last may open what comes next. */
const FIRST = 1000;
const LAST = 8;

/** @param skip receives each line that is skipped. */
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
