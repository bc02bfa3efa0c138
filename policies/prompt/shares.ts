// How room is shared: short ones get all they need, and the long ones the same each.

/** The most that each may have, so that all together have at most `room`. */
export function fairShare(lengths: readonly number[], room: number): number {
  const sorted = [...lengths].sort((a, b) => a - b);
  let left = room;
  for (const [i, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - i));
    if (length > share) return Math.max(0, share);
    left -= length;
  }
  return sorted.at(-1) ?? 0;
}
