// Describes the output for a page: a terminal of some width, with or without colour, or paper of unlimited width.

import picocolors from 'picocolors';

export interface Sheet {
  /** Columns of characters; null for unlimited width. */
  width: number | null;
  ink: 'colour' | 'plain';
}

export type Paint = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

export const PAPER: Sheet = { width: null, ink: 'plain' };

const LEAST_WIDTH = 40;

/** The sheet of stdout. @param environment NO_COLOR and TERM=dumb disable colour. */
export function sheetOf(environment: NodeJS.ProcessEnv): Sheet {
  if (process.stdout.isTTY !== true) return PAPER;
  const isPlain = Boolean(environment.NO_COLOR) || environment.TERM === 'dumb';
  return { width: Math.max(LEAST_WIDTH, process.stdout.columns || 80), ink: isPlain ? 'plain' : 'colour' };
}

export const coloursOf = (ink: Sheet['ink']) => picocolors.createColors(ink === 'colour');
