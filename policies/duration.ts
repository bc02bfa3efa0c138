// Reads durations as services write them: `3600.5s`, `1h0m0s`, `3 hours and 12 minutes`, `500ms`.

/** @returns milliseconds, or null when no duration stands at that place. */
export const durationAt = (text: string, index: number): number | null => scan(text, index).total;

/** A whole text that is a duration, as a person writes it for a flag: `30d`, `12 hours`, `1h 30m`. Null for any other. */
export function wholeDuration(text: string): number | null {
  const trimmed = text.trim();
  const { total, end } = scan(trimmed, 0);
  return end === trimmed.length ? total : null;
}

function scan(text: string, index: number): { total: number | null; end: number } {
  let total: number | null = null;
  for (let at = index; ; at = PART.lastIndex) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) return { total, end: at };
    total =
      (total ?? 0) +
      (part[1]!.startsWith('a') ? 1 : Number(part[1])) * UNIT_MS[part[2]!.toLowerCase().charAt(0)]! * scale(part[2]!);
  }
}

const PART =
  /(\d{1,9}(?:\.\d{1,9})?|an?\b)\s{0,3}(ms|msecs?|millis(?:econds)?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])[ ,]{0,3}(?:and )?/iy;

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `ms` and `milliseconds` begin with the letter of the minute. */
const scale = (unit: string) => (/^(?:ms|milli)/i.test(unit) ? 1 / 60_000 : 1);
