// Shows one line on a terminal that names what the command waits for, after the first two seconds.

import type { WriteStream } from 'node:tty';
import { visible } from '../policies/text/display.ts';

export interface Progress {
  /** Prints a permanent line above the one that changes. */
  print(line: string): void;
  stop(): void;
}

const QUIET_MS = 2000;
const REFRESH_MS = 500;
const ERASE = '\r\u001b[K';

/** @param began The start of the wait, by the clock of `performance.now`. */
export function startProgress(
  stream: WriteStream,
  detail: 'all' | 'problems',
  say: () => string,
  began = performance.now(),
): Progress {
  const moves = stream.isTTY === true && detail === 'all';
  let shown = false;
  const draw = () => {
    const ms = performance.now() - began;
    if (ms < QUIET_MS) return;
    const time = ` (${Math.round(ms / 1000)} s)`;
    // A line that wraps could not be erased.
    const room = Math.max(0, (stream.columns || 80) - time.length - 1);
    stream.write(`${ERASE}${visible(say()).slice(0, room)}${time}`);
    shown = true;
  };
  const erase = () => {
    if (shown) stream.write(ERASE);
    shown = false;
  };
  const timer = moves ? setInterval(draw, REFRESH_MS).unref() : undefined;
  return {
    print(line) {
      erase();
      stream.write(`${visible(line)}\n`);
    },
    stop() {
      clearInterval(timer);
      erase();
    },
  };
}
