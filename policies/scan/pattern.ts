// Patterns that are tried at one place of a text and read no further than they say.

/**
 * A pattern that is tried at one place: with bounds alone, that takes a bounded time.
 * @throws where a quantifier has no upper bound
 */
export function patternAt(source: string, flags: 'y' | 'iy' = 'y'): RegExp {
  const shape = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x');
  if (/[*+]|\{\d+,\}/.test(shape)) throw new RangeError(`unbounded: ${source}`);
  return new RegExp(source, flags);
}

/** The offset past what matches at `at`, or 0. */
export function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
