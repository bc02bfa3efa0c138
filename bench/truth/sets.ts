// The corpus in its sets: what the rules were written by, and what was held back from those who wrote them.

import path from 'node:path';
import { readCorpus } from '../../state/corpus.ts';
import { type Subject, subjectOf } from './subject.ts';

export interface Sets {
  open: Subject[];
  held: Subject[];
}

/** Folders of the corpus whose name begins with `held` are the held set; all else is open. Throws if it is malformed. */
export function readSets(corpus: string): Sets {
  const read = readCorpus(corpus, process.cwd());
  if (read.how === 'mistaken') throw new Error(read.message);
  const isHeld = (file: string) => path.relative(corpus, file).startsWith('held');
  const of = (set: 'open' | 'held') =>
    read.cases.filter(({ file }) => isHeld(file) === (set === 'held')).map(subjectOf);
  return { open: of('open'), held: of('held') };
}
