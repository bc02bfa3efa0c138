// What a session is called in a list: its first prompt begins with rules that are the same in each.

import { oneLine } from '../text/one-line.ts';

/** As far as a list shows it. */
const MAX_CHARS = 200;

/** The goal and the tag of a session that a task began; any other is called by its first prompt. */
export function sessionTitle(firstPrompt: string): string {
  const [, tag] = /^\s*\[Feature: ([^\n]*?)\](?=\s|$)/.exec(firstPrompt) ?? [];
  if (tag === undefined) return firstPrompt;
  const [, goal] = /\n# Goal\n\s*([^\n]+)/.exec(firstPrompt) ?? [];
  return goal === undefined ? tag : `${oneLine(goal.trim(), MAX_CHARS)} [${tag}]`;
}
