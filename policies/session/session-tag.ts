// Defines the tag under which sessions are kept, and the line that identifies a session in the files of its CLI.

/** The tag must fit on one line between brackets, and must not look like a flag. */
export const TAG = /^[^-\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\]][^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\]]{0,127}$/u;

export const TAG_MUST =
  'must be 1 to 128 characters on one line, without control characters and "]", and not begin with a dash or a space';

/** The tag of a task without a tag is the task's id. */
export const tagOf = (feature: string | undefined, taskId: string): string => feature ?? taskId;

/** The first line of the first prompt of a session. */
export const headerOf = (tag: string): string => `[Feature: ${tag}]`;

/** Matches such a header line with any tag. */
export const HEADER = /^\s*\[Feature: [^\n]*\](?:\r?\n|$)/;

/** @param headers the line as it was written, and as the CLI may store it. */
function beginsWith(prompt: string, headers: readonly string[]): boolean {
  const [first] = prompt.trimStart().split(/\r?\n/, 1);
  return headers.includes(first!.trimEnd());
}

/** A shorter goal could occur in any prompt. */
const LEAST_GOAL_CHARS = 20;

/**
 * Checks whether this is the first prompt of a session of the tag. If the prompt has no header, it must contain the task's goal.
 */
export function isOf(prompt: string, { headers, goal }: { headers: readonly string[]; goal: string }): boolean {
  if (HEADER.test(prompt)) return beginsWith(prompt, headers);
  const wanted = squeezed(goal);
  return wanted.length >= LEAST_GOAL_CHARS && squeezed(prompt).includes(wanted);
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
