// Implements tollgate distill pause and stop: requests that the running process ends after the answer in flight.

import { askToEnd } from '../../../loops/distill/change-distillation.ts';
import { openDistill, viewed } from '../../../loops/distill/open-run.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';

const DESCRIPTIONS = {
  pause: 'it pauses once the answer in flight is there',
  stop: 'it stops once the answer in flight is there',
} as const;

const specOf = (wish: keyof typeof DESCRIPTIONS): CommandSpec => ({
  name: `tollgate distill ${wish}`,
  usage: 'NAME',
  about: `Has a distillation ${wish}, from another terminal: an answer that is being paid for is still waited for and kept; a wait ends at once.`,
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
