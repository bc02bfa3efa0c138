// Implements tollgate budget without a task: shows and sets the user's limits over all tasks.

import { limitsInForce } from '../../../loops/limits/in-force.ts';
import { locked } from '../../../loops/limits/ledger-lock.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { isBuiltIn, namedTools, TOOL_NAME } from '../../../policies/facts/tools.ts';
import { asOf, countingFrom } from '../../../policies/limits/ledger.ts';
import {
  type BudgetRow,
  isLimited,
  type Limits,
  limitsMistake,
  type Period,
  type Unit,
} from '../../../policies/limits/limits.ts';
import { StrangeStateError } from '../../../state/disk/strange-state-error.ts';
import {
  readHolds,
  readLimitsLedger,
  readUserLimits,
  writeLimitsLedger,
  writeUserLimits,
} from '../../../state/limits/limits-files.ts';
import { type LimitsFiles, limitsFiles } from '../../../state/limits/limits-folder.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { projectRoot } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { Arguments } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { limitsObject, limitsPage } from './limits-page.ts';

const invalid = badInputOf('tollgate budget');

export async function runLimits(args: Arguments): Promise<Ran> {
  const files = limitsFiles(process.env);
  if (files === null)
    return invalid('limits over all tasks are kept in the home of the user, who has none; set HOME or XDG_STATE_HOME');
  const idle = isChange(args) ? undefined : ['per', 'of', 'tool'].find((flag) => args.given.has(flag));
  if (idle !== undefined)
    return invalid(
      `--${idle} says which limit is to be changed; give what it is to be, such as --set N, or leave it out`,
    );
  try {
    const before = readUserLimits(files);
    const changed = isChange(args) ? changedLimits(before, args) : null;
    if (typeof changed === 'string') return invalid(changed);
    if (changed !== null) {
      if (!isLimited(before) && isLimited(changed)) await startCounting(files);
      writeUserLimits(files, changed);
    }
    const now = new Date();
    const shown = {
      inForce: await limitsInForce(files, projectRoot(process.cwd())),
      ledger: asOf(readLimitsLedger(files), now.getTime()),
      holds: readHolds(files, now.getTime()),
      now,
    };
    const note = changed === null || args.given.has('quiet') ? null : strangeTool(args.text.tool);
    return {
      exit: TOLLGATE_EXIT.ok,
      ...(note === null ? {} : { err: `tollgate budget: ${note}\n` }),
      out: args.given.has('json') ? `${JSON.stringify(limitsObject(shown))}\n` : limitsPage(shown),
    };
  } catch (error) {
    if (error instanceof StrangeStateError) return invalid(error.message);
    if (!isSystemError(error)) throw error;
    const why = `your limits cannot be read or written (${error.message}); make ${files.folder} writable, with space on its disk`;
    return { exit: TOLLGATE_EXIT.failure, err: `tollgate budget: ${why}\n` };
  }
}

/** Without a limit, no call was counted. So the ledger records the time from which calls are counted. */
async function startCounting(files: LimitsFiles): Promise<void> {
  const clock = () => new Date();
  const stop = new AbortController().signal;
  await locked({ files, self: (await identify(process.pid))!, clock, stop }, async () => {
    const now = clock().getTime();
    writeLimitsLedger(files, countingFrom(asOf(readLimitsLedger(files), now), now));
  });
}

/** The name may be a typo, and a limit of a CLI that does not exist would limit nothing. */
const strangeTool = (tool: string | undefined): string | null =>
  tool === undefined || tool === 'any' || isBuiltIn(tool)
    ? null
    : `${tool} is none of ${namedTools('and')}: this limit holds for a CLI of that name alone, which a tollgate.yaml describes`;

const CHANGES = ['set', 'unset', 'at-once', 'per-minute', 'time-zone'] as const;

const isChange = ({ given }: Arguments): boolean => CHANGES.some((flag) => given.has(flag));

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
