// Whether a hang-up of the terminal is to be survived: whether nohup, or a shell that ignores it, started us.

import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Node gives every signal its default back before our first line runs, so what we were started with cannot be asked.
 * Seen are nohup's name, which bash and zsh leave in `_`, and on Linux a parent that ignores HUP itself (`trap '' HUP`).
 */
export function survivesHangUp(environment: NodeJS.ProcessEnv, parent: number): boolean {
  return path.basename(environment._ ?? '') === 'nohup' || ignoresHangUp(parent);
}

/** The lowest bit of the mask of ignored signals is signal 1. */
function ignoresHangUp(pid: number): boolean {
  try {
    const mask = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return mask !== null && (Number.parseInt(mask[1]!, 16) & 1) === 1;
  } catch {
    return false;
  }
}
