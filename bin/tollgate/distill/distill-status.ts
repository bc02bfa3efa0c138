// Implements tollgate distill status: shows all distillations of a project, or one.

import { type DistillView, openDistill, viewed } from '../../../loops/distill/open-run.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { distillNames } from '../../../state/distill/run-folder.ts';
import { JournalError } from '../../../state/journal/journal.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { viewLines } from './distill-page.ts';

const SPEC: CommandSpec = {
  name: 'tollgate distill status',
  usage: '[NAME]',
  about:
    'Shows how distillations stand: sections, tokens, dollars, why one is paused and how to go on. The other words: resume, pause, stop, sections and delete-section, each with a NAME.',
  flags: {},
  words: { min: 0, max: 1, called: 'NAME' },
  examples: [
    ['tollgate distill status', 'all of this project'],
    ['tollgate distill status republic --json', 'one, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown'],
    [TOLLGATE_EXIT.badInput, 'no such distillation, or state that cannot be read'],
  ],
};

export async function status(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { words, given } = read.args;
  const cwd = process.cwd();
  const names = words.length > 0 ? words : distillNames(cwd, process.env);
  const views: DistillView[] = [];
  const strange: string[] = [];
  for (const name of names) {
    const view = await viewOrWhy(name, cwd);
    if (typeof view === 'string') strange.push(view);
    else views.push(view);
  }
  if (words.length > 0 && strange.length > 0)
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate distill status: ${strange[0]}\n` };
  const err = strange.map((why) => `tollgate distill status: ${why}\n`).join('');
  if (given.has('json')) return { exit: 0, out: `${JSON.stringify({ schema: 1, distillations: views })}\n`, err };
  if (views.length === 0) return { exit: 0, out: 'there is no distillation in this project\n', err };
  return { exit: 0, out: `${views.flatMap(viewLines).join('\n')}\n`, err };
}

async function viewOrWhy(name: string, cwd: string): Promise<DistillView | string> {
  try {
    const opened = await openDistill(name, cwd, process.env, () => new Date());
    return opened.how === 'invalid' ? opened.message : await viewed(opened.open);
  } catch (error) {
    if (error instanceof JournalError) return error.message;
    throw error;
  }
}
