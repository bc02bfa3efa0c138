// Draws a page repeatedly on a terminal, and restores the terminal at the end.

import type { ReadStream, WriteStream } from 'node:tty';

interface Screen {
  /** The present size of the terminal. */
  size(): { width: number; height: number };
  /** Replaces what was shown before; lines beyond the height are omitted. */
  draw(lines: readonly string[]): void;
  /** Restores the terminal; a second call does nothing. */
  close(): void;
}

/** Another screen, no cursor, and no wrapped lines. With wrapping, a wide character would displace the others. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_PAGE = '\u001b[J';

/** @param wake called with each key, as it arrives, and with `resized`. */
export function openScreen(
  output: WriteStream,
  input: ReadStream,
  wake: (what: { key: string } | 'resized') => void,
): Screen {
  const reads = input.isTTY === true;
  const hear = (data: Buffer) => wake({ key: data.toString('utf8') });
  const resized = () => wake('resized');
  let isOpen = true;
  if (reads) {
    input.setRawMode(true);
    input.on('data', hear).resume();
  }
  output.on('resize', resized);
  output.write(ENTER);
  return {
    size: () => ({ width: output.columns || 80, height: output.rows || 24 }),
    draw(lines) {
      if (!isOpen) return;
      // Erased first: after a line of the full width, the cursor is still on its last character.
      const shown = lines.slice(0, output.rows || 24).map((line) => `${REST_OF_LINE}${line}`);
      output.write(`${HOME}${shown.join('\r\n')}${REST_OF_PAGE}`);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      output.removeListener('resize', resized);
      output.write(LEAVE);
      if (!reads) return;
      input.removeListener('data', hear).pause();
      input.setRawMode(false);
    },
  };
}
