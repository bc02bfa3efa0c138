// Lists the subcommands of tollgate: a description of each, and how to load it.

import type { Ran } from '../ran.ts';
import type { WordKind } from './completion/candidate.ts';

interface Subcommand {
  about: string;
  /** What kind of words it takes; by default files, or nothing that is known. */
  word?: WordKind;
  /** The command writes to the state of the project, so no link may redirect that state. */
  writes?: true;
  load(): Promise<{ run(argv: readonly string[]): Promise<Ran> }>;
}

export const SUBCOMMANDS: Record<string, Subcommand> = {
  run: {
    about: 'run one task: its stages in order, with retries, budget and report',
    writes: true,
    word: 'task',
    load: () => import('./run.ts'),
  },
  supervise: {
    about: 'let a worker carry out the instructions of a reasoner, one after another',
    writes: true,
    word: 'task',
    load: () => import('./supervise/supervise.ts'),
  },
  answer: {
    about: 'answer the reasoner of a supervised task; a task that waits continues',
    writes: true,
    word: 'task',
    load: () => import('./supervise/answer.ts'),
  },
  distill: {
    about: 'distil a long document section by section, and pay for none twice',
    writes: true,
    word: ['resume', 'pause', 'stop', 'status', 'sections', 'delete-section', 'export'],
    load: () => import('./distill/distill.ts'),
  },
  call: {
    about: 'call any CLI once, in one line; also a CLI that tollgate.yaml describes',
    writes: true,
    word: 'tool',
    load: () => import('./call.ts'),
  },
  tools: {
    about: 'list the CLIs that can be called here, their versions and features',
    load: () => import('./tools.ts'),
  },
  init: {
    about: 'create a task folder to fill in',
    writes: true,
    load: () => import('./init.ts'),
  },
  explain: {
    about: "a task's last failure: evidence, the rule that matched, what its signature means, what to do",
    word: 'task',
    load: () => import('./triage/explain.ts'),
  },
  status: {
    about: 'what exists, what runs, and who waits',
    load: () => import('./status.ts'),
  },
  watch: {
    about: 'show what runs now, live: stage, time, last action, tokens, and what waits',
    word: 'task',
    load: () => import('./watch/watch.ts'),
  },
  logs: {
    about: "show the output of a task's call, during the call or later (-f follows it)",
    word: 'task',
    load: () => import('./triage/logs.ts'),
  },
  report: {
    about: 'list the state of all tasks, and their failures by signature',
    load: () => import('./report.ts'),
  },
  trace: {
    about: 'send or show the runs of a task as OpenTelemetry traces',
    load: () => import('./trace/trace.ts'),
  },
  archive: {
    about: 'archive or delete tasks that have ended',
    writes: true,
    word: 'task',
    load: () => import('./archive.ts'),
  },
  batch: {
    about: 'run many tasks at once on this machine, with one report',
    writes: true,
    word: 'task',
    load: () => import('./batch.ts'),
  },
  budget: {
    about: "a task's paid calls and tokens: used, remaining, by stage; set or reset them",
    writes: true,
    word: 'task',
    load: () => import('./budget.ts'),
  },
  sessions: {
    about: 'show, adopt or forget the CLI sessions of the tags',
    writes: true,
    word: ['list', 'show', 'adopt', 'forget', 'backups'],
    load: () => import('./sessions/sessions.ts'),
  },
  scope: {
    about: 'check whether a task may change a path',
    word: ['ask'],
    load: () => import('./scope.ts'),
  },
  history: {
    about: 'show a conversation, with the parts that were removed',
    word: 'session',
    load: () => import('./sessions/history.ts'),
  },
  undo: {
    about: 'remove the last answer of a conversation, replace its prompt, or restore it',
    writes: true,
    word: 'session',
    load: () => import('./sessions/undo.ts'),
  },
  recover: {
    about: 'repair a conversation that its service refuses',
    writes: true,
    word: 'session',
    load: () => import('./sessions/recover.ts'),
  },
  triage: { about: 'classify a captured stderr and stdout', load: () => import('./triage/triage.ts') },
  signature: {
    about: "a failure's signature, and the text from which it is made",
    load: () => import('./triage/signature.ts'),
  },
  preflight: {
    about: 'check the machine before anything is paid',
    load: async () => ({ run: (await import('../preflight-command.ts')).preflightCommand }),
  },
  console: {
    about: 'serve a local page of this project: what runs, what failed, and controls',
    writes: true,
    load: () => import('./console/console.ts'),
  },
  trust: {
    about: 'trust a folder permanently, list the trusted folders, or revoke one',
    load: () => import('./machine/trust.ts'),
  },
  doctor: {
    about: 'what to fix on this machine, the most serious problem first, and how to check the fix',
    load: () => import('./machine/doctor.ts'),
  },
  completion: {
    about: 'print the completion script for bash, zsh or fish',
    word: ['bash', 'zsh', 'fish'],
    load: () => import('./completion/completion.ts'),
  },
  mcp: {
    about: 'serve agents by the Model Context Protocol',
    writes: true,
    load: () => import('./mcp/mcp.ts'),
  },
  wait: {
    about: 'wait for parallel wrappers or tasks',
    load: async () => ({ run: (await import('../wait-command.ts')).waitCommand }),
  },
};
