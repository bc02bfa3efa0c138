// The tag under which sessions are kept, and the line by which a session is found again in its CLI's own files.

/** Of an unnamed kind: it stands in one line between brackets, and is never taken for a flag. */
export const TAG = /^[^-\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\]][^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\]]{0,127}$/u;

export const TAG_MUST =
  'must be 1 to 128 characters on one line, without control characters and "]", and not begin with a dash or a space';

/** A task without a tag has its own id for one. */
export const tagOf = (feature: string | undefined, taskId: string): string => feature ?? taskId;

/** The first line of the first prompt of a session. */
export const headerOf = (tag: string): string => `[Feature: ${tag}]`;

/** Does the text begin with such a line, whoever's? */
export const HEADER = /^\s*\[Feature: [^\n]*\](?:\r?\n|$)/;

/** @param headers the line as it was written, and as the CLI may keep it. */
function beginsWith(prompt: string, headers: readonly string[]): boolean {
  const [first] = prompt.trimStart().split(/\r?\n/, 1);
  return headers.includes(first!.trimEnd());
}

/** A goal that is shorter may stand in any prompt. */
const LEAST_GOAL_CHARS = 20;

/** Is this the first prompt of a session of the tag; or, where none says whose it is, one that has the task's goal in it? */
export function isOf(prompt: string, { headers, goal }: { headers: readonly string[]; goal: string }): boolean {
  if (HEADER.test(prompt)) return beginsWith(prompt, headers);
  const wanted = squeezed(goal);
  return wanted.length >= LEAST_GOAL_CHARS && squeezed(prompt).includes(wanted);
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
