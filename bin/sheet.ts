// What a page is written on: a terminal of some width, with colour or without, or paper, whose columns nobody counts.

import picocolors from 'picocolors';

export interface Sheet {
  /** Columns of characters; null where nobody counts. */
  width: number | null;
  ink: 'colour' | 'plain';
}

export type Paint = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

export const PAPER: Sheet = { width: null, ink: 'plain' };

const LEAST_WIDTH = 40;

/** That of stdout. @param environment NO_COLOR and TERM=dumb take the colour. */
export function sheetOf(environment: NodeJS.ProcessEnv): Sheet {
  if (process.stdout.isTTY !== true) return PAPER;
  const isPlain = Boolean(environment.NO_COLOR) || environment.TERM === 'dumb';
  return { width: Math.max(LEAST_WIDTH, process.stdout.columns || 80), ink: isPlain ? 'plain' : 'colour' };
}

export const coloursOf = (ink: Sheet['ink']) => picocolors.createColors(ink === 'colour');
