// The stream of changes to one page: what it does not take in time is not kept for it; it asks for all anew.

import type { ServerResponse } from 'node:http';
import type { ChangeTold } from '../contract/page.ts';
import { sendHead } from './replies.ts';

/** Of what a page has not taken yet. */
const MOST_WAITING = 4 * 1024 * 1024;
const BEAT_MS = 15_000;

/** @returns what ends it. @param onEnd called once, however it ended. */
export function openStream(
  response: ServerResponse,
  listen: (listener: (change: ChangeTold) => void) => () => void,
  onEnd: () => void,
): () => void {
  sendHead(response, { status: 200, type: 'text/event-stream; charset=utf-8' });
  const write = (text: string) => {
    response.write(text);
    if (response.writableLength > MOST_WAITING) response.destroy();
  };
  // Begins the answer, so that the page knows that it is let in.
  write(': let in\n\n');
  const unlisten = listen((change) => write(`data: ${JSON.stringify(change)}\n\n`));
  const beat = setInterval(() => write(': still here\n\n'), BEAT_MS);
  response.once('close', () => {
    clearInterval(beat);
    unlisten();
    onEnd();
  });
  return () => response.end();
}
