// Lists what an agent may not do within its call. Each command is checked against this when its arguments are read.

import { refusalInCall } from '../../loops/report/calling-call.ts';
import type { Arguments } from '../command-line.ts';
import { loosensBudget } from './limits/changed-limits.ts';

interface GuardedAct {
  command: string;
  /** What a call may not do, such as `change a budget`. */
  act: string;
  /** Whether these arguments do it; by default all do. `never`: the command calls {@link refusalWithin} itself. */
  when?: ((args: Arguments) => boolean) | 'never';
  /** Whether it loosens what the user has set. Then it is also refused if its origin cannot be determined. */
  loosens: boolean | ((args: Arguments) => boolean | Promise<boolean>);
}

const has =
  (...flags: string[]) =>
  ({ given }: Arguments) =>
    flags.some((flag) => given.has(flag));

const acceptsChanges = (command: string) =>
  ({ command, act: 'accept what was changed', when: has('accept-changes'), loosens: true }) as const;

const acceptsTree = (command: string) =>
  ({ command, act: 'accept a tree that has moved on', when: has('accept-tree'), loosens: true }) as const;

const changesLimitOfBook = (command: string) =>
  ({ command, act: 'change the limit of a distillation', when: has('max-calls'), loosens: true }) as const;

export const GUARDED = {
  budget: {
    command: 'tollgate budget',
    act: 'change a budget',
    when: has('set', 'reset', 'unset', 'at-once', 'per-minute', 'time-zone'),
    loosens: async (args) => loosensBudget(args),
  },
  answer: { command: 'tollgate answer', act: 'answer for a person', loosens: true },
  console: { command: 'tollgate console', act: 'open the console', loosens: true },
  trust: {
    command: 'tollgate trust',
    act: 'change which folders are trusted',
    when: (args) => !has('list')(args),
    loosens: (args) => !has('revoke')(args),
  },
  tools: {
    command: 'tollgate tools',
    act: 'describe a CLI',
    when: ({ words }) => words[0] === 'add',
    loosens: false,
  },
  acceptInRun: acceptsChanges('tollgate run'),
  acceptInBatch: acceptsChanges('tollgate batch'),
  acceptInSupervision: acceptsChanges('tollgate supervise'),
  acceptTree: acceptsTree('tollgate supervise'),
  // A task that is written again after it was archived gets a new account.
  archive: {
    command: 'tollgate archive',
    act: 'put a task away',
    when: (args) => !has('dry-run')(args),
    loosens: true,
  },
  endOfComparison: {
    command: 'tollgate compare',
    act: 'apply or remove a comparison',
    when: has('pick', 'remove'),
    loosens: false,
  },
  limitOfBook: changesLimitOfBook('tollgate distill'),
  limitOfResumedBook: changesLimitOfBook('tollgate distill resume'),
  adopt: {
    command: 'tollgate sessions',
    act: 'take on a session',
    when: ({ words, given }) => words[0] === 'adopt' && !given.has('list'),
    loosens: false,
  },
  forget: {
    command: 'tollgate sessions',
    act: 'forget a session',
    when: ({ words }) => words[0] === 'forget',
    loosens: false,
  },
  undo: { command: 'tollgate undo', act: 'change a conversation', loosens: false },
  recover: { command: 'tollgate recover', act: 'change a conversation', loosens: false },
  submit: { command: 'tollgate submit', act: 'send a task to a fleet', loosens: true },
  worker: { command: 'tollgate worker', act: 'start a worker', loosens: true },
  fleet: {
    command: 'tollgate fleet',
    act: 'control a fleet',
    when: ({ words }) => words[0] !== 'status',
    loosens: true,
  },
  sweep: { command: 'tollgate preflight', act: 'sweep', when: has('sweep'), loosens: false },
  // The task is written anyway.
  gitignore: { command: 'tollgate init', act: 'change .gitignore', when: 'never', loosens: false },
} as const satisfies Record<string, GuardedAct>;

/** @returns why these arguments of a command are refused here, or null. */
export async function refusalOfArguments(command: string, args: Arguments): Promise<string | null> {
  const acts: GuardedAct[] = Object.values(GUARDED);
  // `preflight` is also a command of its own.
  const names = [command, `tollgate ${command}`];
  const done = acts.filter(
    ({ when, ...row }) => names.includes(row.command) && when !== 'never' && (when === undefined || when(args)),
  );
  for (const row of done) {
    const refusal = await refusalOf(row, args);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** @returns why an act that is not a command is refused here, or null. */
export const refusalWithin = (name: keyof typeof GUARDED): Promise<string | null> => refusalOf(GUARDED[name], NONE);

const NONE: Arguments = { text: {}, texts: {}, number: {}, given: new Set(), words: [] };

const refusalOf = ({ act, loosens }: GuardedAct, args: Arguments): Promise<string | null> =>
  refusalInCall(act, async () => (typeof loosens === 'boolean' ? loosens : loosens(args)));
