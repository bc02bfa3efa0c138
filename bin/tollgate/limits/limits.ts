// Implements tollgate budget without a task: shows and sets the user's limits over all tasks.

import { limitsInForce } from '../../../loops/limits/in-force.ts';
import { locked } from '../../../loops/limits/ledger-lock.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { isBuiltIn, namedTools } from '../../../policies/facts/tools.ts';
import {
  amount,
  type BudgetUsed,
  budgetsUsed,
  type LimitsReport,
  type PaceRow,
  standingWords,
} from '../../../policies/limits/budget-use.ts';
import { type Hold, holdWords } from '../../../policies/limits/holds.ts';
import { asOf, countingFrom, type LimitsLedger } from '../../../policies/limits/ledger.ts';
import { isLimited, type LimitsInForce } from '../../../policies/limits/limits.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
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
import { whenWords } from '../../from-here.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { coloursOf, isUnicode, type Sheet, sheetOf } from '../../sheet.ts';
import { labelLines } from '../../table.ts';
import { changedLimits, isChange } from './changed-limits.ts';

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
      out: args.given.has('json')
        ? `${JSON.stringify(limitsObject(shown))}\n`
        : limitsPage(shown, sheetOf(process.env)),
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
    : `${tool} is not one of ${namedTools('and')}: this limit holds for a CLI of that name alone, which a tollgate.yaml describes`;

interface Shown {
  inForce: readonly LimitsInForce[];
  ledger: LimitsLedger;
  holds: readonly Hold[];
  now: Date;
}

function limitsObject({ inForce, ledger, holds, now }: Shown): LimitsReport {
  return {
    schema: 1,
    budgets: budgetsUsed(inForce, ledger, now).map((row) => ({
      ...row,
      left: Math.max(0, row.most - row.used),
      from: row.from.toISOString(),
      until: row.until.toISOString(),
      counted_since: row.counted_since?.toISOString() ?? null,
    })),
    at_once: paceRows(inForce, 'at_once'),
    per_minute: paceRows(inForce, 'per_minute'),
    open: ledger.open
      .filter(({ lost }) => lost !== true)
      .map(({ call_id, tool, owner, at }) => ({ call_id, tool, pid: owner.pid, since: new Date(at).toISOString() })),
    holds: holds.map(({ tool, account, model, reason, seen_at, until }) => ({
      tool,
      account,
      model,
      reason,
      since: new Date(seen_at).toISOString(),
      until: until === null ? null : new Date(until).toISOString(),
    })),
  };
}

const paceRows = (inForce: readonly LimitsInForce[], name: 'at_once' | 'per_minute'): PaceRow[] =>
  inForce.flatMap(({ limits, project }) =>
    Object.entries(limits[name]).map(([tool, most]) => ({ tool, most, project })),
  );

