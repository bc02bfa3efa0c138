// How long a prompt may be: where `auto` begins to leave out, and beyond which no prompt is sent at all.

import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { figure } from '../text/figure.ts';

/**
 * Characters, where `tollgate.yaml` does not say otherwise. About 100,000 tokens: what the smallest of today's models take
 * (copilot assumes 128,000 for a model that it does not know), with room for the CLI's own instructions and the answer.
 */
export const PROMPT_CHARS = {
  gemini: 400_000,
  copilot: 400_000,
  codex: 400_000,
  claude: 400_000,
} as const satisfies Record<BuiltIn, number>;

/** What the CLI itself takes, whatever the model: gemini cuts its stdin there, codex and claude refuse; copilot names no limit. */
export const MOST_CHARS = {
  gemini: 8_388_608,
  copilot: 8_388_608,
  codex: 1_048_576,
  claude: 10_000_000,
} as const satisfies Record<BuiltIn, number>;

/** Of a CLI that a project describes: its `max_prompt_bytes` may be fewer. */
const OWN_CHARS = 400_000;

/** Rules, role and form alone have half of it. */
export const LEAST_CHARS = 10_000;

/** What a project says of it, in characters. */
export interface PromptLimits {
  max_chars: Record<BuiltIn, number>;
  max_chars_by_model: Record<string, number>;
}

/** A model's own figure goes before its tool's. */
export function promptLimit(
  { max_chars, max_chars_by_model: byModel }: PromptLimits,
  tool: Tool,
  model: string | undefined,
): number {
  const said =
    model !== undefined && Object.hasOwn(byModel, model) ? byModel[model]! : rowOf(max_chars, tool, OWN_CHARS);
  return Math.min(said, rowOf(MOST_CHARS, tool, Number.POSITIVE_INFINITY));
}

/** A sentence without its end. @param chars of the prompt, of `limit` */
export const tooLargeWords = (
  tool: Tool,
  { chars, limit, why }: { chars: number; limit: number; why: string },
): string => `its prompt has ${figure(chars)} characters, of ${figure(limit)} at the most for ${tool}; ${why}`;
