// Joins picked lines of stderr that belong together: a dump with its head.

import { assess } from './assess.ts';

/** @param lines what `createErrorLines` picked. Omits the output of tools. @returns each at most 8,000 characters */
export function blocksOf(lines: readonly string[]): string[] {
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
/**
 * gemini's last message. Only a system error in it counts, since no other line reports it. `[object Object]` says
 * nothing, and an exception of gemini's code does not say why.
 */
const UNHEARD = /^An unexpected critical error occurred:(?!Error: E[A-Z]{3,}: )/;
const CONTINUED =
  /^(?:\s|[}\])]|[*•-] |Suggested retry after|Please (?:retry|try|wait|rephrase)\b|For more information\b|Learn [Mm]ore\b|\(Request ID|Caused by:|(?:[Xx]-[\w-]{3,60}|[Rr]etry-[Aa]fter(?:-[Mm]s)?|[Dd]ate|[Vv]ia|[Ss]erver|[Cc]ontent-[\w-]{3,20}|[Cc][Ff]-[Rr]ay): )/;
/** gemini's frame around an API error, which may span several lines. */
const OPEN = /^\[API Error: [^\]]*$/;
/** gemini prints the server and its settings, and the error on the next line. */
const ANNOUNCED = /^failed to start or connect to MCP server .*;$/i;
/** The beginning of a line that reports a separate error. */
export const BLOCK_HEAD =
  /^(?:\[?(?:ERROR|Error|error|FATAL|Fatal|fatal)\b|\[API Error|_?[A-Z]\w*(?:Error|Exception): |Attempt \d+ failed|(?:Execution|Model call) failed: |stream disconnected|turn (?:interrupted|aborted)|Loop detected|Maximum session turns|Agent execution (?:stopped|blocked)|Request cancelled)/;
