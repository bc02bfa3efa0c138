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
].join('|');

/** Codes, where a label or their place says that they are codes, and names of errors and signals. */
const CODES =
  /^\W{0,3}[45]\d\d\b|\b(?:status|code|errno|http)\W{1,4}-?\d|\bexit(?:ed)?(?: with)?(?: code| status)? \d|\bE[A-Z]{4,}\b|\bSIG(?:KILL|TERM|SEGV|ABRT|INT|BUS|PIPE)\b/;

const STEM = new RegExp(STEMS, 'iy');

/** Whether a line says that something failed. Linear: a stem is looked for only where one may begin. */
export function isErrorBearing(line: string): boolean {
  let before = 0;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    const isLetter = code < 128 && (code | 32) > 96 && (code | 32) < 123;
    // A word begins, or a capital within a name: `TimeoutError`.
    if (isLetter && (before === 0 || (before > 96 && code < 97)) && mayBegin(code, line.charCodeAt(at + 1))) {
      STEM.lastIndex = at;
      if (STEM.test(line)) return true;
    }
    before = isLetter ? code : 0;
  }
  return CODES.test(line);
}

const PAIRS = new Uint8Array(32 * 32);
for (const [pair] of STEMS.matchAll(/(?<=^|\|)[a-z]{2}/g)) PAIRS[pairOf(pair.charCodeAt(0), pair.charCodeAt(1))] = 1;

const mayBegin = (first: number, second: number): boolean => PAIRS[pairOf(first, second)] === 1;

function pairOf(first: number, second: number): number {
  return (first & 31) * 32 + (second & 31);
}
