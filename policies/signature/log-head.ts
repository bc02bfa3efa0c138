// Finds the time that a logger puts before each line, and the level that follows.

export type Level = 'error' | 'info';

interface LogHead {
  length: number;
  /** The level in the head; null if there is none. The name `Error` remains part of its line. */
  level: Level | null;
}

const NONE: LogHead = { length: 0, level: null };

/** Returns no head for a line of the engine's log. The indentation of the text after a head is not part of it. */
export function headOf(line: string): LogHead {
  if (!mayHaveHead(line)) return NONE;
  const found = HEAD.exec(line);
  if (found === null || ENGINE.test(line)) return NONE;
  return { length: found[0].length, level: found[1] !== undefined ? 'error' : found[2] !== undefined ? 'info' : null };
}

/** Whether a line is only a time: a line may have been broken right after it. */
export const isTimeAlone = (line: string): boolean => mayHaveHead(line) && ALONE.test(line);

/** A digit, a bracket before a digit, or a month before a day. */
export function mayHaveHead(line: string): boolean {
  let at = 0;
  while (at < 8 && line.charCodeAt(at) === 32) at += 1;
  return mayBeTime(line.charCodeAt(at), line.charCodeAt(at + 1), line.charCodeAt(at + 3));
}

/** Tests the first character, the next one and the one at index 3. */
export function mayBeTime(first: number, next: number, third: number): boolean {
  if (isDigit(first)) return true;
  if (first === 91 || first === 40) return isDigit(next);
  return first > 64 && first < 84 && third === 32;
}

const isDigit = (code: number) => code > 47 && code < 58;

const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`;
const DATE = String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]`;
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = `(?:${DATE}${CLOCK}(?:Z|\\s?[+-]\\d\\d:?\\d\\d|\\sUTC)?|${MONTH} [ \\d]\\d ${CLOCK}|${CLOCK})`;
const ERROR = String.raw`\s{0,4}(?:(?:ERROR|ERR|FATAL|CRITICAL|SEVERE)(?::\s|\s|:?$)|[[(](?:[Ee]rror|ERROR|[Ff]atal|FATAL|stderr)[\])]:?(?:\s|$)|(?:error|fatal):(?: |$))`;
const INFO = String.raw`\s{0,4}(?:(?:WARN|WARNING|INFO|DEBUG|TRACE|NOTICE|LOG)(?::\s|\s{1,2}|:?$)|[[(](?:[Ww]arn|WARN|[Ii]nfo|INFO|[Dd]ebug|DEBUG|[Tt]race|TRACE|stdout)[\])]:?(?:\s|$)|(?:warn|warning|info|debug):(?: |$))`;
const HEAD = new RegExp(String.raw`^\s{0,8}[[(]?${TIME}[\])]?(?:\s?[|:-](?=\s))?(?:\s|$)(?:(${ERROR})|(${INFO}))?`);

const ALONE = new RegExp(String.raw`^\s{0,8}[[(]?${TIME}[\])]?$`);

/** What codex logs in addition to its error: `2026-… ERROR codex_core::…`. */
const ENGINE = /^\s*\S{19,40}\s+(?:ERROR|WARN|INFO|DEBUG|TRACE)\s+\w+::/;
