// The words in which programs say that something went wrong.

/** Stems at the beginning of a word, also within a name such as `FetchError`; the first two letters are literal. */
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
  'log ?in\\b|sign in|set an auth|try again',
  // Codes, where a label says that they are codes.
  'status\\W{1,4}-?\\d|code\\W{1,4}-?\\d|errno\\W{1,4}-?\\d|http\\W{1,4}\\d|exit(?:ed)?(?: with)?(?: code| status)? \\d',
].join('|');

const STEM = new RegExp(STEMS, 'iy');
const NAME = /E[A-Z]{4,}\b|SIG(?:KILL|TERM|SEGV|ABRT|INT|BUS|PIPE)\b/y;
const STATUS_AT_HEAD = /^\W{0,3}[45]\d\d\b/;

/** Whether a line says that something failed. Linear: a stem is looked for only where one may begin. */
export function isErrorBearing(line: string): boolean {
  let before = 0;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    const isLetter = code < 128 && (code | 32) > 96 && (code | 32) < 123;
    if (isLetter) {
      const following = line.charCodeAt(at + 1);
      // A word begins, or a capital within a name: `TimeoutError`.
      if (before === 0 || (before > 96 && code < 97)) {
        if (mayBegin(code, following) && matches(STEM, line, at)) return true;
        if ((code === 69 || code === 83) && following > 64 && following < 91 && matches(NAME, line, at)) return true;
      }
      before = code;
    } else before = 0;
  }
  return STATUS_AT_HEAD.test(line);
}

function matches(pattern: RegExp, line: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(line);
}

const PAIRS = new Uint8Array(32 * 32);
for (const [pair] of STEMS.matchAll(/(?<=^|\|)[a-z]{2}/g)) PAIRS[pairOf(pair.charCodeAt(0), pair.charCodeAt(1))] = 1;

const mayBegin = (first: number, second: number): boolean => PAIRS[pairOf(first, second)] === 1;

function pairOf(first: number, second: number): number {
  return (first & 31) * 32 + (second & 31);
}
