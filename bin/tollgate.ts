// The command tollgate: one word chooses what it does, and only that is loaded.

import manifest from '../package.json';
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
  budget: {
    about: "a task's paid calls: used, left, by stage; set or reset them",
    load: () => import('./tollgate/budget.ts'),
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

void runCommand(async ([word, ...rest]) => {
  if (word === undefined) return { exit: 2, err: usage() };
  if (word === '--help' || word === '-h' || word === 'help') return { exit: 0, out: usage() };
  if (word === '--version') return { exit: 0, out: `${manifest.version}\n` };
  const subcommand = Object.hasOwn(SUBCOMMANDS, word) ? SUBCOMMANDS[word] : undefined;
  if (subcommand !== undefined) return (await subcommand.load()).run(rest);
  const near = nearest(word, Object.keys(SUBCOMMANDS));
  const hint = near === null ? 'tollgate --help lists the commands' : `did you mean ${near}?`;
  return { exit: 2, err: `tollgate: unknown command "${word}"; ${hint}\n` };
});

function usage(): string {
  const rows = Object.entries(SUBCOMMANDS).map(([name, { about }]) => `  tollgate ${name.padEnd(12)}${about}`);
  return `${[
    'Call the headless agent CLIs gemini, copilot and codex like a reliable function.',
    '',
    'Commands:',
    ...rows,
    '',
    'tollgate COMMAND --help says more, with examples and exit codes.',
    'The wrappers are commands of their own: gemini_headless, copilot_tool, run_codex.',
  ].join('\n')}\n`;
}
