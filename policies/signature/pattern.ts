// Compiles patterns that are tried at one place of a text and have a bounded length.

/**
 * A pattern that is tried at one place. With upper bounds only, this takes a bounded time.
 * @throws if a quantifier has no upper bound
 */
export function patternAt(source: string, flags: 'y' | 'iy' = 'y'): RegExp {
  const shape = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x');
  if (/[*+]|\{\d+,\}/.test(shape)) throw new RangeError(`unbounded: ${source}`);
  return new RegExp(source, flags);
}

/** Returns the offset after the match at `at`, or 0. */
export function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
