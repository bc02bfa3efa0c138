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

export const sheetOf = (environment: NodeJS.ProcessEnv): Sheet =>
  sheetFor({ isTTY: process.stdout.isTTY, columns: process.stdout.columns }, environment);

/** The sheet of one output. @param environment NO_COLOR and TERM=dumb disable colour. */
export function sheetFor({ isTTY, columns }: Output, environment: NodeJS.ProcessEnv): Sheet {
  if (isTTY !== true) return PAPER;
  const isPlain = Boolean(environment.NO_COLOR) || environment.TERM === 'dumb';
  return { width: Math.max(LEAST_WIDTH, columns || 80), ink: isPlain ? 'plain' : 'colour' };
}

interface Output {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Whether the terminal shows characters beyond ASCII, by the locale of the user. */
export const isUnicode = ({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean =>
  /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');

export const coloursOf = (ink: Sheet['ink']) => picocolors.createColors(ink === 'colour');
