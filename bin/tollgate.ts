// The command tollgate: one word chooses what it does, and only that is loaded.

import manifest from '../package.json';
import { EXIT_BUG, EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../policies/exit-codes.ts';
import { nearest } from '../policies/nearest.ts';
import { type Ran, runCommand } from './command.ts';

interface Subcommand {
  about: string;
  load(): Promise<{ run(argv: readonly string[]): Promise<Ran> }>;
}

export const SUBCOMMANDS: Record<string, Subcommand> = {
  run: {
    about: 'dispatch one task: its stages in order, with retries, budget and report',
    load: () => import('./tollgate/run.ts'),
  },
  init: {
    about: 'write a task folder to fill in',
    load: () => import('./tollgate/init.ts'),
  },
  explain: {
    about: "a task's last failure: evidence, the rule that matched, what its signature stands for, what to do",
    load: () => import('./tollgate/explain.ts'),
  },
  report: {
    about: 'how all tasks stand, and their failures by signature',
    load: () => import('./tollgate/report.ts'),
  },
  archive: {
    about: 'put tasks that have ended out of the way, or delete them',
    load: () => import('./tollgate/archive.ts'),
  },
  batch: {
    about: 'dispatch many tasks at once on this machine, with one report',
    load: () => import('./tollgate/batch.ts'),
  },
  budget: {
    about: "a task's paid calls and tokens: used, left, by stage; set or reset them",
    load: () => import('./tollgate/budget.ts'),
  },
  sessions: {
    about: 'which sessions of the CLIs the tags go on with: show, adopt, forget',
    load: () => import('./tollgate/sessions.ts'),
  },
  scope: {
    about: 'ask whether a task may change a path, before it is changed',
    load: () => import('./tollgate/scope.ts'),
  },
  history: {
    about: 'a conversation as people read it, with what was taken back of it',
    load: () => import('./tollgate/history.ts'),
  },
  undo: {
    about: "take back a conversation's last answer, ask something else instead, or bring it back",
    load: () => import('./tollgate/undo.ts'),
  },
  recover: {
    about: 'get a conversation going again that its service refuses',
    load: () => import('./tollgate/recover.ts'),
  },
  triage: { about: 'the verdict for a captured stderr and stdout', load: () => import('./tollgate/triage.ts') },
  signature: {
    about: "a failure's signature, and the text it stands for",
    load: () => import('./tollgate/signature.ts'),
  },
  preflight: {
    about: 'check the machine before anything is paid',
    load: async () => ({ run: (await import('./preflight-command.ts')).preflightCommand }),
  },
  wait: {
    about: 'wait for parallel wrappers or tasks',
    load: async () => ({ run: (await import('./wait-command.ts')).waitCommand }),
  },
};

const EXAMPLES: readonly (readonly [line: string, does: string])[] = [
  ['tollgate preflight', 'is the machine ready?'],
  ['tollgate run fix-login', 'the task in .tmp/task/fix-login'],
  ['tollgate run ./tasks/fix-login --json', 'one object on stdout, for another program'],
  ['tollgate budget fix-login --set 20', 'allow 20 paid calls'],
];

const EXITS: readonly (readonly [code: number | string, means: string])[] = [
  [TOLLGATE_EXIT.ok, 'done'],
  [TOLLGATE_EXIT.failure, 'a stage, a check or an awaited call failed'],
  [TOLLGATE_EXIT.badInput, 'usage, or a mistake in what was given; nothing was paid'],
  [Object.values(EXIT_BY_SIGNAL).join(', '), `stopped by ${Object.keys(EXIT_BY_SIGNAL).join(', ')}`],
  [EXIT_BUG, 'a bug of ours'],
];

void runCommand(async ([word, ...rest]) => {
  if (word === undefined) return { exit: TOLLGATE_EXIT.badInput, err: usage() };
  if (word === '--help' || word === '-h' || word === 'help') return { exit: 0, out: usage() };
  if (word === '--version') return { exit: 0, out: `${manifest.version}\n` };
  const subcommand = Object.hasOwn(SUBCOMMANDS, word) ? SUBCOMMANDS[word] : undefined;
  if (subcommand !== undefined) return (await subcommand.load()).run(rest);
  const near = nearest(word, Object.keys(SUBCOMMANDS));
  const hint = near === null ? 'tollgate --help lists the commands' : `did you mean ${near}?`;
  return { exit: TOLLGATE_EXIT.badInput, err: `tollgate: unknown command "${word}"; ${hint}\n` };
});

function usage(): string {
  const commands = Object.entries(SUBCOMMANDS).map(([name, { about }]) => [`tollgate ${name}`, about] as const);
  return `${[
    'Call the headless agent CLIs gemini, copilot and codex like a reliable function.',
    '',
    'Commands:',
    ...columns(commands),
    '',
    'Examples:',
    ...columns(EXAMPLES),
    '',
    'Exit codes:',
    ...columns(EXITS),
    '',
    'tollgate COMMAND --help says more. The wrappers are commands of their own, with exit codes of their own:',
    'gemini_headless, copilot_tool, run_codex.',
  ].join('\n')}\n`;
}

function columns(rows: readonly (readonly [left: number | string, right: string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => String(left).length));
  return rows.map(([left, right]) => `  ${String(left).padEnd(width)}  ${right}`);
}
