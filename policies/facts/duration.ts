// Reads durations as services write them: `3600.5s`, `1h0m0s`, `3 hours and 12 minutes`, `PT36S`.

/** @returns milliseconds, or null if there is no duration at that place. */
export const durationAt = (text: string, index: number): number | null => scan(text, index).total ?? iso(text, index);

/** Reads a whole text as the duration of a flag, such as `30d`, `12 hours`, `1h 30m`. Returns null otherwise. */
export function wholeDuration(text: string): number | null {
  const trimmed = text.trim();
  const { total, end } = scan(trimmed, 0);
  return end === trimmed.length ? total : null;
}

/** Reads `00:05:30`, if the text shows that it is not a time of day. */
export function countdownAt(text: string, index: number): number | null {
  COUNTDOWN.lastIndex = index;
  const found = COUNTDOWN.exec(text);
  if (found === null) return null;
  const [, hours, minutes, seconds] = found.map(Number);
  return hours! * UNIT_MS.h! + minutes! * UNIT_MS.m! + seconds! * UNIT_MS.s!;
}

const COUNTDOWN = /(\d{1,3}):([0-5]\d):([0-5]\d)(?![\d:])/y;

function scan(text: string, index: number): { total: number | null; end: number } {
  let total: number | null = null;
  for (let at = index; ; at = PART.lastIndex) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) return { total, end: at };
    const count = /^a/i.test(part[1]!) ? 1 : Number(part[1]!.replaceAll(',', ''));
    const unit = UNIT_MS[part[2]!.toLowerCase().charAt(0)]! * scale(part[2]!);
    total = (total ?? 0) + (count + (part[3] === undefined ? 0 : 0.5)) * unit;
  }
}

const PART =
  /(\d{1,3}(?:,\d{3}){1,3}(?!\d)|\d{1,9}(?:\.\d{1,9})?|an?\b)\s{0,3}(?:more )?(ms|msecs?|millis(?:econds)?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?:\(s\))?(?![a-z])(?! tokens)( and a half)?[ ,]{0,3}(?:and )?/iy;

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `ms` and `milliseconds` begin with the letter of the minute. */
const scale = (unit: string) => (/^(?:ms|milli)/i.test(unit) ? 1 / 60_000 : 1);

/** ISO 8601: `PT36S`, `P1DT2H`. */
function iso(text: string, index: number): number | null {
  ISO.lastIndex = index;
  const found = ISO.exec(text);
  if (found === null) return null;
  const [days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  return days! * UNIT_MS.d! + hours! * UNIT_MS.h! + minutes! * UNIT_MS.m! + seconds! * UNIT_MS.s!;
}

const ISO =
  /P(?=\d|T\d)(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?(?![A-Za-z0-9])/y;
