// Limits the length of a prompt: where `auto` begins to omit text, and beyond which no prompt is sent.

import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import { figure } from '../text/display.ts';

/**
 * The default limit in characters, if `tollgate.yaml` sets none. It is about 100,000 tokens, which the smallest current models
 * accept. (copilot assumes 128,000 for a model that it does not know.) The rest is for the CLI's own instructions and the answer.
 */
export const PROMPT_CHARS = {
  gemini: 400_000,
  copilot: 400_000,
  codex: 400_000,
  claude: 400_000,
} as const satisfies Record<BuiltIn, number>;

/** The CLI's own limit. gemini cuts its stdin there; codex and claude refuse longer prompts; copilot names none. */
export const MOST_CHARS = {
  gemini: 8_388_608,
  copilot: 8_388_608,
  codex: 1_048_576,
  claude: 10_000_000,
} as const satisfies Record<BuiltIn, number>;

/** The limit for a CLI that a project describes; its `max_prompt_bytes` may be lower. */
export const OWN_CHARS = 400_000;

/** The rules, role and form alone take half of this. */
export const LEAST_CHARS = 10_000;

/** The project's settings, in characters. */
export interface PromptLimits {
  max_chars: Record<BuiltIn, number>;
  max_chars_by_model: Record<string, number>;
}

/** A model's own limit overrides that of its tool. */
export function promptLimit(
  { max_chars, max_chars_by_model: byModel }: PromptLimits,
  tool: Tool,
  model: string | undefined,
): number {
  const said =
    model !== undefined && Object.hasOwn(byModel, model) ? byModel[model]! : rowOf(max_chars, tool, OWN_CHARS);
  return Math.min(said, rowOf(MOST_CHARS, tool, Number.POSITIVE_INFINITY));
}

/** A sentence without its full stop. @param chars the length of the prompt, against `limit`. */
export const tooLargeWords = (
  tool: Tool,
  { chars, limit, why }: { chars: number; limit: number; why: string },
): string => `its prompt has ${figure(chars)} characters, of ${figure(limit)} at most for ${tool}; ${why}`;
