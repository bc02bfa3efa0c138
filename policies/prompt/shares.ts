// Divides room fairly: short texts get all they need, and the long ones get equal shares.

/** Returns the maximum for each, so that all together have at most `room`. */
export function fairShare(lengths: readonly number[], room: number): number {
  const sorted = [...lengths].sort((a, b) => a - b);
  let remaining = room;
  for (const [i, length] of sorted.entries()) {
    const share = Math.floor(remaining / (sorted.length - i));
    if (length > share) return Math.max(0, share);
    remaining -= length;
  }
  return sorted.at(-1) ?? 0;
}
