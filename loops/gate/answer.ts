// Reads an answer for the gate, or as much of it as the gate looks at.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Finding } from '../../policies/gate.ts';
import { isSystemError } from '../../state/system-error.ts';

export type Answer = { how: 'read'; text: string; notes: string[] } | { how: 'unreadable'; finding: Finding };

/** More than any model says in one turn; what is beyond it is not looked at. */
export const MAX_ANSWER = 4 * 1024 * 1024;

export function readAnswer(file: string): Answer {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.allocUnsafe(Math.min(size, MAX_ANSWER));
      let read = 0;
      for (let more = -1; more !== 0 && read < buffer.length; read += more)
        more = readSync(fd, buffer, read, buffer.length - read, read);
      const notes =
        size > MAX_ANSWER ? [`the answer has ${size} bytes; the gate looked at its first ${MAX_ANSWER}`] : [];
      return { how: 'read', text: buffer.toString('utf8', 0, read), notes };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code } = error;
    return { how: 'unreadable', finding: unreadable(file, code) };
  }
}

const unreadable = (file: string, code: string): Finding => ({
  check: 'judge',
  class: 'contract_violation',
  reason: 'answer_unreadable',
  missing: ['the answer'],
  text: `the answer cannot be read any more (${code}): ${file}`,
  next_actions: [],
});
