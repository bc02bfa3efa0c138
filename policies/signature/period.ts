// Detects bytes that repeat, as a flood of one message does.

/** The bytes repeat if this many of their first bytes occur again. */
const PROBE = 1024;

/** Returns the length of the repeated part, if it repeats up to the end; otherwise 0. */
export function periodOf(bytes: Buffer): number {
  if (bytes.length < 2 * PROBE) return 0;
  const period = bytes.indexOf(bytes.subarray(0, PROBE), 1);
  return period > 0 && bytes.compare(bytes, period, bytes.length, 0, bytes.length - period) === 0 ? period : 0;
}
