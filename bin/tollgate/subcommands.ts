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
    about: 'dispatch one task: its stages in order, with retries, budget and report',
    writes: true,
    word: 'task',
    load: () => import('./run.ts'),
  },
  supervise: {
    about: 'have a worker carry out one instruction after another, each said by a reasoner',
    writes: true,
    word: 'task',
    load: () => import('./supervise/supervise.ts'),
  },
  answer: {
    about: 'say something to the reasoner of a supervised task; one that waits for it goes on',
    writes: true,
    word: 'task',
    load: () => import('./supervise/answer.ts'),
  },
  distill: {
    about: 'have a long document distilled section by section, never paid twice',
    writes: true,
    word: ['resume', 'pause', 'stop', 'status', 'sections', 'delete-section', 'export'],
    load: () => import('./distill/distill.ts'),
  },
  call: {
    about: 'one call of any CLI, also of one that tollgate.yaml describes',
    writes: true,
    word: 'tool',
    load: () => import('./call.ts'),
  },
  tools: {
    about: 'the CLIs that can be called here, their versions and what each can do',
    load: () => import('./tools.ts'),
  },
  init: {
    about: 'write a task folder to fill in',
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
    about: 'what runs now, live: stage, time, what its CLI did last, tokens, and who waits',
    word: 'task',
    load: () => import('./watch/watch.ts'),
  },
  logs: {
    about: "what a task's call says, while it says it or afterwards (-f goes on)",
    word: 'task',
    load: () => import('./triage/logs.ts'),
  },
  report: {
    about: 'how all tasks stand, and their failures by signature',
    load: () => import('./report.ts'),
  },
  trace: {
    about: 'the runs of a task as OpenTelemetry traces, sent to an endpoint or shown',
    load: () => import('./trace/trace.ts'),
  },
  archive: {
    about: 'put tasks that have ended out of the way, or delete them',
    writes: true,
    word: 'task',
    load: () => import('./archive.ts'),
  },
  batch: {
    about: 'dispatch many tasks at once on this machine, with one report',
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
    about: 'which sessions of the CLIs the tags go on with: show, adopt, forget',
    writes: true,
    word: ['list', 'show', 'adopt', 'forget', 'backups'],
    load: () => import('./sessions/sessions.ts'),
  },
  scope: {
    about: 'ask whether a task may change a path, before it is changed',
    word: ['ask'],
    load: () => import('./scope.ts'),
  },
  history: {
    about: 'a conversation as people read it, with what was taken back of it',
    word: 'session',
    load: () => import('./sessions/history.ts'),
  },
  undo: {
    about: "take back a conversation's last answer, ask something else instead, or bring it back",
    writes: true,
    word: 'session',
    load: () => import('./sessions/undo.ts'),
  },
  recover: {
    about: 'get a conversation going again that its service refuses',
    writes: true,
    word: 'session',
    load: () => import('./sessions/recover.ts'),
  },
  triage: { about: 'the verdict for a captured stderr and stdout', load: () => import('./triage/triage.ts') },
  signature: {
    about: "a failure's signature, and the text from which it is made",
    load: () => import('./triage/signature.ts'),
  },
  preflight: {
    about: 'check the machine before anything is paid',
    load: async () => ({ run: (await import('../preflight-command.ts')).preflightCommand }),
  },
  console: {
    about: 'a local page of this project: see what runs and what failed, and steer',
    writes: true,
    load: () => import('./console/console.ts'),
  },
  trust: {
    about: 'trust a folder for good, list the trusted folders, or revoke one',
    load: () => import('./machine/trust.ts'),
  },
  doctor: {
    about: 'what to fix on this machine, the most serious problem first, and how to check the fix',
    load: () => import('./machine/doctor.ts'),
  },
  completion: {
    about: 'the script by which bash, zsh or fish completes all of this, tasks and stages included',
    word: ['bash', 'zsh', 'fish'],
    load: () => import('./completion/completion.ts'),
  },
  mcp: {
    about: 'serve agents by the Model Context Protocol: how tasks stand, why they failed, what is used',
    writes: true,
    load: () => import('./mcp/mcp.ts'),
  },
  wait: {
    about: 'wait for parallel wrappers or tasks',
    load: async () => ({ run: (await import('../wait-command.ts')).waitCommand }),
  },
};
