// Records what became of the lines of a text, to explain why one was signed and another was not.

export interface LineFate {
  /** In words: the name of the line's kind, or what else was found out. */
  fate: string;
  count: number;
  /** The first of these lines, at most 160 characters of it. */
  example: string;
}

export interface LineFates {
  note(fate: string, line: string): void;
  /** In the order of first occurrence. */
  fates(): LineFate[];
}

const MAX_EXAMPLE = 160;

export function createLineFates(): LineFates {
  const fates = new Map<string, LineFate>();
  return {
    note(fate, line) {
      const known = fates.get(fate);
      if (known) known.count += 1;
      else fates.set(fate, { fate, count: 1, example: line.slice(0, MAX_EXAMPLE) });
    },
    fates: () => [...fates.values()],
  };
}
