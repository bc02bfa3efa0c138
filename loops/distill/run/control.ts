// What a person asks of a distillation while it is driven: by a signal, or from another terminal.

import type { DistillWish } from '../../../policies/distill/next-move.ts';
import type { DistillFolder } from '../../../state/distill/run-folder.ts';
import { bellOf, openWishes, removeWish, wishesLeft } from '../../../state/distill/wishes.ts';
import { waitForChange } from '../../../state/wait-for-change.ts';

export interface DistillControl {
  wish(): DistillWish | null;
  /** Sections to delete, each once. */
  deletions(): { section: number; again: boolean; obeyed: () => void }[];
  /** Aborts with a wish to pause or stop: no more waiting. */
  waiting: AbortSignal;
  /** Aborts when nothing may be waited for any more, not even an answer that is being paid for. */
  asking: AbortSignal;
  close(): void;
}

/** How often the folder is looked at where it cannot be watched. */
const LOOK_MS = 1000;

/** @param stop a first signal: what is in flight is still waited for; `halt`: nothing is. */
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
  // Nobody listens yet where the folder cannot be had.
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
  // A folder that cannot be read is told by whoever reads it next.
  void watch().catch(() => {});
  return {
    wish() {
      // What lies there already counts, however late the watch tells of it.
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
