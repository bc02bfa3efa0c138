// Reports what a distillation does: JSON lines for machines; for users, lines that remain and one that moves.

import type { DistillEvent } from '../../../loops/distill/distill-run.ts';
import type { Arguments } from '../../command-line.ts';
import { printing, printResult } from '../../printing.ts';
import { startProgress } from '../../progress-line.ts';
import { dollars } from './distill-page.ts';

interface DistillReporting {
  tell(event: DistillEvent): void;
  note(text: string): void;
  stop(): void;
}

export function startDistillReporting({ given }: Arguments, clock: () => Date): DistillReporting {
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
      return `${event.name}: goes on behind section ${event.sections} with ${event.model}`;
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
