// Defines the flags of the commands that supervise a task, and converts them to options.

import type { superviseTask } from '../../../loops/supervise/supervise.ts';
import { RUN_FLAGS } from '../../../loops/task/run-options.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { Arguments, CommandSpec, FlagRow } from '../../command-line.ts';
import { DEADLINE_FLAG } from '../run-flags.ts';

export const SUPERVISE_FLAGS = {
  'accept-tree': {
    takes: 'nothing',
    about: 'continue although the tree has changed since the session was saved; check it first',
  },
  deadline: DEADLINE_FLAG,
  'no-wait': RUN_FLAGS['no-wait'],
  force: RUN_FLAGS.force,
  'accept-changes': RUN_FLAGS['accept-changes'],
  'retry-dirty': RUN_FLAGS['retry-dirty'],
  'wait-for-reset': RUN_FLAGS['wait-for-reset'],
  restore: RUN_FLAGS.restore,
  'when-open': RUN_FLAGS['when-open'],
  'no-repair': RUN_FLAGS['no-repair'],
  'keep-raw': RUN_FLAGS['keep-raw'],
  'record-requests': RUN_FLAGS['record-requests'],
  'trust-workspace': RUN_FLAGS['trust-workspace'],
} as const satisfies Record<string, FlagRow>;

export const SUPERVISE_EXITS: CommandSpec['exits'] = [
  [TOLLGATE_EXIT.ok, 'the task is done: the reasoner says so, the acceptance commands passed, and the scope is clean'],
  [
    TOLLGATE_EXIT.failure,
    'the session is saved, or a question waits for an answer; _summary.md says which, and the line to continue',
  ],
  [TOLLGATE_EXIT.badInput, 'usage, a mistake in the manifest or the state, or a tree that has moved on'],
  ['130, 143', 'stopped by INT, TERM; the session is saved'],
  [70, 'an internal error'],
];

export const supervisingOf = ({ given }: Arguments): Parameters<typeof superviseTask>[1] => ({
  begin: given.has('anew') ? 'restart' : 'resume',
  movedTree: given.has('accept-tree') ? 'accepted' : 'refused',
});
