// Exports the package as a library: the commands' own loops, without arguments to parse, an exit, or output to a stream.

import { localClock } from '../loops/local-clock.ts';
import { triage as classify } from '../loops/report/triage.ts';
import type { Compare, PickVariant, RemoveComparison, ResumeComparison } from './comparison-surface.ts';
import {
  ANSWER_OPTIONS,
  BOOK_OPTIONS,
  CALL_OPTIONS,
  CAPTURED,
  COMPARE_OPTIONS,
  COMPARISON_OPTIONS,
  optionsMistake,
  PICK_OPTIONS,
  READ_OPTIONS,
  RESUME_OPTIONS,
  RUN_OPTIONS,
  SUPERVISE_OPTIONS,
} from './options.ts';
import type {
  Answer,
  CallTool,
  Captured,
  Distill,
  EndBook,
  ReadBook,
  ReadStanding,
  ResumeBook,
  RunTask,
  SignatureOf,
  Supervise,
  Triage,
  WithEvents,
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

export const supervise: Supervise = (task, options = {}) => {
  const message = textMistake('supervise', 'the task', task) ?? optionsMistake('supervise', options, SUPERVISE_OPTIONS);
  return withEvents(async (tell) =>
    message === null ? (await dispatcher()).superviseNamed(task, options, tell) : { how: 'invalid', message },
  );
};

export const answer: Answer = (task, text, options = {}) => {
  const message =
    textMistake('answer', 'the task', task) ??
    textMistake('answer', 'the text', text) ??
    optionsMistake('answer', options, ANSWER_OPTIONS);
  return withEvents(async (tell) =>
    message === null ? (await dispatcher()).answerNamed(task, text, options, tell) : { how: 'invalid', message },
  );
};

/** Keeps the events only for a reader that began at once, so that a call without one needs no memory for them. */
function withEvents<End, Event>(start: (tell: (event: Event) => void) => Promise<End>): WithEvents<End, Event> {
  const unread: Event[] = [];
  let isRead = false;
  let isOver = false;
  let wake = () => {};
  const end = start((event) => {
    if (isRead) unread.push(event);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  async function* events(): AsyncGenerator<Event> {
    for (;;) {
      yield* unread.splice(0);
      if (isOver && unread.length === 0) break;
      if (unread.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    // An internal error is one of its reader too.
    await end;
  }
  return Object.assign(end, {
    [Symbol.asyncIterator]() {
      isRead = true;
      return events();
    },
  });
}

export const distill: Distill = (book, options = {}) => {
  const message = textMistake('distill', 'the book', book) ?? optionsMistake('distill', options, BOOK_OPTIONS);
  return withEvents(async (tell) =>
    message === null ? (await dispatcher()).distillNamed(book, options, tell) : { how: 'invalid', message },
  );
};

export const resumeBook: ResumeBook = (name, options = {}) => {
  const message = textMistake('resumeBook', 'the name', name) ?? optionsMistake('resumeBook', options, RESUME_OPTIONS);
  return withEvents(async (tell) =>
    message === null ? (await dispatcher()).resumeNamed(name, options, tell) : { how: 'invalid', message },
  );
};

export const endBook: EndBook = async (name, how, options = {}) => {
  const message =
    textMistake('endBook', 'the name', name) ??
    optionsMistake('endBook', { how }, { how: ['pause', 'stop'] }) ??
    optionsMistake('endBook', options, READ_OPTIONS);
  return message === null ? (await dispatcher()).readBookNamed(name, options, how) : { how: 'invalid', message };
};

export const readBook: ReadBook = async (name, options = {}) => {
  const message = textMistake('readBook', 'the name', name) ?? optionsMistake('readBook', options, READ_OPTIONS);
  return message === null ? (await dispatcher()).readBookNamed(name, options) : { how: 'invalid', message };
};

export const compare: Compare = async (text, options) => {
  const message = textMistake('compare', 'the prompt', text) ?? optionsMistake('compare', options, COMPARE_OPTIONS);
  if (message !== null) return { how: 'invalid', message };
  return (await dispatcher()).compareNamed(text, { ...options, variants: options.variants ?? [] });
};

export const resumeComparison: ResumeComparison = async (id, options = {}) => {
  const message =
    textMistake('resumeComparison', 'the id', id) ?? optionsMistake('resumeComparison', options, COMPARISON_OPTIONS);
  if (message !== null) return { how: 'invalid', message };
  return (await dispatcher()).resumeNamedComparison(id, options);
};

export const pickVariant: PickVariant = async (variant, options = {}) => {
  const message =
    textMistake('pickVariant', 'the variant', variant) ?? optionsMistake('pickVariant', options, PICK_OPTIONS);
  return message === null ? (await dispatcher()).pickNamed(variant, options) : { how: 'invalid', message };
};

export const removeComparison: RemoveComparison = async (id, options = {}) => {
  const message =
    textMistake('removeComparison', 'the id', id) ?? optionsMistake('removeComparison', options, COMPARISON_OPTIONS);
  return message === null ? (await dispatcher()).removeNamedComparison(id, options) : { how: 'invalid', message };
};

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
