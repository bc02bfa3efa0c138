// Keeps few lines of many: the first of a kind, the last of a flood, none twice; and records what became of the others.

import { read } from './normalise.ts';

interface Basket {
  /** Adds a tidied line; returns what became of it. */
  add(line: string): 'kept' | 'said before' | 'one too many';
  lines(): string[];
}

/** The limits of a basket. */
export interface Capacity {
  /** Lines that are kept. */
  first: number;
  /** Lines that are read to find them: a line that says nothing new is not kept, but reading it takes time. */
  looks: number;
  /** Lines that are kept of those that came later. */
  last: number;
}

const MAX_FORM = 600;
const NO_CONTEXT = {};

export function createBasket({ first, looks, last }: Capacity): Basket {
  const forms = new Set<string>();
  const kept: string[] = [];
  /** A ring: the oldest line is at `later % last`. */
  const ring: string[] = [];
  let previous = '';
  let looked = 0;
  let later = 0;

  return {
    add(line) {
      if (line === previous) return 'said before';
      previous = line;
      if (kept.length < first && looked < looks) {
        looked += 1;
        if (!isNew(line, forms)) return 'said before';
        kept.push(line);
        return 'kept';
      }
      if (last > 0) {
        ring[later % last] = line;
        later += 1;
      }
      return 'one too many';
    },
    lines() {
      const oldest = later > last ? later % last : 0;
      const seen = new Set(forms);
      return [...kept, ...[...ring.slice(oldest), ...ring.slice(0, oldest)].filter((line) => isNew(line, seen))];
    },
  };
}

/** Whether no earlier line had the same normal form. */
function isNew(line: string, forms: Set<string>): boolean {
  const { size } = forms;
  return forms.add(read(line, NO_CONTEXT, MAX_FORM) || line).size > size;
}

/** What became of the lines of a text, to explain why one was signed and another was not. */
interface LineFate {
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

/** Skips the middle of a flood of lines that are too short to matter. @param skip receives each skipped line. */
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
