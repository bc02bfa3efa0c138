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
  if (read.how === 'invalid') throw new Error(read.message);
  const subjects = read.cases.map((labelled) => subjectOf(labelled, partOf(path.relative(corpus, labelled.file))));
  const isHeld = ({ part }: Subject) => part.startsWith('held');
  return { open: subjects.filter((one) => !isHeld(one)), held: subjects.filter(isHeld) };
}

/** Each folder has a writer of its own; the recordings and the wordings beside them are of another. */
function partOf(file: string): string {
  const [folder = ''] = file.split(path.sep);
  return folder.endsWith('.jsonl') || folder === 'wordings' ? 'recorded' : folder;
}
