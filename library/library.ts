// Exports the package as a library: the commands' own loops, without arguments to parse, an exit, or output to a stream.

import { localClock } from '../loops/local-clock.ts';
import { triage as classify } from '../loops/report/triage.ts';
import { CALL_OPTIONS, CAPTURED, optionsMistake, READ_OPTIONS, RUN_OPTIONS } from './options.ts';
import type {
  CallTool,
  Captured,
  ReadStanding,
  RunTask,
  SignatureOf,
  ToolAnswer,
  ToolCall,
  ToolEvent,
  Triage,
} from './surface.ts';

/** Loaded on demand: a program that only classifies texts needs no dispatcher. */
const dispatcher = () => import('./dispatcher.ts');

export const runTask: RunTask = async (task, options = {}) => {
  const message = textMistake('runTask', 'the task', task) ?? optionsMistake('runTask', options, RUN_OPTIONS);
  if (message !== null) return { how: 'invalid', message };
  return (await dispatcher()).runNamed(task, options);
};

export const callTool: CallTool = (tool, prompt, options = {}) => {
  const message = textMistake('callTool', 'the prompt', prompt) ?? optionsMistake('callTool', options, CALL_OPTIONS);
  return withEvents(async (tell) => {
    const { callNamed, refused } = await dispatcher();
    return message === null ? callNamed(tool, prompt, options, tell) : refused(message, 2);
  });
};

/** Keeps the events only for a reader that began at once, so that a call without one needs no memory for them. */
function withEvents(start: (tell: (event: ToolEvent) => void) => Promise<ToolAnswer>): ToolCall {
  const unread: ToolEvent[] = [];
  let isRead = false;
  let isOver = false;
  let wake = () => {};
  const answer = start((event) => {
    if (isRead) unread.push(event);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  async function* events(): AsyncGenerator<ToolEvent> {
    for (;;) {
      yield* unread.splice(0);
      if (isOver && unread.length === 0) break;
      if (unread.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    // An internal error of the call is one of its reader too.
    await answer;
  }
  return Object.assign(answer, {
    [Symbol.asyncIterator]() {
      isRead = true;
      return events();
    },
  });
}

export const readTask: ReadStanding = async (task, options = {}) => {
  const message = textMistake('readTask', 'the task', task) ?? optionsMistake('readTask', options, READ_OPTIONS);
  if (message !== null) return { how: 'invalid', message };
  return (await dispatcher()).standingOf(task, options);
};

/** A mistake in the input has no verdict, so it is thrown as a `TypeError`. */
export const triage: Triage = (captured, now = new Date()) => {
  const mistake = optionsMistake('triage', captured, CAPTURED) ?? toolMistake(captured);
  if (mistake !== null) throw new TypeError(mistake);
  const { verdict, signature } = classify(wholly(captured), localClock(now));
  return { ...verdict, signature: signature?.signature ?? null };
};

export const signature: SignatureOf = (captured) => triage(captured).signature;

const textMistake = (what: string, which: string, value: unknown): string | null =>
  typeof value === 'string' ? null : `${what}: ${which} must be a text, and is of type ${typeof value}`;

const toolMistake = ({ tool }: Captured): string | null =>
  tool === undefined ? 'triage: tool is missing; it is the CLI whose output was captured' : null;

const wholly = ({ tool, stderr = '', stdout = '', exitCode = null }: Captured) => ({
  ...{ tool, stderr, stdout, exitCode },
  signal: null,
  ending: null,
});
