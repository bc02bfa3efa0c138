// Finds where a composed prompt begins to be about its task, so that a reader can skip what every prompt begins with.

import { HEADER } from '../session/session-entry.ts';
import { reading } from './rules.ts';

/** The lines before the goal: the rules, how to read the prompt, and the instructions of the role. */
export interface Opening {
  lines: number;
  role: string;
}

/** The first line of this part is the same in every prompt. */
const READING = `# How to read this\n\n${reading('').split('\n', 1)[0]}`;

/** @returns null for a prompt that Tollgate did not compose. */
export function openingOf(prompt: string): Opening | null {
  const [header] = HEADER.exec(prompt) ?? [''];
  const text = prompt.slice(header.length).trimStart();
  const read = text.startsWith('# Rules\n') || text.startsWith(READING) ? text.indexOf(READING) : -1;
  const role = read < 0 ? null : /^# Your part: (.+)$/m.exec(text.slice(read));
  const goal = role === null ? -1 : text.indexOf('\n# Goal\n', read + role.index);
  if (goal < 0) return null;
  const before = prompt.length - text.length + goal + 1;
  return { lines: prompt.slice(0, before).split('\n').length - 1, role: role![1]! };
}
