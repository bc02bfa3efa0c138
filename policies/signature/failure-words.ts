// Lists the words in which programs say that something went wrong.

import { byHead, headAt, headOf, isAsciiLetter, isCapital } from './characters.ts';

/** Stems at the beginning of a word, also within a name such as `FetchError`; the first three characters are literal. */
const STEMS = [
  'error|err!|fail|fatal|exception|panic|abort|crash|kill|terminated|interrupted|cancel|corrupt|mismatch|violat',
  "cannot|can not|can['’]t|couldn['’]t|could not|unable|did not|does not|doesn['’]t|is not|isn['’]t|are not|was not",
  'not (?:found|set|given|allowed|permitted|supported|available|specified|configured|authenticated|authorized|logged|inside|a )',
  'no (?:such|space|response|input|prompt|session|previous|auth|matching|valid|permission|route|credentials)|without a ',
  'invalid|illegal|malformed|unexpected|unknown|unrecogni[sz]ed|unsupported|unavailable|unauthori[sz]ed|unauthenticated',
  'insufficient|incorrect|missing|require|must |denied|refused|rejected|forbidden|blocked|suspended|revoked|expired|exceed',
  'exhaust|quota|too (?:large|long|many|big)|rate.?limit|usage.{0,12} limit|spend.{0,12} limit|hit.{0,12} limit',
  'reached.{0,12} limit|limit reached|reached max|overload|at capacity|high demand|throttl|busy|billing',
  'timed? ?out|timeout|disconnect|connection (?:reset|closed|lost)|reset by peer|hang up|out of (?:memory|room)|ran out',
  'stack overflow|segmentation|core dumped|locked|conflict|already (?:in use|exists|has|running)',
  'log ?in\\b|sign in|set an auth|try again|stopped (?:due|by|because)|halted|declined|filtered|flagged|withheld',
  // Codes that follow a label.
  'status\\W{1,4}-?\\d|code\\W{1,4}-?\\d|errno\\W{1,4}-?\\d|http\\W{1,4}\\d|exit(?:ed)?(?: with)?(?: code| status)? \\d',
].flatMap((row) => row.split(/\|(?![^(]*\))/));

const NAME = /E[A-Z]{4,80}\b|SIG(?:KILL|TERM|SEGV|ABRT|INT|BUS|PIPE)\b/y;

/** `401 Unauthorized` at the beginning of a line. */
export const hasStatusAtHead = (line: string): boolean =>
  !isAsciiLetter(line.charCodeAt(0)) && STATUS_AT_HEAD.test(line);

const STATUS_AT_HEAD = /^\W{0,3}[45]\d\d\b/;

/** The stems by head. `ROWS` maps a head to its place in `FAILURE_HEADS`, counted from 1. */
const BY_HEAD = new Map<number, string[]>();
for (const stem of STEMS) BY_HEAD.set(headOf(stem), [...(BY_HEAD.get(headOf(stem)) ?? []), stem]);
const ROWS = byHead();
/** The heads of words that may report a failure; a name in capitals always may. */
export const FAILURE_HEADS: readonly number[] = [...BY_HEAD.keys()];
FAILURE_HEADS.forEach((head, i) => {
  ROWS[head] = i + 1;
});

/** The fourth characters of each row's stems, one bit each: most words with a stem's head differ after it. */
const FOURTH: readonly number[] = [0, ...FAILURE_HEADS.map((head) => fourthOf(BY_HEAD.get(head)!))];

function fourthOf(stems: readonly string[]): number {
  // An optional fourth character, or one that is part of a pattern, matches any character.
  return stems.reduce(
    (bits, stem) => (/^...[\w !](?![?*{])/.test(stem) ? bits | (1 << (stem.charCodeAt(3) & 31)) : -1),
    0,
  );
}

/** The pattern of each row's stems, compiled on first use: most texts have words of few rows. */
const PATTERNS: (RegExp | undefined)[] = [undefined, ...FAILURE_HEADS.map(() => undefined)];
function compile(row: number): RegExp {
  const pattern = new RegExp(BY_HEAD.get(FAILURE_HEADS[row - 1]!)!.join('|'), 'iy');
  PATTERNS[row] = pattern;
  return pattern;
}

/** Whether the word at `at` says that something failed; its codes begin at `place`. */
export function tellsFailure(line: string, at: number, codes: Uint16Array, place: number): boolean {
  const row = ROWS[headAt(codes, place)]!;
  if (row !== 0 && FOURTH[row]! & (1 << (codes[place + 3]! & 31)) && matches(PATTERNS[row] ?? compile(row), line, at))
    return true;
  const first = codes[place];
  return (first === 69 || first === 83) && isCapital(codes[place + 1]!) && matches(NAME, line, at);
}

function matches(pattern: RegExp, line: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(line);
}
