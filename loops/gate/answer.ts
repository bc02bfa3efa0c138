// Reads an answer for the gate, or as much of it as the gate looks at.

import type { Finding } from '../../policies/facts/gate-record.ts';
import { readHead } from '../../state/disk/file-head.ts';
import { isSystemError } from '../../state/system-error.ts';

type ReadAnswer = { how: 'read'; text: string; notes: string[] } | { how: 'unreadable'; finding: Finding };

/** More than any model says in one turn; what is beyond it is not looked at. */
const MAX_ANSWER = 4 * 1024 * 1024;

export function readAnswer(file: string): ReadAnswer {
  try {
    const { text, bytes } = readHead(file, MAX_ANSWER);
    const notes =
      bytes > MAX_ANSWER ? [`the answer has ${bytes} bytes; the gate looked at its first ${MAX_ANSWER}`] : [];
    return { how: 'read', text, notes };
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
