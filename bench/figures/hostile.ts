// What the worst of many hostile texts takes: of each kind of work the one that takes longest, by its name.

import { PIECES } from '../truth/pieces.ts';
import { HOSTILE_CHARS, measureWorst } from '../truth/speed.ts';
import type { Figure, FigureRow } from './row.ts';

/** ms that a text may take at most; no goal where there is none. */
const GOALS: Record<string, number> = { 'select error lines': 20, sign: 20, redact: 20 };
const GOAL_TRIAGE_MS = 50;

export const HOSTILE: Figure = {
  about: `the worst of ${PIECES.length} hostile texts of ${HOSTILE_CHARS / 1000} kB, medians of five`,
  rounds: null,
  async measure() {
    return Object.entries(measureWorst([])).map(([work, { ms, of }]): FigureRow => {
      const most = GOALS[work] ?? (work.startsWith('triage') ? GOAL_TRIAGE_MS : null);
      return {
        what: `${work}: ${shownPiece(of)}`,
        unit: 'ms',
        ours: ms,
        min: ms,
        peer: null,
        goals: most === null ? [] : [{ goal: `≤ ${most} ms`, isReached: ms <= most }],
      };
    });
  },
};

/** In a table a bar would part two cells. */
const shownPiece = (piece: string): string => `\`${piece.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
