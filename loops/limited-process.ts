// Processes a text of a model or a checkout in a process with limits of time and memory, which ends with its caller.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

interface LimitedWork {
  /** The module of the work. It exports `inProcess`, which calls `answerFromProcess`. */
  file: string;
  /** Plain values, copied into the process. */
  given: unknown;
  /** Counted from the moment at which the process begins the work. */
  wallMs: number;
  stop: AbortSignal;
}

export type LimitedEnd<T> =
  | { how: 'done'; value: T }
  | { how: 'stopped' }
  /** `why` has the form `it took longer than 10 s`. */
  | { how: 'overran'; why: string };

interface Request {
  given: unknown;
  caller: number;
}

type Message = { begun: true } | { value: unknown } | { error: unknown };

const MAX_MEMORY_MIB = 1024;

/** Rejects with the error that the work throws. */
export async function runInProcess<T>({ file, given, wallMs, stop }: LimitedWork): Promise<LimitedEnd<T>> {
  if (stop.aborted) return { how: 'stopped' };
  // The file beside a large bundle loads it.
  const loaded = file.replace(/\.body\.cjs$/, '.cjs');
  const fromSource = file.endsWith('.ts') ? ['--require', 'tsx/cjs'] : [];
  const flags = [`--max-old-space-size=${MAX_MEMORY_MIB}`, ...fromSource];
  const child = spawn(process.execPath, [...flags, '--eval', `require(${JSON.stringify(loaded)}).inProcess()`], {
    env: environment(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl-C at a terminal is for the caller, which ends this process.
    detached: true,
  });
  const ends: (LimitedEnd<T> | { how: 'failed'; error: unknown })[] = [];
  const finish = (end: (typeof ends)[number]) => {
    ends.push(end);
    child.kill('SIGKILL');
  };
  const stopped = () => finish({ how: 'stopped' });
  let timer: NodeJS.Timeout | undefined;
  child.on('message', (message: Message) => {
    if ('value' in message) finish({ how: 'done', value: message.value as T });
    else if ('error' in message) finish({ how: 'failed', error: message.error });
    else timer = setTimeout(() => finish({ how: 'overran', why: `it took longer than ${wallMs / 1000} s` }), wallMs);
  });
  // The process may have ended before it receives its input; its exit code shows that.
  child.on('error', (error) => child.pid === undefined && finish({ how: 'failed', error }));
  child.send?.({ given, caller: process.pid } satisfies Request, () => {});
  stop.addEventListener('abort', stopped, { once: true });
  const [code, signal] = child.pid === undefined ? [] : await once(child, 'exit');
  clearTimeout(timer);
  stop.removeEventListener('abort', stopped);
  const [first] = ends;
  if (first?.how === 'failed') throw first.error;
  if (first !== undefined) return first;
  // V8 aborts when its heap is full.
  if (code === 134 || signal === 'SIGABRT' || signal === 'SIGKILL')
    return { how: 'overran', why: `it took more than ${MAX_MEMORY_MIB} MiB` };
  throw new Error(`the process for ${file} ended with ${signal ?? `exit code ${code}`}`);
}

/** The variables that the process needs to start. API keys are not passed. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Runs the work in the process, and copies the result to the caller. */
export async function answerFromProcess<W, T>(work: (given: W) => Promise<T>): Promise<void> {
  const [{ given, caller }] = (await once(process, 'message')) as [Request];
  watch(caller);
  process.send!({ begun: true } satisfies Message);
  const message: Message = await work(given as W).then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  process.send!(message);
}

/** A thread, as the work may block the process for longer than its caller lives. Counts buffers, unlike V8's limit. */
function watch(caller: number): void {
  const code = `setInterval(() => {
    const isOver = process.ppid !== ${caller} || process.memoryUsage.rss() > ${(MAX_MEMORY_MIB + 256) * 1024 * 1024};
    if (isOver) process.kill(process.pid, 'SIGKILL');
  }, 100);`;
  new Worker(code, { eval: true, execArgv: [] }).unref();
}
