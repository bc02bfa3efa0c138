// Makes the ids of traces and spans from those of runs and calls, so that a receiver recognises a repetition.

import { createHash } from 'node:crypto';

const hashOf = (words: readonly string[]): string => createHash('sha256').update(words.join('\0')).digest('hex');

/** @param root the id of a run, or of a call outside a run. */
export const traceIdOf = (root: string): string => hashOf(['trace', root]).slice(0, 32);

export const spanIdOf = (...words: string[]): string => hashOf(['span', ...words]).slice(0, 16);
