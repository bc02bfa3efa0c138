// Exports the package as a library: the commands' own loops, without arguments to parse, an exit, or output to a stream.

import { localClock } from '../loops/local-clock.ts';
import { triage as classify } from '../loops/report/triage.ts';
import type { CallTool, Compare, PickVariant, RemoveComparison, ResumeComparison } from './call-surface.ts';
import {
  ANSWER_OPTIONS,
  BOOK_OPTIONS,
  CALL_OPTIONS,
  CAPTURED,
  COMPARE_OPTIONS,
  COMPARISON_OPTIONS,
  type KnownOptions,
  optionsMistake,
  PICK_OPTIONS,
  READ_OPTIONS,
  RESUME_OPTIONS,
  RUN_OPTIONS,
  SUPERVISE_OPTIONS,
  withOptionNames,
} from './options.ts';
import type {
  Answer,
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

const checked = async <End>(message: string | null, act: (own: Dispatcher) => Promise<End>) =>
  message === null ? inOptions(await act(await dispatcher())) : ({ how: 'invalid', message } as const);

/** What the input lacks, in the words of the library. */
function inOptions<End>(end: End): End {
  const { how = '', message } = end as { how?: string; message?: string };
  const isRefusal = ['invalid', 'refused'].includes(how) && message !== undefined;
  return isRefusal ? { ...end, message: withOptionNames(message) } : end;
}

type Dispatcher = Awaited<ReturnType<typeof dispatcher>>;

export const runTask: RunTask = async (task, options = {}) => {
  const message = mistakeIn('runTask', { task }, options, RUN_OPTIONS);
  return checked(message, (own) => own.runNamed(task, options));
};

export const callTool: CallTool = (tool, prompt, options = {}) => {
  const message = mistakeIn('callTool', { prompt }, options, CALL_OPTIONS);
  return withEvents(async (tell) => {
    const { callNamed, refused } = await dispatcher();
    return message === null ? callNamed(tool, prompt, options, tell) : refused(message, 2);
  });
};

export const supervise: Supervise = (task, options = {}) => {
  const message = mistakeIn('supervise', { task }, options, SUPERVISE_OPTIONS);
  return withEvents((tell) => checked(message, (own) => own.superviseNamed(task, options, tell)));
};

export const answer: Answer = (task, text, options = {}) => {
  const message = mistakeIn('answer', { task, text }, options, ANSWER_OPTIONS);
  return withEvents((tell) => checked(message, (own) => own.answerNamed(task, text, options, tell)));
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
  const message = mistakeIn('distill', { book }, options, BOOK_OPTIONS);
  return withEvents((tell) => checked(message, (own) => own.distillNamed(book, options, tell)));
};

export const resumeBook: ResumeBook = (name, options = {}) => {
  const message = mistakeIn('resumeBook', { name }, options, RESUME_OPTIONS);
  return withEvents((tell) => checked(message, (own) => own.resumeNamed(name, options, tell)));
};

export const endBook: EndBook = async (name, how, options = {}) => {
  const message =
    mistakeIn('endBook', { name }, { how }, { how: ['pause', 'stop'] }) ??
    optionsMistake('endBook', options, READ_OPTIONS);
  return checked(message, (own) => own.readBookNamed(name, options, how));
};

export const readBook: ReadBook = async (name, options = {}) => {
  const message = mistakeIn('readBook', { name }, options, READ_OPTIONS);
  return checked(message, (own) => own.readBookNamed(name, options));
};

export const compare: Compare = async (text, options) => {
  const message = mistakeIn('compare', { prompt: text }, options, COMPARE_OPTIONS);
  return checked(message, (own) => own.compareNamed(text, { ...options, variants: options.variants ?? [] }));
};

export const resumeComparison: ResumeComparison = async (id, options = {}) => {
  const message = mistakeIn('resumeComparison', { id }, options, COMPARISON_OPTIONS);
  return checked(message, (own) => own.resumeNamedComparison(id, options));
};

export const pickVariant: PickVariant = async (variant, options = {}) => {
  const message = mistakeIn('pickVariant', { variant }, options, PICK_OPTIONS);
  return checked(message, (own) => own.pickNamed(variant, options));
};

export const removeComparison: RemoveComparison = async (id, options = {}) => {
  const message = mistakeIn('removeComparison', { id }, options, COMPARISON_OPTIONS);
  return checked(message, (own) => own.removeNamedComparison(id, options));
};

export const readTask: ReadStanding = async (task, options = {}) => {
  const message = mistakeIn('readTask', { task }, options, READ_OPTIONS);
  return checked(message, (own) => own.standingOf(task, options));
};

/** A mistake in the input has no verdict, so it is thrown as a `TypeError`. */
export const triage: Triage = (captured, now = new Date()) => {
  const mistake = optionsMistake('triage', captured, CAPTURED) ?? toolMistake(captured);
  if (mistake !== null) throw new TypeError(mistake);
  const { verdict, signature } = classify(wholly(captured), localClock(now));
  return { ...verdict, signature: signature?.signature ?? null };
};

export const signature: SignatureOf = (captured) => triage(captured).signature;

/** @param texts what must be a text, by its name. @returns the first mistake, in one sentence; null if there is none. */
function mistakeIn(what: string, texts: Record<string, unknown>, options: unknown, known: KnownOptions): string | null {
  for (const [name, value] of Object.entries(texts))
    if (typeof value !== 'string') return `${what}: the ${name} must be a text, and is of type ${typeof value}`;
  return optionsMistake(what, options, known);
}

const toolMistake = ({ tool }: Captured): string | null =>
  tool === undefined ? 'triage: tool is missing; it is the CLI whose output was captured' : null;

const wholly = ({ tool, stderr = '', stdout = '', exitCode = null }: Captured) => ({
  ...{ tool, stderr, stdout, exitCode },
  signal: null,
  ending: null,
});
