// Implements tollgate mcp: serves the toolkit by the Model Context Protocol, on stdin and stdout.

import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { carry } from './carrier.ts';
import { ACCESS, type ServerSettings } from './tool.ts';

const SPEC: CommandSpec = {
  name: 'tollgate mcp',
  usage: '',
  about:
    'Serves agents by the Model Context Protocol, on stdin and stdout: runs tasks, calls CLIs, reports states, failures and budgets, and reads and repairs conversations. It works in the folder in which it is started; a run that it has begun outlives it.',
  flags: {
    access: {
      ...{ takes: 'choice', choices: ACCESS, default: 'read' },
      about: 'the most that the tools ask and create_task allow a CLI: read, change the working folder, or anything',
    },
    runs: { takes: 'number', min: 1, max: 100, default: 8, about: 'at most this many runs at the same time' },
    database: {
      takes: 'text',
      about: 'the fleet that the tools show with `fleet`: its database; - for TOLLGATE_DATABASE',
    },
    'trust-workspace': { takes: 'nothing', about: 'pass --trust-workspace to the runs that it starts' },
    carry: {
      takes: 'text',
      about: 'internal: the server starts itself with it, so that the run of this id outlives the server',
    },
  },
  words: { min: 0, max: 0, called: 'nothing' },
  examples: [
    ['claude mcp add tollgate -- tollgate mcp', 'for claude'],
    ['codex mcp add tollgate -- tollgate mcp', 'for codex'],
    ['gemini mcp add tollgate tollgate mcp', 'for gemini'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'its client closed stdin'],
    [TOLLGATE_EXIT.badInput, 'usage'],
    ['130, 143', 'stopped by INT, TERM'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, number, given } = read.args;
  if (text.carry !== undefined) return carry(text.carry);
  const stop = stopOnSignals();
  const { serve } = await import('./serve.ts');
  const settings: ServerSettings = {
    access: text.access as ServerSettings['access'],
    maxRuns: number.runs!,
    database: text.database ?? null,
    trustWorkspace: given.has('trust-workspace'),
  };
  return { exit: await serve(stop, settings) };
}
