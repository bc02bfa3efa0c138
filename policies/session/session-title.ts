// Builds the title of a session in a list. The first prompt alone is no help: it begins with the same rules in every session.

import { oneLine } from '../text/one-line.ts';

/** The length that a list shows. */
const MAX_CHARS = 200;

/** Returns the goal and the tag if a task began the session, else the first prompt. */
export function sessionTitle(firstPrompt: string): string {
  const [, tag] = /^\s*\[Feature: ([^\n]*?)\](?=\s|$)/.exec(firstPrompt) ?? [];
  if (tag === undefined) return firstPrompt;
  const [, goal] = /\n# Goal\n\s*([^\n]+)/.exec(firstPrompt) ?? [];
  return goal === undefined ? tag : `${oneLine(goal.trim(), MAX_CHARS)} [${tag}]`;
}
