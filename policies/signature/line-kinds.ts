// Lists the words in which programs say that something went wrong, and the kinds of stderr lines that are not errors.

import { byHead, DIGITS, headAt, headOf, isAsciiLetter, isCapital } from './characters.ts';

/** `noise` is dropped. `retry` and `notice` matter only without a better line. Indented lines belong to them. */
type Grade = 'noise' | 'retry' | 'notice';

export interface LineKind {
  name: string;
  grade: Grade;
  /** How such a line begins after its indentation: a sign, or a word of which the first three letters count. */
  begins?: readonly string[];
  /** Words or signs, one of which the line must contain if it begins otherwise. */
  words?: readonly string[];
  /** Tried on the line without ANSI sequences and indentation: at its head if it begins with `^`, else anywhere. */
  pattern: RegExp;
  /** The pattern includes the indentation. */
  indented?: true;
  /** The number of indented lines below it that are source text, printed by a runtime. */
  echoes?: number;
  /** Its words are known to the end: what names a failure may be their rest. */
  isSentence?: true;
  /** A tool's output: no verdict uses it, nor what follows, up to the next error of the CLI itself. */
  isOfTool?: true;
  /** Applies only to lines without a failure word. */
  unlessError?: true;
  examples: readonly string[];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

// The order matters: the first kind that matches decides.
export const LINE_KINDS: readonly LineKind[] = [
  {
    name: 'stack frame',
    grade: 'noise',
    begins: ['at ', '.'],
    indented: true,
    pattern:
      /^\s+at (?!\d{1,2}(?::\d\d| ?[ap]m\b)|\d{4}-\d\d)\S|^at (?:async |new )?(?:[\w$.<>#/@-]{1,200} ?(?:\[as [^\]]{1,80}\] ?)?\(|(?:file|node|https?):|\/|<anonymous>)|^\s*\.\.\. \d+ (?:more|lines)/,
    examples: [
      '    at async main (file:///x/chunk-JDPZ4CE3.js:17627:5) {',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '\tat org.example.Main.run(Main.java:12)',
    ],
  },
  {
    name: 'script frame',
    grade: 'noise',
    begins: ['File', 'Traceback', 'goroutine'],
    echoes: 1,
    pattern: /^\s*File ".{1,500}", line \d+|^Traceback \(most recent call last\)|^goroutine \d+ \[/,
    examples: ['  File "/x/y.py", line 3, in <module>', 'Traceback (most recent call last):'],
  },
  {
    name: 'native frame',
    grade: 'noise',
    begins: [...'#-<', 'stack', ...DIGITS],
    indented: true,
    pattern:
      /^\s*#?\d+:?\s+0x[0-9a-f]+\b|^\s+\d+: (?:[\w<][\w<>]{0,80}::|\w{1,80}$)|^stack backtrace:$|^-{3,}.{0,60}(?:stack trace|backtrace)|^<-{2,}.{1,60}-{2,}>/i,
    examples: [' 1: 0xb090e0 node::Abort() [node]', '<--- JS stacktrace --->', '----- Native stack trace -----'],
  },
  {
    name: 'garbage collector',
    grade: 'noise',
    begins: ['['],
    pattern: /^\[\d+:(?:0x)?[0-9a-f]+\]\s+\d+ ms: /i,
    examples: ['[4880:0x5581]    12345 ms: Mark-sweep 2039.8 (2082.1) -> 2038.4 MB'],
  },
  {
    name: 'place in source',
    grade: 'noise',
    begins: ['node:', 'file:', '/', ...[...LETTERS].map((letter) => `${letter}:\\`)],
    echoes: 2,
    pattern: /^(?:node:|file:\/\/|\/|[A-Za-z]:\\)[^\s"']{1,500}:\d+(?::\d+)?$/,
    examples: ['node:internal/modules/cjs/loader:1228', '/home/x/app.js:10'],
  },
  {
    name: 'source echo',
    grade: 'noise',
    begins: ['|', ...DIGITS],
    indented: true,
    pattern: /^\s*\d{1,6}\s*\|(?:\s|$)|^\s+\|(?:\s|$)/,
    examples: ['12 | const x = fail();', '   |     ^^^^'],
  },
  {
    name: 'remark of the runtime',
    grade: 'noise',
    begins: ['Node', 'note', '(', 'Max'],
    pattern:
      /^Node\.js v\d|^note: .{0,40}run with `RUST_BACKTRACE|^\(Use `node --trace-|^\(node:\d+\) |^MaxListenersExceededWarning/,
    examples: [
      '(node:4880) ExperimentalWarning: x is an experimental feature',
      'Node.js v20.20.2',
      '(Use `node --trace-warnings ...` to show where the warning was created)',
    ],
  },
  {
    // claude also warns at the end of a session, after the failure that ended it.
    name: 'notice of claude',
    grade: 'notice',
    begins: ['[', 'Session'],
    pattern: /^\[claude-code:unrecognized_model\] \{|^SessionEnd hook \[.{0,300}\] failed: Hook cancelled$/,
    examples: [
      '[claude-code:unrecognized_model] {"model":"claude-next","query_source":"sdk"}',
      'SessionEnd hook [sleep 300] failed: Hook cancelled',
    ],
  },
  {
    name: 'notice of gemini',
    grade: 'noise',
    isSentence: true,
    begins: ['Warning', '2', 'True', 'YOLO', 'Ripgrep', '[', 'Loaded', 'Data', 'Hook', 'Keychain', 'Using', 'The'],
    pattern:
      /^(?:Warning: )?(?:256-color support not detected|True color \(24-bit\) support not detected)|^YOLO mode is enabled|^Ripgrep is not available|^\[STARTUP\]|^Loaded cached credentials|^Keychain initialization encountered|^Using FileKeychain|^Data collection is disabled|^Hook registry initialized|^The 'metricReader' option is deprecated/,
    examples: [
      'Warning: 256-color support not detected. Using a terminal with at least 256-color support is recommended.',
      'YOLO mode is enabled. All tool calls will be automatically approved.',
      'Ripgrep is not available. Falling back to GrepTool.',
      "[STARTUP] Cannot measure phase 'cleanup_ops': start mark 'startup:cleanup_ops:start' not found",
      "The 'metricReader' option is deprecated. Please use 'metricReaders' instead.",
    ],
  },
  {
    name: 'log of codex',
    grade: 'notice',
    isSentence: true,
    begins: DIGITS.split(''),
    pattern: /^\d{4}-\d\d-\d\dT\S{8,24}\s+(?:ERROR|WARN|INFO|DEBUG)\s+\w+::/,
    examples: [
      '2026-11-21T20:59:41.325366Z ERROR codex_login::auth::manager: Failed to refresh token: 401 Unauthorized',
    ],
  },
  {
    name: 'notice of codex',
    grade: 'noise',
    isSentence: true,
    begins: ['Reading', 'warning', 'Codex', 'Model', 'tokens', 'OpenAI'],
    pattern:
      /^Reading (?:additional input|prompt) from stdin|^(?:warning: )?(?:Codex could not find bubblewrap|Model metadata for )|^tokens used\b|^OpenAI Codex v\d/i,
    examples: [
      'Reading additional input from stdin...',
      'warning: Codex could not find bubblewrap on PATH. Install bubblewrap with your OS package manager.',
      'warning: Model metadata for `gpt-5.1-codex` not found. Defaulting to fallback metadata.',
      'tokens used',
    ],
  },
  {
    name: 'statistics of copilot',
    grade: 'noise',
    begins: ['Changes', 'Duration', 'Tokens', 'Resume', 'Requests', 'AI ', 'Total', 'API', 'Usage', 'Breakdown'],
    pattern:
      /^(?:Changes|Duration|Tokens|Resume|Requests|AI Credits)\s{2,}|^(?:Total (?:usage est|duration|session time|code changes)|API time spent|(?:Usage|Breakdown) by (?:AI )?model)\b/,
    examples: [
      'Changes    +0 -0',
      'Resume     copilot --resume=9c107400-5815-4d3b-aab9-f03f04949199',
      'Tokens     ↑ 11 • ↓ 7',
    ],
  },
  {
    name: 'retry',
    grade: 'retry',
    words: ['Attempt', 'Retrying', 'Reconnecting', 'will', 'Max'],
    pattern:
      /\bAttempt \d+(?: ?(?:of|\/) ?\d+)? failed\b|\b[Rr]etrying(?: (?:in|after|with|request|\(|\d+\/)|\.\.|…)|\bReconnecting\b|\bwill retry\b|\. Max attempts reached$/,
    examples: [
      'Attempt 1 failed with status 500. Retrying with backoff... _ApiError: {"error":{"code":500}}',
      'Suggested retry after 2s.. Retrying after 5099ms...',
      'ERROR: Reconnecting... 2/5',
      '● Request failed due to a transient API error. Retrying...',
      'Attempt 10 failed: Resource has been exhausted. Max attempts reached',
    ],
  },
  {
    name: 'failure of a tool',
    grade: 'notice',
    isOfTool: true,
    begins: ['Error'],
    pattern: /^Error executing tool \S/,
    examples: ['Error executing tool write_file: Path not in workspace: Attempted path "/etc/x"'],
  },
  {
    name: 'help',
    grade: 'notice',
    begins: ['usage', 'commands', 'options', 'positionals', 'arguments', 'examples', 'flags', 'subcommands'],
    pattern: /^(?:usage|commands|options|positionals|arguments|examples|flags|subcommands):/i,
    examples: ['Usage: codex exec [OPTIONS] [PROMPT]', 'Options:'],
  },
  {
    name: 'option in help',
    grade: 'notice',
    begins: ['-'],
    indented: true,
    pattern: /^\s{2,}-{1,2}[A-Za-z]/,
    examples: ['  -m, --model    Model  [string]'],
  },
  {
    name: 'warning',
    grade: 'notice',
    begins: ['(', '!'],
    words: ['warn', 'info', 'debug', 'trace', 'notice', 'hint', 'tip', 'deprecated'],
    pattern:
      /^(?!Warning: stdin input truncated)(?:\S{1,40} ){0,2}?[([]?(?:warn(?:ing)?|info|debug|trace|notice|note|hint|tip|deprecat(?:ed|ion))\b[)\]]?[:\s]|^npm (?:warn|notice)|^! /i,
    examples: [
      'warning: Codex is ignoring 1 unrecognized configuration setting.',
      '2026-11-21T20:16:49Z WARN codex_core: slow',
      '! No token count multiplier is known for Anthropic model "x".',
    ],
  },
  {
    name: 'epilogue',
    grade: 'notice',
    begins: ['An '],
    pattern: /^An unexpected critical error occurred:\s?\[object Object\]/,
    examples: ['An unexpected critical error occurred:[object Object]'],
  },
  {
    name: 'progress',
    grade: 'noise',
    words: ['%'],
    pattern: /\d ?%/,
    unlessError: true,
    examples: ['Downloading model 45%', ' 45% |█████     | 9/20'],
  },
  {
    name: 'spinner',
    grade: 'noise',
    begins: ['⠋', ...'|/\\['],
    pattern: /^[⠀-⣿◐◓◑◒|/\\]\s+\S|^\[[#=>. -]{3,}\]/,
    unlessError: true,
    examples: ['⠋ Working', '[=====>    ] 12/20'],
  },
];

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

/** The pattern of each row's stems, compiled on first use: most texts have words of few rows. */
const PATTERNS: (RegExp | undefined)[] = [undefined, ...FAILURE_HEADS.map(() => undefined)];
function compile(row: number): RegExp {
  const pattern = new RegExp(BY_HEAD.get(FAILURE_HEADS[row - 1]!)!.join('|'), 'iy');
  PATTERNS[row] = pattern;
  return pattern;
}

/** Whether the word at `at` says that something failed. @param codes of the line. */
export function tellsFailure(line: string, at: number, codes: Uint16Array): boolean {
  const row = ROWS[headAt(codes, at)]!;
  if (row !== 0 && matches(PATTERNS[row] ?? compile(row), line, at)) return true;
  const first = codes[at];
  return (first === 69 || first === 83) && isCapital(codes[at + 1]!) && matches(NAME, line, at);
}

function matches(pattern: RegExp, line: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(line);
}
