// A redactor whose user's patterns cannot hang anybody: V8 interrupts them when their time is over.

import type { Context, Script } from 'node:vm';
import { createRedactor } from '../policies/redact/create-redactor.ts';
import type { Bounded, Redactor } from '../policies/redact/redactor.ts';

/** @param patterns regular expressions of the user, as in `security.redaction_patterns` */
export function redactorOf(env: NodeJS.ProcessEnv, patterns: readonly string[]): Redactor {
  // One with patterns remembers which of them took too long.
  if (patterns.length > 0) return createRedactor({ env, patterns, bounded: createBounded() });
  const key = Object.entries(env).join('\0');
  const known = made.get(key);
  if (known !== undefined) return known;
  const redactor = createRedactor({ env, patterns });
  if (made.size >= MOST_MADE) made.clear();
  made.set(key, redactor);
  return redactor;
}

/** By all that an environment says: a run asks for a dozen, and each takes a millisecond to make. */
const made = new Map<string, Redactor>();
const MOST_MADE = 8;

/** For one text, on a machine that is busy with other things. */
const TEXT_MS = 1000;
/** For all texts on which a pattern took too long; each of those that follow still gets the least. */
const ALL_MS = 2000;
const LEAST_MS = 50;
const CHARS_A_MS = 10_000;
/** How often a text is tried whose time went to other processes. */
const TRIES = 10;

/** Work that is interrupted when its time is over. */
export function createBounded(): Bounded {
  let leftMs = ALL_MS;
  return (work, chars) => {
    const timeout = Math.max(LEAST_MS, Math.min(TEXT_MS, leftMs)) + Math.ceil(chars / CHARS_A_MS);
    for (let triesLeft = TRIES; ; triesLeft -= 1) {
      const before = process.cpuUsage();
      try {
        return { how: 'done', value: interruptible(work, timeout) };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A pattern may also need more memory for its way back than V8 gives it.
        if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' && !(error instanceof RangeError)) throw error;
        // V8 counts by the wall clock: on a busy machine that time is not the pattern's.
        if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' && cpuMsSince(before) < timeout / 2 && triesLeft > 1) continue;
        leftMs -= timeout;
        return { how: 'stopped' };
      }
    }
  };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

let room: { context: Context; script: Script } | null = null;

function interruptible<T>(work: () => T, timeout: number): T {
  room ??= openRoom();
  room.context.work = work;
  return room.script.runInContext(room.context, { timeout }) as T;
}

/** Made when the first text is looked at: it takes a millisecond. */
function openRoom() {
  const vm = process.getBuiltinModule('node:vm');
  return { context: vm.createContext({}), script: new vm.Script('work()') };
}
