// Shows one line on a terminal, after the first two seconds: what the command waits for, or how its call proceeds.

import type { WriteStream } from 'node:tty';
import { wordsFor } from '../loops/task/last-event.ts';
import type { EngineEvent } from '../policies/facts/engine-event.ts';
import { dollars, visible } from '../policies/text/display.ts';
import type { Capture } from '../wrappers/capture.ts';
import { fitting, printing } from './printing.ts';
import { cutLine } from './wrap.ts';

export interface Progress {
  /** Prints a permanent line above the one that changes. */
  print(line: string): void;
  /** The same for a line with colours, whose other text is known to be printable. */
  printPainted(line: string): void;
  stop(): void;
}

const QUIET_MS = 2000;
const REFRESH_MS = 500;
const ERASE = '\r\u001b[K';

/**
 * @param say gets the columns that are free; a longer text is cut.
 * @param began The start of the wait, by the clock of `performance.now`.
 * @param ending follows the text.
 */
export function startProgress(
  stream: WriteStream,
  detail: 'all' | 'problems',
  say: (room: number) => string,
  began = performance.now(),
  ending = (ms: number) => ` (${Math.round(ms / 1000)} s)`,
): Progress {
  const moves = stream.isTTY === true && detail === 'all';
  let shown = false;
  const draw = () => {
    const ms = performance.now() - began;
    if (ms < QUIET_MS) return;
    const time = ending(ms);
    // A line that wraps could not be erased.
    const room = Math.max(0, (stream.columns || 80) - time.length - 1);
    stream.write(`${ERASE}${cutLine(visible(say(room)), room)}${time}`);
    shown = true;
  };
  const erase = () => {
    if (shown) stream.write(ERASE);
    shown = false;
  };
  const printPainted = (line: string) => {
    erase();
    stream.write(`${fitting(line, stream)}\n`);
  };
  const timer = moves ? setInterval(draw, REFRESH_MS).unref() : undefined;
  return {
    print: (line) => printPainted(visible(line)),
    printPainted,
    stop() {
      clearInterval(timer);
      erase();
    },
  };
}

interface LiveLine extends Progress {
  watch(event: EngineEvent, capture: () => Capture): void;
}

/** The line appears two seconds after the start, so a short call shows none. null: stderr is no terminal. */
export function startLiveLine(name: string, tool: string): LiveLine | null {
  const stream = printing('stderr');
  if (stream.isTTY !== true) return null;
  // Before its first event, the CLI may not be started: the call may still wait for its turn.
  let action = '';
  let used = () => '';
  const progress: Progress = startProgress(stream, 'all', () => `${name}: ${tool}${action}${used()}`);
  return {
    watch(event, capture) {
      const words = wordsFor(event);
      if (words !== null) action = ` ${words}`;
      used = () => usedWords(capture());
    },
    ...progress,
  };
}

/** Says nothing about a figure that the CLI has not reported yet. */
function usedWords({ usage: { total_tokens: tokens, usd } }: Capture): string {
  const counted = tokens === null ? '' : `, ${tokens.toLocaleString('en')} tokens`;
  return `${counted}${usd === null ? '' : `, ${dollars(usd)}`}`;
}
