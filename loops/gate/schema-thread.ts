// A thread in which an answer is held against its schema: a pattern that takes for ever can be ended there, and signals are heard.

import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { findMisfits, type Schema, type SchemaLook } from './schema.ts';

interface ThreadWork {
  schema: Schema;
  /** The answer; a value that is nested deeply could not be handed over. */
  json: string;
  chars: number;
}

type ThreadEnd = SchemaLook | { how: 'stopped' } | { how: 'unchecked'; why: string };

const MAX_MEMORY_MIB = 1024;

/** The time counts from when the thread has begun to look. */
export function runThread(work: ThreadWork, wallMs: number, stop: AbortSignal): Promise<ThreadEnd> {
  if (stop.aborted) return Promise.resolve({ how: 'stopped' });
  return new Promise((resolve, reject) => {
    const file = fileURLToPath(import.meta.url);
    const thread = new Worker(`require(${JSON.stringify(file)}).lookInThread()`, {
      eval: true,
      workerData: work,
      // From source: a thread does not take it over from its parent.
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
    const late = () => end(() => resolve({ how: 'unchecked', why: `it took longer than ${wallMs / 1000} s` }));
    stop.addEventListener('abort', stopped, { once: true });
    thread.on('message', (told: 'begun' | SchemaLook) => {
      if (told === 'begun') timer = setTimeout(late, wallMs);
      else end(() => resolve(told));
    });
    thread.on('error', (error: NodeJS.ErrnoException) =>
      end(() =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? resolve({ how: 'unchecked', why: `it took more than ${MAX_MEMORY_MIB} MiB` })
          : reject(error),
      ),
    );
  });
}

/** What the thread does. */
export async function lookInThread(): Promise<void> {
  const { schema, json, chars } = workerData as ThreadWork;
  parentPort!.postMessage('begun');
  parentPort!.postMessage(await findMisfits(schema, JSON.parse(json), chars));
}
