// Work that never ends by itself, or that fills the memory of its thread.

import { answerFromThread } from '../../loops/limited-thread.ts';

export const inThread = (): Promise<void> =>
  answerFromThread(async (what: 'loops' | 'grows' | 'answers') => {
    const kept: number[][] = [];
    while (what !== 'answers') if (what === 'grows') kept.push(new Array<number>(1e6).fill(1.5));
    return 'an answer';
  });
