// Waits for a file to change, by watching its folder; a timer covers what a watch cannot see, such as a process that dies.

import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';

/** Resolves at the file's next change, after `atMostMs`, or when `stop` aborts. */
export function waitForChange(file: string, atMostMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watchOrNull(path.dirname(file), (name) => {
      if (name === path.basename(file)) end();
    });
    const timer = setTimeout(end, atMostMs);
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) end();
    function end() {
      watcher?.close();
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    }
  });
}

/** Without a watch (too many of them, or a file system that has none) only the timer ends the wait. */
function watchOrNull(folder: string, onChange: (name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(folder, (_, name) => onChange(name)).on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
