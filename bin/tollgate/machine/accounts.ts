// Implements tollgate accounts: lists the accounts of the user's settings with their login, holds and usage.

import { collectSpending, collectTasks } from '../../../loops/report/collect.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { accountOf } from '../../../policies/limits/account.ts';
import { type Hold, holdWords } from '../../../policies/limits/holds.ts';
import { inAccount, signInWay } from '../../../policies/limits/user-accounts.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { type ListedAccount, readAccounts, settingsFile } from '../../../state/accounts.ts';
import { readHolds } from '../../../state/limits/limits-files.ts';
import { limitsFiles } from '../../../state/limits/limits-folder.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { homeOf } from '../../../wrappers/home.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { sheetOf } from '../../sheet.ts';
import { tableLines } from '../../table.ts';

const SPEC: CommandSpec = {
  name: 'tollgate accounts',
  usage: '[--json]',
  about:
    "Lists the accounts of your settings (~/.config/tollgate/settings.yaml): whether each is signed in, what its service holds back, and what this project's tasks used. It starts no CLI. Whether you may use several accounts is up to the terms of each provider.",
  flags: {},
  words: { min: 0, max: 0, called: 'nothing' },
  examples: [
    ['tollgate accounts', 'which logins there are'],
    ['tollgate call --account second "…"', 'a call with one of them'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'listed'],
    [TOLLGATE_EXIT.badInput, 'a flag is wrong, or the settings cannot be used'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const [environment, cwd, now] = [process.env, process.cwd(), new Date()];
  const accounts = await readAccounts(environment, cwd);
  if (typeof accounts === 'string') return badInputOf(SPEC.name)(accounts);
  const files = limitsFiles(environment);
  const holds = files === null ? [] : readHolds(files, now.getTime());
  const collected = await collectTasks({
    ...{ word: null, cwd, environment, sinceMs: null, which: 'all', stages: 'left_out', now },
  });
  const tasks = collected.how === 'read' ? collected.report.tasks : [];
  const spent = await collectSpending(tasks, cwd, environment);
  const rows = accounts.map((account) => rowOf(account, accounts, { holds, spent, cwd }));
  if (read.args.given.has('json'))
    return { exit: TOLLGATE_EXIT.ok, out: `${JSON.stringify({ schema: 1, accounts: rows }, null, 2)}\n` };
  if (rows.length === 0)
    return {
      exit: TOLLGATE_EXIT.ok,
      out: `No account is defined. Add one to ${settingsFile(environment)}:\n\n${EXAMPLE}`,
    };
  const lines = tableLines(COLUMNS, rows.map(cellsOf), sheetOf(environment));
  const notes = rows.flatMap(({ name, login, because, fix, holds }) => [
    ...(login === 'signed_in' ? [] : [`${name}: ${because}${fix === null ? '' : `; ${fix}`}`]),
    ...holds,
  ]);
  return { exit: TOLLGATE_EXIT.ok, out: `${[...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n')}\n` };
}

const EXAMPLE = `accounts:\n  second: {tool: ${TOOLS.at(-1)}, home: ~/.second}\n`;

interface Found {
  holds: readonly Hold[];
  spent: readonly DaySpending[];
  cwd: string;
}

function rowOf(account: ListedAccount, all: readonly ListedAccount[], { holds, spent, cwd }: Found) {
  const { name, tool, home, key, problem } = account;
  const environment = inAccount(account, all, process.env);
  const found =
    problem === null
      ? ADAPTERS[tool].signIn({ environment, home: homeOf(environment) ?? cwd, cwd })
      : { how: 'unusable' as const, because: problem, fix: null };
  const its = holds.filter((hold) => hold.tool === tool && hold.account === accountOf(tool, environment));
  const used = spent.filter((row) => row.tool === tool && row.account === name);
  const sum = (of: (row: DaySpending) => number) => used.reduce((total, row) => total + of(row), 0);
  return {
    ...{ name, tool, home, key },
    login: found.how,
    because: found.how === 'signed_in' ? `by ${found.by}` : found.because,
    fix:
      found.how === 'signed_in' || found.how === 'unusable'
        ? null
        : found.how === 'signed_out' && found.config
          ? found.fix
          : signInWay(account),
    holds: its.map(holdWords),
    used: {
      calls: sum((row) => row.calls),
      tokens: sum((row) => row.tokens),
      calls_without_tokens: sum((row) => row.calls_without_tokens),
      usd: sum((row) => row.usd),
      calls_without_price: sum((row) => row.calls_without_price),
    },
  };
}

type Row = ReturnType<typeof rowOf>;

const COLUMNS = [
  { heading: 'ACCOUNT' },
  { heading: 'CLI' },
  { heading: 'LOGIN' },
  { heading: 'HELD', leaveOut: 1 },
  { heading: 'USED HERE' },
  { heading: 'FOLDER', least: 10, leaveOut: 2 },
];

const cellsOf = ({ name, tool, login, holds, used, home }: Row): string[] => [
  name,
  tool,
  login.replace('_', ' '),
  holds.length === 0 ? 'no' : 'yes',
  `${used.calls} ${used.calls === 1 ? 'call' : 'calls'}, ${used.tokens} tokens`,
  home,
];
