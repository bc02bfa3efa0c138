// A session file that changed a moment ago may have a writer still, where nothing better tells.

import type { SessionFile } from './store.ts';
import { measure } from './store-folder.ts';

const LATELY_MS = 30_000;

/** Returns half a sentence, or null. Looks at the file again. A time in the future means that the clock was set back. */
export function changedLately({ file }: SessionFile, now: Date): string | null {
  const size = measure(file);
  if (size === null) return null;
  const agoMs = now.getTime() - size.changedAtMs;
  return Math.abs(agoMs) < LATELY_MS ? `its file changed ${Math.max(0, Math.round(agoMs / 1000))} s ago` : null;
}
