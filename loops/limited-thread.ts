// Work on a text that a model or a checkout wrote, in a thread that can be ended: after a time, at an amount of memory, or when its caller stops waiting.

import { parentPort, Worker, workerData } from 'node:worker_threads';

interface ThreadWork {
  /** The module of the work; it exports `inThread`, which calls `answerFromThread`. */
  file: string;
  /** Plain values, copied into the thread. */
  given: unknown;
  /** From the moment at which the thread begins with the work. */
  wallMs: number;
  stop: AbortSignal;
}

export type ThreadEnd<T> =
  | { how: 'done'; value: T }
  | { how: 'stopped' }
  /** `why`: `it took longer than 10 s`. */
  | { how: 'overran'; why: string };

const MAX_MEMORY_MIB = 1024;
const BEGUN = 'begun';

/** Rejects with what the work throws. */
export function runInThread<T>({ file, given, wallMs, stop }: ThreadWork): Promise<ThreadEnd<T>> {
  if (stop.aborted) return Promise.resolve({ how: 'stopped' });
  return new Promise((resolve, reject) => {
    // A large bundle is loaded by the file beside it.
    const loaded = file.replace(/\.body\.cjs$/, '.cjs');
    const thread = new Worker(`require(${JSON.stringify(loaded)}).inThread()`, {
      eval: true,
      workerData: given,
      // From source: a thread does not take the loader over from its parent.
      ...(file.endsWith('.ts') ? { execArgv: ['--require', 'tsx/cjs'] } : {}),
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MIB },
    });
    let timer: NodeJS.Timeout | undefined;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stop.removeEventListener('abort', stopped);
      void thread.terminate();
      settle();
    };
    const stopped = () => end(() => resolve({ how: 'stopped' }));
    const late = () => end(() => resolve({ how: 'overran', why: `it took longer than ${wallMs / 1000} s` }));
    stop.addEventListener('abort', stopped, { once: true });
    thread.on('message', (message: typeof BEGUN | { value: T }) => {
      if (message === BEGUN) timer = setTimeout(late, wallMs);
      else end(() => resolve({ how: 'done', value: message.value }));
    });
    thread.on('error', (error: NodeJS.ErrnoException) =>
      end(() =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? resolve({ how: 'overran', why: `it took more than ${MAX_MEMORY_MIB} MiB` })
          : reject(error),
      ),
    );
  });
}

/** What the thread does: the work, whose result is copied to the caller. */
export async function answerFromThread<W, T>(work: (given: W) => Promise<T>): Promise<void> {
  parentPort!.postMessage(BEGUN);
  parentPort!.postMessage({ value: await work(workerData as W) });
}
