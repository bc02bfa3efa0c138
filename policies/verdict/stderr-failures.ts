// Finds the failures that an engine reports on stderr, among its notices, its tools' output and the echoed prompt.

import type { EngineFailure } from '../facts/engine-event.ts';
import { readFailure } from '../facts/engine-failure.ts';
import { isOfHelper, isRequired } from '../rules/mcp.ts';
import { BLOCK_HEAD, blocksOf } from '../signature/blocks.ts';

export interface StderrFailure {
  failure: EngineFailure;
  /**
   * `error`: marked as an error. `plain`: not marked. `retry`: before the CLI tried again. `aside`: a warning, or a helper's
   * failure.
   */
  weight: Weight;
}

type Weight = (typeof WEIGHTS)[number];

const WEIGHTS = ['error', 'plain', 'retry', 'aside'] as const;

/**
 * @param lines Those that `createErrorLines` picked.
 * @returns The most significant first; among equals the last one, because the last message decides.
 */
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
