// Runs a distillation for a user: signals, what it reports meanwhile to users and machines, and one exit code.

import path from 'node:path';
import { distill } from '../../../loops/distill/distill.ts';
import type { DistillEvent } from '../../../loops/distill/distill-run.ts';
import { type DistillView, openDistill, viewed } from '../../../loops/distill/open-run.ts';
import type { DistillRequest } from '../../../loops/distill/request.ts';
import { serviceOf } from '../../../loops/distill/service.ts';
import { uploadBook } from '../../../loops/distill/upload.ts';
import { pauseFor } from '../../../loops/stage/pauses.ts';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { dollars } from '../../../policies/text/display.ts';
import { JournalError } from '../../../state/journal/journal.ts';
import { isTrustedFolder } from '../../../state/trusted-folders.ts';
import type { Arguments } from '../../command-line.ts';
import { printing, printResult } from '../../printing.ts';
import { startProgress } from '../../progress-line.ts';
import type { Ran } from '../../ran.ts';
import { settingsIn } from './distill-flags.ts';
import { viewLines } from './distill-status.ts';

export async function driveBook(args: Arguments, aim: 'book' | 'resume', stop: AbortSignal): Promise<Ran> {
  const settings = settingsIn(args);
  if (typeof settings === 'string') return invalid(settings);
  const trustWorkspace = args.given.has('trust-workspace') || isTrustedFolder(process.cwd(), process.env);
  const clock = () => new Date();
  const reporting = startDistillReporting(args, clock);
  const halt = haltOf(stop, () => reporting.note(HALT_WORDS));
  const request: DistillRequest = {
    aim: aimOf(args, aim),
    ...settings,
    context: {
      cwd: process.cwd(),
      environment: process.env,
      clock,
      random: Math.random,
      pause: pauseFor,
      tell: reporting.tell,
    },
    means: {
      service: (begun) => serviceOf(begun, { environment: process.env, trustWorkspace, turnMs: settings.terms.turnMs }),
      upload: uploadBook,
    },
    stop,
    halt,
  };
  try {
    const ended = await distill(request);
    if (ended.how === 'invalid') return invalid(ended.message);
    if (ended.how === 'taken') return { exit: TOLLGATE_EXIT.failure, err: `tollgate distill: ${ended.message}\n` };
    const opened = await openDistill(ended.name, process.cwd(), process.env, clock);
    if (opened.how === 'invalid') return invalid(opened.message);
    return shown(await viewed(opened.open), args, stop);
  } catch (error) {
    if (error instanceof JournalError) return invalid(error.message);
    throw error;
  } finally {
    reporting.stop();
  }
}

function aimOf({ words, text, given }: Arguments, aim: 'book' | 'resume'): DistillRequest['aim'] {
  if (aim === 'resume') {
    const held = given.has('accept') ? 'accept' : 'drop';
    return { how: 'resume', name: words[0]!, held, force: given.has('force') };
  }
  return { how: 'book', book: path.resolve(words[0]!), promptFile: text.prompt ?? null, name: text.name ?? null };
}

const HALT_WORDS =
  'the answer in flight is paid for, so it is awaited; a second signal ends at once, and its section is requested again';

/** Aborts on a second INT, or at once on TERM, because the sender of TERM does not wait. */
function haltOf(stop: AbortSignal, say: () => void): AbortSignal {
  const halt = new AbortController();
  const heed = () => {
    if (stop.reason !== 'SIGINT') halt.abort(stop.reason);
    else {
      say();
      process.on('SIGINT', () => halt.abort('SIGINT'));
    }
  };
  if (stop.aborted) heed();
  else stop.addEventListener('abort', heed, { once: true });
  return halt.signal;
}

function shown(view: DistillView, args: Arguments, stop: AbortSignal): Ran {
  const exit = exitOf(view, stop);
  if (args.given.has('json')) return { exit, out: `${JSON.stringify({ event: 'ended', ...view, exit_code: exit })}\n` };
  const lines = viewLines(view).join('\n');
  return exit === TOLLGATE_EXIT.ok ? { exit, out: `${lines}\n` } : { exit, err: `${lines}\n` };
}

function exitOf({ state }: DistillView, stop: AbortSignal): number {
  if (state === 'complete') return TOLLGATE_EXIT.ok;
  return state === 'interrupted' && stop.aborted ? stopExit(stop) : TOLLGATE_EXIT.failure;
}

const invalid = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate distill: ${message}\n` });

interface DistillReporting {
  tell(event: DistillEvent): void;
  note(text: string): void;
  stop(): void;
}

function startDistillReporting({ given }: Arguments, clock: () => Date): DistillReporting {
  const detail = given.has('quiet') ? 'problems' : 'all';
  let present = 'looking at the book';
  let until: number | null = null;
  let totals = '';
  const say = () => {
    const remaining = until === null ? '' : `, in ${Math.max(0, Math.ceil((until - clock().getTime()) / 1000))} s`;
    return `tollgate: ${present}${remaining}${totals}`;
  };
  const progress = startProgress(printing('stderr'), detail, say);
  const stays = (line: string) => {
    if (detail === 'all') progress.print(`tollgate: ${line}`);
  };
  return {
    tell(event) {
      if (given.has('json')) void printResult(`${JSON.stringify(event)}\n`);
      until = event.event === 'waiting' ? clock().getTime() + event.wait_ms : null;
      present = presentOf(event) ?? present;
      if (event.event === 'answered') totals = `; so far ${event.total_tokens} tokens, ${dollars(event.total_usd)}`;
      const line = lineOf(event);
      if (line !== null) stays(line);
    },
    note: stays,
    stop: progress.stop,
  };
}

/** Describes what is in progress; null if the event ends something. */
function presentOf(event: DistillEvent): string | null {
  switch (event.event) {
    case 'uploading':
      return `uploading the book: ${Math.floor((event.bytes / Math.max(1, event.of)) * 100)} % of ${event.of} bytes`;
    case 'processing':
      return 'the service makes the book ready';
    case 'asking':
      return `asking for section ${event.section}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`;
    case 'waiting':
      return `attempt ${event.attempt} for ${event.what === 'upload' ? 'the upload' : `section ${event.section}`}`;
    default:
      return null;
  }
}

/** Returns a line that remains; null if nothing is complete yet. */
function lineOf(event: DistillEvent): string | null {
  switch (event.event) {
    case 'begun':
      return `${event.name}: begins with ${event.model}`;
    case 'resumed':
      return `${event.name}: continues after section ${event.sections} with ${event.model}`;
    case 'noted':
      return event.text;
    case 'uploaded':
      return `the book is uploaded as ${event.file}${event.expires_at === null ? '' : `, until ${event.expires_at}`}`;
    case 'waiting':
      return `${event.why}; attempt ${event.attempt} in ${Math.ceil(event.wait_ms / 1000)} s`;
    case 'answered':
      return `section ${event.section}: ${event.title} (${event.tokens} tokens${event.estimated ? ', estimated' : ''})${event.held === null ? '' : `; held: ${event.held.evidence}`}`;
    case 'deleted':
      return `section ${event.section} is deleted${event.again ? ', and requested again' : ''}`;
    default:
      return null;
  }
}
