// Finds the failures that an engine tells on stderr, among its notices, its tools' words and the echoed prompt.

import type { EngineFailure } from '../facts/engine-event.ts';
import { readFailure } from '../facts/engine-failure.ts';
import type { Tool } from '../facts/tools.ts';
import { isOfHelper, isRequired } from '../rules/mcp.ts';

export interface StderrFailure {
  failure: EngineFailure;
  /** `error`: said as an error. `plain`: just said. `retry`: before the CLI tried again. `aside`: a warning, or a helper's mishap. */
  weight: Weight;
}

type Weight = (typeof WEIGHTS)[number];

const WEIGHTS = ['error', 'plain', 'retry', 'aside'] as const;

/** The most telling first; of equals the last one, for the last word decides. */
export function stderrFailures(tool: Tool, lines: readonly string[]): StderrFailure[] {
  const all = blocksOf(ownLines(tool, lines.map(clean))).map(weigh);
  return WEIGHTS.flatMap((weight) => all.filter((one) => one.weight === weight).reverse());
}

const clean = (line: string) => line.replace(ANSI, '').trimEnd();
const ANSI = /\x1b\[[0-9;?]*[ -/]*[@-~]/g;

/** In text mode codex echoes the prompt, its tools' output and the answer on stderr; its own last word begins with `ERROR:`. */
function ownLines(tool: Tool, lines: string[]): string[] {
  if (tool !== 'codex' || !lines.some((line) => CODEX_HEADER.test(line))) return lines;
  const last = lines.findLastIndex((line) => CODEX_OWN.test(line));
  // An answer that follows it shows that the turn went on, or that the prompt was quoted.
  return last < lines.lastIndexOf('codex') || last === -1 ? [] : lines.slice(last);
}

const CODEX_HEADER = /^(?:OpenAI Codex v\d|session id: [\da-f-]{36}$)/;
const CODEX_OWN = /^(?:ERROR: (?!Reconnecting)|turn interrupted)/;

/** Lines that belong together: a dump with its head. Stack frames, notices and what tools said are left out. */
function blocksOf(lines: string[]): string[] {
  const blocks: string[] = [];
  let ofTool = false;
  for (const line of lines) {
    if (line.trim() === '' || FRAME.test(line) || NOTICE.test(line)) continue;
    if (TOOL.test(line)) ofTool = true;
    else if (HEAD.test(line)) ofTool = false;
    if (ofTool) continue;
    if (blocks.length > 0 && goesOn(blocks.at(-1)!, line)) blocks.push(`${blocks.pop()}\n${line}`.slice(0, MAX_BLOCK));
    else blocks.push(line);
  }
  return blocks;
}

const goesOn = (block: string, line: string): boolean =>
  CONTINUED.test(line) || ANNOUNCED.test(block) || (OPEN.test(block) && !HEAD.test(line));

const MAX_BLOCK = 8000;
const FRAME = /^\s+at .*[):\d]$|^\s+\^+$/;
const CONTINUED =
  /^(?:\s|[}\])]|[*•-] |Suggested retry after|Please (?:retry|try|wait|rephrase)\b|For more information\b|Learn [Mm]ore\b|\(Request ID|Caused by:|(?:[Xx]-[\w-]{3,60}|[Rr]etry-[Aa]fter(?:-[Mm]s)?|[Dd]ate|[Vv]ia|[Ss]erver|[Cc]ontent-[\w-]{3,20}|[Cc][Ff]-[Rr]ay): )/;
/** gemini's frame around an API error, which may be of several lines. */
const OPEN = /^\[API Error: [^\]]*$/;
/** gemini says which server it was, its settings, and the error on the next line. */
const ANNOUNCED = /^failed to start or connect to MCP server .*;$/i;
const TOOL = /^Error executing tool /;
const HEAD =
  /^(?:\[?(?:ERROR|Error|error|FATAL|Fatal|fatal)\b|\[API Error|_?[A-Z]\w*(?:Error|Exception): |Attempt \d+ failed|(?:Execution|Model call) failed: |stream disconnected|turn (?:interrupted|aborted)|Loop detected|Maximum session turns|Agent execution (?:stopped|blocked)|Request cancelled)/;
const NOTICE =
  /^(?:YOLO mode|Warning: 256-color|Ripgrep is not available|\[STARTUP\]|Reading additional input|Loaded cached|An unexpected critical error|tokens used$|[\d,]+$|(?:Changes|Duration|Tokens|Requests|Resume|Usage)\s{2,}|! No token count|\(Use `node|To (?:resume|name|pick|start|authenticate))|MaxListenersExceeded|^\(node:\d+\) |^Keychain initialization|^Using FileKeychain|^\S{10,30} \[(?:INFO|DEBUG|TRACE)\]|^\S{20,30}\s+(?:INFO|DEBUG|TRACE) |could not find bubblewrap|Model metadata for|PATH aliases/;

function weigh(block: string): StderrFailure {
  const said = block.replace(PREFIX, '');
  const failure = readFailure(said);
  if (RETRY.test(block)) return { failure, weight: 'retry' };
  if (isAside(block)) return { failure, weight: 'aside' };
  return {
    failure,
    weight: HEAD.test(block) || failure.status !== undefined || block.startsWith('{') ? 'error' : 'plain',
  };
}

/** What stands before the message: the kind of line, and where gemini left its report. */
const PREFIX =
  /^(?:\[?(?:ERROR|Error|error|FATAL|Fatal|fatal)\]?(?: \[[^\]]*\])?: |\[(?:ERROR|WARNING)\] |Error when talking to \w+ API |Error generating content via API\.? ?)*(?:Full report available at:\s{1,4}(?:\S+|.{1,300}?\.json)\s+)?/;

/** The CLI tried again. */
const RETRY = /\bRetrying (?:with|after|in)\b|^ERROR: Reconnecting|^Attempt \d+ failed\b/;

const isAside = (block: string): boolean => isOfHelper(block) || (ASIDE.test(block) && !isRequired(block));

/** Servers beside the model, telemetry, updates; a cut prompt is none of them. */
const ASIDE =
  /^(?:warn(?:ing)?\b(?!: stdin input truncated)|\[warn|\S{20,30}\s+WARN )|\bMCP\b|\bmcp[_ -]server|\btelemetry\b|^\[Routing\]|\bcodex_(?:core|api|mcp)\S*::|\bIDE (?:client|companion)|\bkeytar\b|\bupdate check|^error (?:getting folder structure|during discovery|flushing|loading extension)/i;
