// Receives the user's requests to a running distillation: by a signal, or from another terminal.

import type { DistillWish } from '../../policies/distill/distillation.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import { bellOf, openWishes, removeWish, wishesLeft } from '../../state/distill/wishes.ts';
import { waitForChange } from '../../state/wait-for-change.ts';

interface DistillControl {
  wish(): DistillWish | null;
  /** Sections to delete, each once. */
  deletions(): { section: number; again: boolean; obeyed: () => void }[];
  /** Aborts on a request to pause or stop: all waits end. */
  waiting: AbortSignal;
  /** Aborts when nothing may be awaited any more, not even an answer that is being paid for. */
  asking: AbortSignal;
  close(): void;
}

/** The interval of checks if the folder cannot be watched. */
const LOOK_MS = 1000;

/** @param stop a first signal: what is in progress is still awaited. @param halt nothing is awaited. */
export function openControl(
  folder: DistillFolder,
  runId: string,
  stop: AbortSignal,
  halt: AbortSignal,
): DistillControl {
  const waiting = new AbortController();
  const asking = new AbortController();
  const closed = new AbortController();
  let wished: DistillWish | null = null;
  const heed = (wish: DistillWish) => {
    if (wish !== 'pause' || wished === null) wished = wish;
    waiting.abort(wish);
  };
  const look = () => {
    for (const { file, wish } of wishesLeft(folder))
      if (wish.wish !== 'delete') {
        if (wish.run === runId) heed(wish.wish);
        removeWish(file);
      }
  };
  const interrupt = () => heed('interrupt');
  const cut = () => {
    heed('interrupt');
    asking.abort('interrupt');
  };
  // Runs before any listener is added, because it throws if the folder cannot be made.
  openWishes(folder);
  look();
  listen(stop, interrupt);
  listen(halt, cut);
  const watch = async () => {
    while (!closed.signal.aborted) {
      await waitForChange(bellOf(folder), LOOK_MS, closed.signal);
      if (!closed.signal.aborted) look();
    }
  };
  // The next reader of the folder reports that it cannot be read.
  void watch().catch(() => {});
  return {
    wish() {
      // A stored request counts at once, even if the watch reports it later.
      look();
      return wished;
    },
    deletions: () =>
      wishesLeft(folder).flatMap(({ file, wish }) =>
        wish.wish === 'delete' ? [{ section: wish.section, again: wish.again, obeyed: () => removeWish(file) }] : [],
      ),
    waiting: waiting.signal,
    asking: asking.signal,
    close() {
      closed.abort();
      stop.removeEventListener('abort', interrupt);
      halt.removeEventListener('abort', cut);
    },
  };
}

function listen(signal: AbortSignal, heed: () => void): void {
  if (signal.aborted) heed();
  else signal.addEventListener('abort', heed, { once: true });
}
