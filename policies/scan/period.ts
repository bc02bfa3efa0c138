// Tells bytes that say the same again and again, as a flood of one message does.

/** They begin anew where so many of their first bytes stand once more. */
const PROBE = 1024;

/** After how many bytes they begin anew, over and over up to their end; 0 where they do not. */
export function periodOf(bytes: Buffer): number {
  if (bytes.length < 2 * PROBE) return 0;
  const period = bytes.indexOf(bytes.subarray(0, PROBE), 1);
  return period > 0 && bytes.compare(bytes, period, bytes.length, 0, bytes.length - period) === 0 ? period : 0;
}
