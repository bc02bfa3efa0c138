// Lists the subcommands of tollgate: a description of each, and how to load it.

import type { Ran } from '../ran.ts';
import type { CompletedCommand } from './completion/table.ts';

/** The groups of `tollgate --help`, in its order. */
export const GROUPS = ['call', 'tasks', 'inspect', 'sessions', 'agents', 'machine'] as const;

/** What `tollgate --help` describes; it only names the others. */
export const MOST_USED: readonly string[] = [
  'call',
  'run',
  'init',
  'batch',
  'status',
  'explain',
  'report',
  'sessions',
  'history',
  'mcp',
  'doctor',
  'console',
];

interface Subcommand {
  group: (typeof GROUPS)[number];
  /** At most 56 characters: `tollgate --help` has one line of 80 columns for it. */
  about: string;
  /** What kind of words it takes; by default files, or nothing that is known. */
  word?: NonNullable<CompletedCommand['word']>;
  /** What it prints is a page for a person: a terminal wraps it, unless it is JSON. */
  isPage?: true;
  /** The command writes to the state of the project, so no link may redirect that state. */
  writes?: true;
  load(): Promise<{ run(argv: readonly string[]): Promise<Ran> }>;
}

/** A command loads its family, which takes up to 20 ms; the commands that start most often have none. */
const tasks = () => import('./families/tasks.ts');
const inspect = () => import('./families/inspect.ts');
const machine = () => import('./families/machine.ts');
const fleet = () => import('./fleet.ts');

