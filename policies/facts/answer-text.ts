// Collects the text of an answer from the pieces that a CLI reports. Beside the text it takes constant memory.

import type { EngineEvent } from './engine-event.ts';
import { visibleChars } from './evidence.ts';

/** A V8 string cannot hold much more than twice this. */
const MAX_ANSWER = 2 ** 28;
const ENOUGH_TO_FLATTEN = 64 * 1024;

/** @param max characters; a longer answer is not whole. */
export function createAnswer(max = MAX_ANSWER) {
  let text = '';
  let message: string | null = null;
  let streamed = 0;
  let closed = false;
  let lost: 'nothing' | 'unknown' | 'an event' | 'the rest' = 'nothing';
  /** Up to here the text is in one piece: V8 keeps what is put together as a tree, ten times as large as its letters. */
  let flat = ENOUGH_TO_FLATTEN;
  const flatten = () => {
    // V8 flattens a string before it tests a pattern on it.
    /^$/.test(text);
    flat = Math.max(text.length, ENOUGH_TO_FLATTEN);
  };
  /** The text that was checked last. `isVisible` is whether it has visible characters. */
  let seen = '';
  let isVisible = false;
  return {
    /** Why it is not the whole answer, or null. */
    lost(): string | null {
      if (lost === 'the rest') return `the answer has over ${max} characters`;
      if (lost === 'an event' || (lost === 'unknown' && visibleChars(text) === 0))
        return 'the answer is larger than what is read of one event of its stream (64 MiB)';
      return null;
    },
    lose(what: 'answer' | 'unknown') {
      if (what === 'answer') lost = 'an event';
      else if (lost === 'nothing') lost = 'unknown';
    },
    add(piece: Extract<EngineEvent, { how: 'said' }>) {
      // Only a finished message is separated from the next: copilot continues a long message that was cut in a new one.
      if (closed && piece.text !== '') {
        text += '\n\n';
        closed = false;
      }
      if (piece.message !== message) streamed = 0;
      message = piece.message;
      if (text.length + piece.text.length > max) lost = 'the rest';
      else text += piece.whole ? piece.text.slice(streamed) : piece.text;
      streamed = piece.whole ? 0 : streamed + piece.text.length;
      if (text.length > 2 * flat) flatten();
      closed = piece.whole && text !== '';
    },
    /** @param what the part to drop; `end`: the text that follows continues in the middle of the message. */
    drop(what: 'all' | 'end' = 'all') {
      closed = false;
      if (what === 'end') return;
      text = '';
      lost = 'nothing';
      flat = ENOUGH_TO_FLATTEN;
      message = null;
      streamed = 0;
    },
    text: () => text,
    isVisible() {
      if (text !== seen) isVisible = visibleChars(text) > 0;
      seen = text;
      return isVisible;
    },
  };
}
