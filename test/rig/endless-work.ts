// Provides work that never ends by itself, or that fills the memory of its process.

import { answerFromProcess } from '../../loops/limited-process.ts';

export const inProcess = (): Promise<void> =>
  answerFromProcess(async (what: 'loops' | 'grows' | 'buffers' | 'answers' | 'throws') => {
    const kept: unknown[] = [];
    if (what === 'throws') throw new RangeError('too deep');
    while (what !== 'answers')
      if (what === 'grows') kept.push(new Array<number>(1e6).fill(1.5));
      else if (what === 'buffers') kept.push(Buffer.alloc(2 ** 26, 1));
    return 'an answer';
  });
