// The few scenarios that every tested version of a CLI is run with: each of its own mechanism, cheap enough for all versions.

import { type MatrixRow, matrixRows } from './rows.ts';

const CHOSEN = [
  'ok',
  'tool',
  'large answer',
  '401',
  '404',
  '429daily',
  '503',
  'toolong',
  'empty',
  'slow',
  'unknown session',
  'turn limit in an endless tool loop',
  'stalled answer, deadline',
  'stalled answer, idle limit',
  'stalled answer, SIGTERM',
  'answer over the limit of output',
];

export const VERSION_ROWS: readonly MatrixRow[] = [
  ...CHOSEN.map((chosen) => matrixRows.find(({ name }) => name === chosen)!),
  { name: 'resumed', scenario: 'ok', class: null, requests: 2, setup: { resumed: true } },
  // The service refuses a history in which a call and its result do not pair.
  { name: 'resumed after a tool', scenario: 'tool', class: null, requests: 4, setup: { resumed: true } },
];
