// Keeps the first lines of a kind, none twice in normal form, and the last ones of a flood too.

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
