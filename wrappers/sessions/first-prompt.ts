// The first prompt of a session, from no more than the beginning of its file.

import type { SessionFile } from './store.ts';
import { firstLines } from './store-folder.ts';

/** The second is for the longest prompt that anybody sends. */
const READ_BYTES = [256 * 1024, 8 * 1024 * 1024];

/** null where there is none, or none that can be read. */
export function readFirstPrompt({ file }: SessionFile, promptOf: (line: string) => string | null): string | null {
  try {
    for (const bytes of READ_BYTES)
      for (const line of firstLines(file, bytes)) {
        const prompt = promptOf(line);
        if (prompt !== null) return prompt;
      }
  } catch {}
  return null;
}
