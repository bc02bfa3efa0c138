// Takes a failure of a look at the machine, or of a parser, for the absence of what was looked for.

/** @returns null if it throws. */
export function tried<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