export const SUBCOMMANDS: Record<string, Subcommand> = {
  run: {
    group: 'tasks',
    about: 'run one task: its stages in order, retries, budget, report',
    writes: true,
    word: 'task',
    load: () => import('./run.ts'),
  },
  supervise: {
    group: 'tasks',
    about: 'let a reasoner instruct a worker step by step',
    isPage: true,
    writes: true,
    word: 'task',
    load: async () => ({ run: (await tasks()).supervise }),
  },
  answer: {
    group: 'tasks',
    about: 'answer the reasoner of a supervised task',
    isPage: true,
    writes: true,
    word: 'task',
    load: async () => ({ run: (await tasks()).answer }),
  },
  distill: {
    group: 'tasks',
    about: 'distil a long document, section by section',
    isPage: true,
    writes: true,
    word: ['resume', 'pause', 'stop', 'status', 'sections', 'delete-section', 'export'],
    load: () => import('./distill/distill.ts'),
  },
  call: {
    group: 'call',
    about: 'one prompt to any CLI, without a task',
    writes: true,
    word: 'tool',
    load: () => import('./call.ts'),
  },
  tools: {
    group: 'call',
    about: 'list the CLIs here, their versions and features',
    isPage: true,
    load: async () => ({ run: (await machine()).tools }),
  },
  init: {
    group: 'tasks',
    about: 'create a task folder to fill in',
    isPage: true,
    writes: true,
    load: async () => ({ run: (await tasks()).init }),
  },
  explain: {
    group: 'inspect',
    about: "explain a task's last failure, and what to do",
    isPage: true,
    word: 'task',
    load: async () => ({ run: (await inspect()).explain }),
  },
  status: {
    group: 'inspect',
    about: 'what exists, what runs, and who waits',
    isPage: true,
    load: () => import('./status.ts'),
  },
  watch: {
    group: 'inspect',
    about: 'show live what runs: stage, time, tokens, waits',
    word: 'task',
    load: async () => ({ run: (await inspect()).watch }),
  },
  logs: {
    group: 'inspect',
    about: "show the output of a task's call (-f follows it)",
    word: 'task',
    load: async () => ({ run: (await inspect()).logs }),
  },
  report: {
    group: 'inspect',
    about: 'all tasks, their failures in groups, and what to do',
    load: async () => ({ run: (await inspect()).report }),
  },
  trace: {
    group: 'inspect',
    about: 'send or show runs as OpenTelemetry traces',
    load: async () => ({ run: (await inspect()).trace }),
  },
  archive: {
    group: 'tasks',
    about: 'archive or delete tasks that have ended',
    isPage: true,
    writes: true,
    word: 'task',
    load: async () => ({ run: (await tasks()).archive }),
  },
  batch: {
    group: 'tasks',
    about: 'run many tasks at once, with one report',
    isPage: true,
    writes: true,
    word: 'task',
    load: async () => ({ run: (await tasks()).batch }),
  },
  compare: {
    group: 'tasks',
    about: 'the same prompt or task for several CLIs, side by side',
    writes: true,
    word: 'task',
    load: async () => ({ run: (await tasks()).compare }),
  },
  budget: {
    group: 'tasks',
    about: "show, set or reset a task's budget",
    isPage: true,
    writes: true,
    word: 'task',
    load: async () => ({ run: (await tasks()).budget }),
  },
  sessions: {
    group: 'sessions',
    about: 'show, adopt or forget the CLI sessions of the tags',
    isPage: true,
    writes: true,
    word: ['list', 'show', 'adopt', 'forget', 'backups'],
    load: async () => ({ run: (await machine()).sessions }),
  },
  scope: {
    group: 'agents',
    about: 'check whether a task may change a path',
    isPage: true,
    word: ['ask'],
    load: async () => ({ run: (await tasks()).scope }),
  },
  history: {
    group: 'sessions',
    about: 'show a conversation, also its removed parts',
    word: 'session',
    load: async () => ({ run: (await machine()).history }),
  },
  undo: {
    group: 'sessions',
    about: 'remove or replace the last answer, or restore it',
    isPage: true,
    writes: true,
    word: 'session',
    load: async () => ({ run: (await machine()).undo }),
  },
  recover: {
    group: 'sessions',
    about: 'repair a conversation that its service refuses',
    isPage: true,
    writes: true,
    word: 'session',
    load: async () => ({ run: (await machine()).recover }),
  },
  triage: {
    group: 'inspect',
    about: 'classify a captured stderr and stdout',
    isPage: true,
    load: async () => ({ run: (await inspect()).triage }),
  },
  signature: {
    group: 'inspect',
    about: "a failure's signature, and its text",
    load: async () => ({ run: (await inspect()).signature }),
  },
  preflight: {
    group: 'machine',
    about: 'check the machine before anything is paid',
    isPage: true,
    load: async () => ({ run: (await machine()).preflight }),
  },
  console: {
    group: 'machine',
    about: 'serve a local page of this project, with controls',
    writes: true,
    load: () => import('./console/console.ts'),
  },
  accounts: {
    group: 'machine',
    about: 'list your accounts: login, holds and usage',
    isPage: true,
    load: async () => ({ run: (await machine()).accounts }),
  },
  trust: {
    group: 'machine',
    about: 'trust a folder permanently, list or revoke',
    isPage: true,
    load: async () => ({ run: (await machine()).trust }),
  },
  doctor: {
    group: 'machine',
    about: 'what to fix on this machine, and how to check it',
    isPage: true,
    load: async () => ({ run: (await machine()).doctor }),
  },
  completion: {
    group: 'machine',
    about: 'print the completion script for bash, zsh or fish',
    word: ['bash', 'zsh', 'fish'],
    load: async () => ({ run: (await machine()).completion }),
  },
  mcp: {
    group: 'agents',
    about: 'serve agents by the Model Context Protocol',
    writes: true,
    load: () => import('./mcp/mcp.ts'),
  },
  submit: {
    group: 'tasks',
    about: 'send tasks to the workers of a fleet',
    isPage: true,
    word: 'task',
    load: async () => ({ run: (await fleet()).submit }),
  },
  worker: {
    group: 'machine',
    about: 'run tasks of a fleet on this machine',
    isPage: true,
    load: async () => ({ run: (await fleet()).worker }),
  },
  fleet: {
    group: 'machine',
    about: 'show and control a fleet; fetch results',
    isPage: true,
    writes: true,
    word: ['status', 'cancel', 'drain', 'fetch', 'limits', 'setup'],
    load: async () => ({ run: (await fleet()).fleet }),
  },
  wait: {
    group: 'agents',
    about: 'wait for parallel wrappers or tasks',
    isPage: true,
    load: async () => {
      const { waitCommand } = await import('../wait-command.ts');
      return { run: (argv) => waitCommand(argv, 'tollgate wait') };
    },
  },
};
