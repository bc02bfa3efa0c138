// Converts the results of a sweep to findings, as preflight reports them.

import type { CheckFinding } from '../../policies/facts/finding.ts';
import { isUnswept, type Swept } from './swept.ts';

/** One finding for each result, in the same order. */
export const findingsOf = (swept: readonly Swept[]): CheckFinding[] =>
  swept.map(({ what, how, told, fix }) => ({ check: `${what} ${how}`, status: STATUS[how], found: told, fix }));

const STATUS = {
  settled: 'ok',
  ended: 'ok',
  removed: 'ok',
  working: 'note',
  elsewhere: 'note',
  unseen: 'note',
  kept: 'fail',
  failed: 'fail',
} as const satisfies Record<Swept['how'], CheckFinding['status']>;

/** One line at the end. */
export function summariseSwept(swept: readonly Swept[]): string {
  if (swept.length === 0) return 'Nothing to sweep.';
  const unswept = swept.filter(isUnswept).length;
  const waiting = swept.filter(({ how }) => how === 'working' || how === 'elsewhere').length;
  const unseen = swept.filter(({ how }) => how === 'unseen').length;
  const counts = [
    `${swept.length - unswept - waiting - unseen} swept`,
    ...(waiting === 0 ? [] : [`${waiting} still at work`]),
    ...(unswept === 0 ? [] : [`${unswept} to be seen to`]),
  ];
  return `${counts.join(', ')}.`;
}
