// Finds the failures that an engine reports on stderr, among its notices, its tools' output and the echoed prompt.

import type { EngineFailure } from '../facts/engine-event.ts';
import { readFailure } from '../facts/engine-failure.ts';
import { isOfHelper, isRequired } from '../rules/mcp.ts';
import { assess } from '../signature/assess.ts';

export interface StderrFailure {
  failure: EngineFailure;
  /** `error`: marked so. `plain`: not. `retry`: before a new try. `aside`: a warning, or a helper's failure. */
  weight: Weight;
}

type Weight = (typeof WEIGHTS)[number];

const WEIGHTS = ['error', 'plain', 'retry', 'aside'] as const;

/** @param lines of `createErrorLines`. @returns the most significant first; of equals the last, which decides. */
export function stderrFailures(lines: readonly string[]): StderrFailure[] {
  const all = blocksOf(lines).map(weigh);
  return WEIGHTS.flatMap((weight) => all.filter((one) => one.weight === weight).reverse());
}

function weigh(block: string): StderrFailure {
  const said = block.replace(PREFIX, '');
  const failure = readFailure(said);
  if (RETRY.test(block)) return { failure, weight: 'retry' };
  if (isAside(block)) return { failure, weight: 'aside' };
  return {
    failure,
    weight: BLOCK_HEAD.test(block) || failure.status !== undefined || block.startsWith('{') ? 'error' : 'plain',
  };
}

/** The text before the message: the kind of line, and where gemini wrote its report. */
const PREFIX =
  /^(?:\[?(?:ERROR|Error|error|FATAL|Fatal|fatal)\]?(?: \[[^\]]*\])?: |\[(?:ERROR|WARNING)\] |Error when talking to \w+ API |Error generating content via API\.? ?)*(?:Full report available at:\s{1,4}(?:\S+|.{1,300}?\.json)\s+)?/;

/** The CLI tried again. */
const RETRY = /\bRetrying (?:with|after|in)\b|^ERROR: Reconnecting|^Attempt \d+ failed\b/;

const isAside = (block: string): boolean => isOfHelper(block) || (ASIDE.test(block) && !isRequired(block));

/** Servers beside the model, telemetry, updates; a truncated prompt does not count. */
const ASIDE =
  /^(?:warn(?:ing)?\b(?!: stdin input truncated)|\[warn|\S{20,30}\s+WARN )|\bMCP\b|\bmcp[_ -]server|\btelemetry\b|^\[Routing\]|\bcodex_(?:core|api|mcp)\S*::|\bIDE (?:client|companion)|\bkeytar\b|\bupdate check|^error (?:getting folder structure|during discovery|flushing|loading extension)/i;

/** Joins lines that belong together: a dump with its head. Omits the output of tools. @returns each at most 8,000 characters */
function blocksOf(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  let ofTool = false;
  for (const line of lines.map((one) => one.trimEnd())) {
    if (line === '' || UNHEARD.test(line)) continue;
    const { kind } = assess(line);
    if (kind?.isOfTool) ofTool = true;
    else if (BLOCK_HEAD.test(line)) ofTool = false;
    if (ofTool) continue;
    if (blocks.length > 0 && goesOn(blocks.at(-1)!, line)) blocks.push(`${blocks.pop()}\n${line}`.slice(0, MAX_BLOCK));
    else blocks.push(line);
  }
  return blocks;
}

const goesOn = (block: string, line: string): boolean =>
  CONTINUED.test(line) || ANNOUNCED.test(block) || (OPEN.test(block) && !BLOCK_HEAD.test(line));

const MAX_BLOCK = 8000;
/** gemini's last message. Only a system error in it counts: `[object Object]` and its own exceptions say nothing. */
const UNHEARD = /^An unexpected critical error occurred:(?!Error: E[A-Z]{3,}: )/;
const CONTINUED =
  /^(?:\s|[}\])]|[*•-] |Suggested retry after|Please (?:retry|try|wait|rephrase)\b|Message: |For more information\b|Learn [Mm]ore\b|\(Request ID|Caused by:|(?:[Xx]-[\w-]{3,60}|[Rr]etry-[Aa]fter(?:-[Mm]s)?|[Dd]ate|[Vv]ia|[Ss]erver|[Cc]ontent-[\w-]{3,20}|[Cc][Ff]-[Rr]ay): )/;
/** gemini's frame around an API error, which may span several lines. */
const OPEN = /^\[API Error: [^\]]*$/;
/** gemini prints the server and its settings, and the error on the next line. */
const ANNOUNCED = /^failed to start or connect to MCP server .*;$/i;
/** The beginning of a line that reports a separate error. */
const BLOCK_HEAD =
  /^(?:\[?(?:ERROR|Error|error|FATAL|Fatal|fatal)\b|\[API Error|_?[A-Z]\w*(?:Error|Exception): |Attempt \d+ failed|(?:Execution|Model call) failed: |stream disconnected|turn (?:interrupted|aborted)|Loop detected|Maximum session turns|Agent execution (?:stopped|blocked)|Request cancelled)/;
