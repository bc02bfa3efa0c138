// The ids of traces and spans, made from those of runs and calls: whoever gets the same one twice can tell.

import { createHash } from 'node:crypto';

const hashOf = (words: readonly string[]): string => createHash('sha256').update(words.join('\0')).digest('hex');

/** @param root the id of a run, or of a call that none made. */
export const traceIdOf = (root: string): string => hashOf(['trace', root]).slice(0, 32);

export const spanIdOf = (...words: string[]): string => hashOf(['span', ...words]).slice(0, 16);
