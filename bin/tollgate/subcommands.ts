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
  word: CompletedCommand['word'];
  /** What it prints is a page for a person: a terminal wraps it, unless it is JSON. */
  isPage: boolean;
  /** The command writes to the state of the project, so no link may redirect that state. */
  writes: boolean;
  load(): Promise<{ run: Run }>;
}

type Run = (argv: readonly string[]) => Promise<Ran>;

/** A command loads its family, which takes up to 20 ms; the commands that start most often have none. */
const from =
  <Name extends string>(family: () => Promise<Record<Name, Run>>) =>
  (name: Name) =>
  async () => ({ run: (await family())[name] });
const tasks = from(() => import('./families/tasks.ts'));
const inspect = from(() => import('./families/inspect.ts'));
const machine = from(() => import('./families/machine.ts'));
const fleet = from(() => import('./fleet.ts'));

async function waiting() {
  const { waitCommand } = await import('../wait-command.ts');
  return { run: (argv: readonly string[]) => waitCommand(argv, 'tollgate wait') };
}

const row = (
  group: Subcommand['group'],
  about: string,
  load: Subcommand['load'],
  traits: ('isPage' | 'writes')[] = [],
  word: Subcommand['word'] = null,
): Subcommand => ({ group, about, load, isPage: traits.includes('isPage'), writes: traits.includes('writes'), word });

export const SUBCOMMANDS: Record<string, Subcommand> = {
  run: row(
    'tasks',
    'run one task: its stages in order, retries, budget, report',
    () => import('./run.ts'),
    ['writes'],
    'task',
  ),
  supervise: row(
    'tasks',
    'let a reasoner instruct a worker step by step',
    tasks('supervise'),
    ['isPage', 'writes'],
    'task',
  ),
  answer: row('tasks', 'answer the reasoner of a supervised task', tasks('answer'), ['isPage', 'writes'], 'task'),
  distill: row(
    'tasks',
    'distil a long document, section by section',
    () => import('./distill/distill.ts'),
    ['isPage', 'writes'],
    ['resume', 'pause', 'stop', 'status', 'sections', 'delete-section', 'export'],
  ),
  call: row('call', 'one prompt to any CLI, without a task', () => import('./call.ts'), ['writes'], 'tool'),
  tools: row('call', 'list the CLIs here, their versions and features', machine('tools'), ['isPage']),
  init: row('tasks', 'create a task folder to fill in', tasks('init'), ['isPage', 'writes']),
  explain: row('inspect', "explain a task's last failure, and what to do", inspect('explain'), ['isPage'], 'task'),
  status: row('inspect', 'what exists, what runs, and who waits', () => import('./status.ts'), ['isPage']),
  watch: row('inspect', 'show live what runs: stage, time, tokens, waits', inspect('watch'), [], 'task'),
  logs: row('inspect', "show the output of a task's call (-f follows it)", inspect('logs'), [], 'task'),
  report: row('inspect', 'all tasks, their failures in groups, and what to do', inspect('report')),
  trace: row('inspect', 'send or show runs as OpenTelemetry traces', inspect('trace')),
  archive: row('tasks', 'archive or delete tasks that have ended', tasks('archive'), ['isPage', 'writes'], 'task'),
  batch: row('tasks', 'run many tasks at once, with one report', tasks('batch'), ['isPage', 'writes'], 'task'),
  compare: row('tasks', 'the same prompt or task for several CLIs, side by side', tasks('compare'), ['writes'], 'task'),
  budget: row('tasks', "show, set or reset a task's budget", tasks('budget'), ['isPage', 'writes'], 'task'),
  sessions: row(
    'sessions',
    'show, adopt or forget the CLI sessions of the tags',
    machine('sessions'),
    ['isPage', 'writes'],
    ['list', 'show', 'adopt', 'forget', 'backups'],
  ),
  scope: row('agents', 'check whether a task may change a path', tasks('scope'), ['isPage'], ['ask']),
  history: row('sessions', 'show a conversation, also its removed parts', machine('history'), [], 'session'),
  undo: row(
    'sessions',
    'remove or replace the last answer, or restore it',
    machine('undo'),
    ['isPage', 'writes'],
    'session',
  ),
  recover: row(
    'sessions',
    'repair a conversation that its service refuses',
    machine('recover'),
    ['isPage', 'writes'],
    'session',
  ),
  triage: row('inspect', 'classify a captured stderr and stdout', inspect('triage'), ['isPage']),
  signature: row('inspect', "a failure's signature, and its text", inspect('signature')),
  preflight: row('machine', 'check the machine before anything is paid', machine('preflight'), ['isPage']),
  console: row('machine', 'serve a local page of this project, with controls', () => import('./console/console.ts'), [
    'writes',
  ]),
  accounts: row('machine', 'list your accounts: login, holds and usage', machine('accounts'), ['isPage']),
  trust: row('machine', 'trust a folder permanently, list or revoke', machine('trust'), ['isPage']),
  doctor: row('machine', 'what to fix on this machine, and how to check it', machine('doctor'), ['isPage']),
  completion: row(
    'machine',
    'print the completion script for bash, zsh or fish',
    machine('completion'),
    [],
    ['bash', 'zsh', 'fish'],
  ),
  mcp: row('agents', 'serve agents by the Model Context Protocol', () => import('./mcp/mcp.ts'), ['writes']),
  submit: row('tasks', 'send tasks to the workers of a fleet', fleet('submit'), ['isPage'], 'task'),
  worker: row('machine', 'run tasks of a fleet on this machine', fleet('worker'), ['isPage']),
  fleet: row(
    'machine',
    'show and control a fleet; fetch results',
    fleet('fleet'),
    ['isPage', 'writes'],
    ['status', 'cancel', 'drain', 'fetch', 'limits', 'setup'],
  ),
  wait: row('agents', 'wait for parallel wrappers or tasks', waiting, ['isPage']),
};