function limitsPage(shown: Shown, sheet: Sheet): string {
  const { inForce, ledger, holds, now } = shown;
  const { at_once, per_minute, open } = limitsObject(shown);
  const pace = ({ tool, most, project }: PaceRow, what: string) =>
    `${most} calls ${what}${tool === 'any' ? '' : ` of ${tool}`}${project === null ? '' : ' of this project'}`;
  const lines = [
    ...(inForce.some(({ limits }) => isLimited(limits))
      ? []
      : ['No limit over all tasks; `tollgate budget --per day --set 100` sets one']),
    ...(sheet.width === null
      ? [
          ...budgetsUsed(inForce, ledger, now).map(
            (row) => `${standingWords(row)}, ${leftWords(row)} left${unknownWords(row)}${countedWords(row)}`,
          ),
          ...at_once.map((row) => pace(row, 'at once')),
          ...per_minute.map((row) => pace(row, 'a minute')),
        ]
      : limitRows(shown, at_once, per_minute, sheet)),
    ...(open.length === 0 ? [] : ['Calls that are made now:', ...open.map(openWords)]),
    ...(sheet.width === null ? holds.map(holdWords) : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** On a terminal: what is limited, a bar, and when it starts again. */
function limitRows(
  { inForce, ledger, holds, now }: Shown,
  atOnce: readonly PaceRow[],
  perMinute: readonly PaceRow[],
  sheet: Sheet,
): string[] {
  const whose = ({ tool, project }: { tool: string; project: string | null }) =>
    `${tool === 'any' ? 'all CLIs' : tool}${project === null ? '' : ' (this project)'}`;
  const when = (ms: number) => whenWords(new Date(ms).toISOString(), now);
  const budgets = budgetsUsed(inForce, ledger, now);
  const begins = new Set(budgets.flatMap(({ counted_since: since }) => since?.getTime() ?? []));
  const rows: [label: string, text: string][] = [
    ...budgets.flatMap((row): [string, string][] => {
      const spent = row.unit === 'usd' ? amount(row.used, 'usd') : row.used;
      return [
        [
          whose(row),
          `${bar(row.used, row.most, sheet)}  ${spent} of ${amount(row.most, row.unit)} ${row.per === 'day' ? 'today' : `this ${row.per}`}, ${leftWords(row)} left`,
        ],
        ['', `starts again ${when(row.until.getTime())}${unknownWords(row)}`],
      ];
    }),
    ...[...begins].map((since): [string, string] => ['', `counted since ${when(since)}, when the first limit was set`]),
    ...atOnce.map((row): [string, string] => [whose(row), `at most ${amount(row.most, 'calls')} at once`]),
    ...perMinute.map((row): [string, string] => [whose(row), `at most ${amount(row.most, 'calls')} a minute`]),
    ...holds.flatMap(({ tool, account, model, reason, until, seen_at }): [string, string][] => [
      [
        tool,
        `held until ${until === null ? 'a call tests it' : when(until)}: ${failureSentence({ class: 'quota', reason, tool })}`,
      ],
      ['', `since ${when(seen_at)}; login: ${account}${model === null || model === '*' ? '' : `, model: ${model}`}`],
    ]),
  ];
  return rows.length === 0 ? [] : labelLines(rows, sheet.ink);
}

/** Calls of unknown use may have used more, so that less is left than is known. */
const leftWords = ({ most, used, unit, unknown_calls: unknown }: BudgetUsed): string =>
  `${unknown > 0 && used < most ? 'at most ' : ''}${amount(Math.max(0, most - used), unit)}`;

const unknownWords = ({ unknown_calls: n, unit }: BudgetUsed): string =>
  n === 0 ? '' : `; ${amount(n, 'calls')} more with unknown ${unit === 'usd' ? 'price' : 'tokens'}`;

const countedWords = ({ counted_since: since }: BudgetUsed): string =>
  since === null ? '' : `; calls before ${since.toISOString()} are not all counted, since no limit was set`;

const openWords = ({ call_id, tool, pid, since }: LimitsReport['open'][number]): string =>
  `  ${tool} ${call_id} (pid ${pid}) since ${since}`;

const CELLS = 12;
const NEAR = 0.8;

/** The share is capped at 100 % for the bar, not for the figure, which is 100 % only at the limit. A small use is shown as less than a cell. A limit of 0 is used up. */
export function bar(used: number, most: number, sheet: Sheet): string {
  const share = most > 0 ? used / most : 1;
  const full = Math.min(CELLS, Math.floor(share * CELLS));
  const [filled, open, sliver] = isUnicode(process.env) ? ['█', '░', '▏'] : ['#', '.', ':'];
  const begun = full === 0 && used > 0 ? sliver! : '';
  const percent =
    share > 0 && share < 0.01
      ? '< 1 %'
      : `${share < 1 ? Math.min(99, Math.round(share * 100)) : Math.floor(share * 100)} %`;
  const paint = coloursOf(sheet.ink)[share >= 1 ? 'red' : share >= NEAR ? 'yellow' : 'green'];
  return `${paint(filled!.repeat(full) + begun)}${open!.repeat(CELLS - full - begun.length)} ${percent.padStart(5)}`;
}
