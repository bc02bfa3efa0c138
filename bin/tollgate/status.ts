// Implements tollgate status: lists what exists, what runs, and what waits in line.

import { statusOf } from '../../loops/report/status.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import type { Ran } from '../ran.ts';
import { sheetOf } from '../sheet.ts';
import { renderStatus } from './status-page.ts';

const SPEC: CommandSpec = {
  name: 'tollgate status',
  usage: '[TASK|DIR]',
  about:
    'Shows what exists and what runs: each running call with its duration and the last event of its CLI, who waits for whom, and the state of every task. Reads only.',
  flags: {},
  words: { min: 0, max: 1, called: 'TASK, or DIR with tasks' },
  examples: [
    ['tollgate status', 'of this project'],
    ['tollgate status fix-login', 'of one task'],
    ['tollgate status --json | jq ".running.calls"', 'what runs, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown, whatever became of the tasks; those that cannot be read are named'],
    [TOLLGATE_EXIT.failure, 'the result could not be written'],
    [TOLLGATE_EXIT.badInput, 'usage, or a folder that is not there'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { given, words } = read.args;
  const seen = await statusOf({
    word: words[0] ?? null,
    cwd: process.cwd(),
    environment: process.env,
    clock: () => new Date(),
  });
  if (seen.how === 'invalid') return { exit: TOLLGATE_EXIT.badInput, err: `tollgate status: ${seen.message}\n` };
  const { status } = seen;
  return {
    exit: 0,
    out: given.has('json') ? `${JSON.stringify(status)}\n` : renderStatus(status, sheetOf(process.env)),
  };
}
