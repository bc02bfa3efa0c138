// Which file a prompt mentions with `@`, as a claude reads and sends it that cannot be told to leave that.

import { existsSync } from 'node:fs';
import path from 'node:path';

/** The first mention of something that is there; null where there is none. */
export function mentionedFile(prompt: string, cwd: string): string | null {
  for (const [, quoted, bare = ''] of prompt.matchAll(MENTION)) {
    const name = (quoted ?? bare).split('#')[0]!;
    // What stands behind a name may be the sentence's own.
    const names = [name, name.replace(/[.,;:!?)\]}'"`]+$/, '')];
    const found = names.find((one) => one !== '' && existsSync(path.resolve(cwd, one)));
    if (found !== undefined) return found;
  }
  return null;
}

const MENTION = /(?<![\w\\])@(?:"([^"\n]+)"|([^\s"]+))/g;
