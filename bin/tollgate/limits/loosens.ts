// Checks whether a change of a budget allows more than before.

import type { Limits } from '../../../policies/limits/limits.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { budgetOf } from '../../../state/journal/ledger.ts';
import { readUserLimits } from '../../../state/limits/limits-files.ts';
import { limitsFiles } from '../../../state/limits/limits-folder.ts';
import { locateTask } from '../../../state/task-folder.ts';
import type { Arguments } from '../../command-line.ts';
import { changedLimits } from './changed-limits.ts';

/** State that cannot be read counts as loosened. */
export function loosensBudget(args: Arguments): boolean {
  try {
    return args.words.length === 0 ? loosensLimits(args) : loosensTask(args);
  } catch {
    return true;
  }
}

/** The manifest sets the budget of a task that has not run yet. So no recorded budget exists to compare with. */
function loosensTask({ words, number, given }: Arguments): boolean {
  const located = locateTask(words[0]!, process.cwd(), process.env);
  if (located.how === 'invalid' || given.has('reset') || number.set === undefined) return true;
  const { ledger, offset } = openJournal(located.folder.root, () => new Date()).read();
  return offset === 0 || number.set > budgetOf(ledger);
}

function loosensLimits(args: Arguments): boolean {
  const files = limitsFiles(process.env);
  if (files === null) return true;
  const before = readUserLimits(files);
  const after = changedLimits(before, args);
  return typeof after === 'string' || isLooser(before, after);
}

/** True if a limit is higher or gone, or if the time zone differs, which moves the start of a day. */
function isLooser(before: Limits, after: Limits): boolean {
  const [old, next] = [figuresOf(before), figuresOf(after)];
  return before.time_zone !== after.time_zone || [...old].some(([name, most]) => (next.get(name) ?? Infinity) > most);
}

const figuresOf = ({ budgets, at_once, per_minute }: Limits): Map<string, number> =>
  new Map<string, number>([
    ...budgets.flatMap(({ per, tool, ...units }) =>
      Object.entries(units).map(([unit, most]) => [`${per} ${tool} ${unit}`, most as number] as const),
    ),
    ...Object.entries(at_once).map(([tool, most]) => [`at once ${tool}`, most as number] as const),
    ...Object.entries(per_minute).map(([tool, most]) => [`per minute ${tool}`, most as number] as const),
  ]);
