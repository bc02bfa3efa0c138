// Implements tollgate distill status, pause and stop: shows distillations, or asks a running one to end.

import { askToEnd } from '../../../loops/distill/drive.ts';
import { type DistillView, openDistill, viewed } from '../../../loops/distill/open-run.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { counted, dollars } from '../../../policies/text/display.ts';
import { distillNames } from '../../../state/distill/run-folder.ts';
import { JournalError } from '../../../state/journal/journal.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';

const SPEC: CommandSpec = {
  name: 'tollgate distill status',
  usage: '[NAME]',
  about:
    'Shows the state of distillations: sections, tokens, dollars, why one is paused and how to continue. The other commands: resume, pause, stop, sections and delete-section, each with a NAME.',
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

export function viewLines(view: DistillView): string[] {
  const { name, state, evidence, sections, tokens, estimated_tokens, usd, unpriced_answers, calls, wanted } = view;
  const estimated = estimated_tokens > 0 ? ` (${estimated_tokens} of them estimated)` : '';
  const unpriced = unpriced_answers > 0 ? ` (${unpriced_answers} answers without a known price)` : '';
  return [
    `${name}: ${state}${evidence === '' || state === 'complete' ? '' : `: ${evidence}`}`,
    `  ${counted(sections, 'section')}${wanted.length === 0 ? '' : `, to be requested again: ${wanted.join(', ')}`}; ${tokens} tokens${estimated}; ${dollars(usd)}${unpriced}; ${calls.used} of ${calls.total} paid calls`,
    `  model: ${view.model}${view.model_version === null || view.model_version === view.model ? '' : ` (${view.model_version} answered)`}`,
    `  document: ${view.document}`,
    ...view.next_actions.map((action) => `  next: ${actionLine(action)}`),
  ];
}

const DESCRIPTIONS = {
  pause: 'it pauses once the answer in flight is there',
  stop: 'it stops once the answer in flight is there',
} as const;

const specOf = (wish: keyof typeof DESCRIPTIONS): CommandSpec => ({
  name: `tollgate distill ${wish}`,
  usage: 'NAME',
  about: `Makes a distillation ${wish}, from another terminal. It still waits for an answer that is being paid for, and stores it; a wait ends at once.`,
  flags: {},
  words: { min: 1, max: 1, called: 'NAME (tollgate distill status lists them)' },
  examples: [[`tollgate distill ${wish} republic`, DESCRIPTIONS[wish]]],
  exits: [
    [TOLLGATE_EXIT.ok, 'the request is sent, or the distillation does not run'],
    [TOLLGATE_EXIT.badInput, 'no such distillation'],
  ],
});

export async function wishFor(wish: keyof typeof DESCRIPTIONS, argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(specOf(wish), argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const clock = () => new Date();
  const [name] = read.args.words as [string];
  const opened = await openDistill(name, process.cwd(), process.env, clock);
  if (opened.how === 'invalid')
    return { exit: TOLLGATE_EXIT.badInput, err: `tollgate distill ${wish}: ${opened.message}\n` };
  const outcome = await askToEnd(opened.open, wish, clock);
  const reopened = await openDistill(name, process.cwd(), process.env, clock);
  const view = reopened.how === 'opened' ? await viewed(reopened.open) : null;
  const message =
    outcome === 'notified'
      ? `${name} has the request: ${DESCRIPTIONS[wish]}`
      : `${name} is not running; it is ${view?.state ?? 'gone'}`;
  if (read.args.given.has('json'))
    return { exit: 0, out: `${JSON.stringify({ schema: 1, name, state: view?.state ?? null, message })}\n` };
  return { exit: 0, out: `${message}\n` };
}
