// tollgate budget: what a task may pay, has paid, and for which stage.

import { TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { JournalError, openJournal } from '../../state/journal.ts';
import { budgetOf, type Ledger } from '../../state/ledger.ts';
import { adoptEdits, refreshStats } from '../../state/stats.ts';
import { locateTask } from '../../state/task-folder.ts';
import { type Ran, readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';

const SPEC: CommandSpec = {
  name: 'tollgate budget',
  usage: 'TASK [--set N] [--reset]',
  about: "Shows a task's paid calls, or changes what it may pay.",
  flags: {
    set: { takes: 'number', about: 'allow this many paid calls in all' },
    reset: { takes: 'nothing', about: 'count from 0 again' },
  },
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate budget fix-login', 'used and left, by stage'],
    ['tollgate budget fix-login --set 20', 'allow 20 calls'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown or changed'],
    [TOLLGATE_EXIT.badInput, 'no such task, or state that cannot be read'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  const located = locateTask(args.words[0]!, process.cwd(), process.env);
  if (located.how === 'mistaken') return mistaken(located.message);
  const clock = () => new Date();
  const journal = openJournal(located.folder.root, clock);
  try {
    const before = journal.read();
    if (before.offset === 0 && located.folder.manifest === null)
      return mistaken(`there is no task at ${located.folder.root}`);
    const mistake = await adoptEdits(journal, clock);
    if (mistake !== null) return mistaken(mistake);
    if (args.number.set !== undefined) journal.append({ fact: 'budget', calls: args.number.set, from: 'command' });
    if (args.given.has('reset')) journal.append({ fact: 'reset', used: 0, at_offset: journal.read().offset });
    const { ledger, offset } = journal.read();
    if (offset > 0) await refreshStats(journal, clock);
    return args.given.has('json')
      ? { exit: 0, out: `${JSON.stringify(viewOf(ledger))}\n` }
      : { exit: 0, out: show(ledger) };
  } catch (error) {
    if (error instanceof JournalError) return mistaken(error.message);
    throw error;
  }
}

function viewOf(ledger: Ledger) {
  const total = budgetOf(ledger);
  const stages: Record<string, number> = {};
  for (const { granted, reserved } of ledger.calls.values())
    if (granted) stages[reserved.stage] = (stages[reserved.stage] ?? 0) + 1;
  return { used: ledger.used, total, left: Math.max(0, total - ledger.used), calls_by_stage: stages };
}

function show(ledger: Ledger): string {
  const { used, total, left, calls_by_stage } = viewOf(ledger);
  const stages = Object.entries(calls_by_stage).map(([stage, calls]) => `  ${stage}: ${calls}`);
  const since = stages.length === 0 ? [] : ['Calls by stage, ever:', ...stages];
  return `${[`${used} of ${total} paid calls used, ${left} left`, ...since].join('\n')}\n`;
}

const mistaken = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate budget: ${message}\n` });
