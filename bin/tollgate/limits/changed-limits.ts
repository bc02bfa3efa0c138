// Changes limits over all tasks by the flags of tollgate budget, and checks whether a change allows more than before.

import { TOOL_NAME } from '../../../policies/facts/tools.ts';
import { type BudgetRow, type Limits, limitsMistake, type Period, type Unit } from '../../../policies/limits/limits.ts';
import { tried } from '../../../policies/text/tried.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { budgetOf } from '../../../state/journal/ledger.ts';
import { readUserLimits } from '../../../state/limits/limits-files.ts';
import { limitsFiles } from '../../../state/limits/limits-folder.ts';
import { locateTask } from '../../../state/task-folder.ts';
import type { Arguments } from '../../command-line.ts';

const CHANGES = ['set', 'unset', 'at-once', 'per-minute', 'time-zone'] as const;

export const isChange = ({ given }: Arguments): boolean => CHANGES.some((flag) => given.has(flag));

/** @returns the changed limits, or what is wrong with the combination of flags. */
export function changedLimits(limits: Limits, { text, number, given }: Arguments): Limits | string {
  const tool = text.tool ?? 'any';
  if (!TOOL_NAME.test(tool)) return `--tool ${JSON.stringify(tool)} is no name of a CLI`;
  const isBudget = given.has('set') || given.has('unset');
  if (given.has('set') && given.has('unset')) return '--set and --unset are two things; give one of them';
  if (isBudget && text.per === undefined)
    return '--set and --unset need --per day, week or month; to change what a task may pay, name the task';
  if (!isBudget && given.has('per')) return '--per says of which budget; give --set N or --unset with it';
  const next: Limits = {
    time_zone: text['time-zone'] ?? limits.time_zone,
    budgets: isBudget
      ? withBudget(limits.budgets, {
          per: text.per as Period,
          tool: tool as BudgetRow['tool'],
          unit: (text.of ?? 'calls') as Unit,
          most: number.set ?? null,
        })
      : limits.budgets,
    at_once: withPace(limits.at_once, tool, number['at-once']),
    per_minute: withPace(limits.per_minute, tool, number['per-minute']),
  };
  const mistake = limitsMistake(next);
  return mistake === null ? next : `this would be no limit: it ${mistake}`;
}

interface BudgetChange {
  per: Period;
  tool: BudgetRow['tool'];
  unit: Unit;
  /** null removes the limit. */
  most: number | null;
}

function withBudget(rows: readonly BudgetRow[], { per, tool, unit, most }: BudgetChange): BudgetRow[] {
  const others = rows.flatMap((row) => {
    if (row.per !== per || row.tool !== tool) return [row];
    const { [unit]: _, ...rest } = row;
    return Object.keys(rest).length === 2 ? [] : [rest];
  });
  return most === null ? others : [...others, { per, tool, [unit]: most }];
}

/** 0 removes the limit. */
function withPace(counts: Limits['at_once'], tool: string, most: number | undefined): Limits['at_once'] {
  if (most === undefined) return counts;
  const { [tool]: _, ...others } = counts;
  return most === 0 ? others : { ...others, [tool]: most };
}

/** State that cannot be read counts as loosened. */
export const loosensBudget = (args: Arguments): boolean =>
  tried(() => (args.words.length === 0 ? loosensLimits(args) : loosensTask(args))) ?? true;

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
