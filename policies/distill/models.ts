// Lists the models for distillation: end dates, successors, token limits and prices.

interface DistillModel {
  /** ISO date of the first day on which the model no longer answers itself; null if none is announced. */
  endsOn: string | null;
  successor: string | null;
  /** The tokens that the model accepts and produces in one turn. */
  limits: { input: number; output: number };
  /** US dollars for a million tokens; `long` applies if the prompt has more than 200,000 tokens. */
  usd: {
    input: number;
    cached: number;
    output: number;
    long: { input: number; cached: number; output: number } | null;
  };
}

/** List prices of 2025, and what was announced for December 2026. `prices` in tollgate.yaml override them. */
export const DISTILL_MODELS = {
  'gemini-2.5-pro': {
    endsOn: '2026-12-01',
    successor: 'gemini-3.8-flash',
    limits: { input: 1_048_576, output: 65_536 },
    usd: { input: 1.25, cached: 0.125, output: 10, long: { input: 2.5, cached: 0.25, output: 15 } },
  },
  'gemini-2.5-flash': {
    endsOn: '2026-12-01',
    successor: 'gemini-3.5-flash-lite',
    limits: { input: 1_048_576, output: 65_536 },
    usd: { input: 0.3, cached: 0.03, output: 2.5, long: null },
  },
  'gemini-2.5-flash-lite': {
    endsOn: null,
    successor: null,
    limits: { input: 1_048_576, output: 65_536 },
    usd: { input: 0.1, cached: 0.01, output: 0.4, long: null },
  },
} as const satisfies Record<string, DistillModel>;

export const DEFAULT_DISTILL_MODEL = 'gemini-2.5-pro';

/** Returns null for a name that is not in the table. Any name is accepted. */
export const modelRow = (model: string): DistillModel | null =>
  Object.hasOwn(DISTILL_MODELS, model) ? DISTILL_MODELS[model as keyof typeof DISTILL_MODELS] : null;

/** What a user should know of a model that no longer answers itself, without a full stop; null for any other. */
export function endedModelNote(model: string, now: Date): string | null {
  const row = modelRow(model);
  if (row === null || row.endsOn === null || now.toISOString().slice(0, 10) < row.endsOn) return null;
  return `${model} ended on ${row.endsOn}: ${row.successor} may answer in its place, at its own price, and dollars are counted at the price of ${model}; --model ${row.successor} names it`;
}

const LONG_PROMPT = 200_000;
const MILLION = 1_000_000;

type TokenPrices = Record<string, { input: number; cached?: number; output: number }>;

/** US dollars for one answer, thoughts at the price of output; null if neither project nor table has a price. */
export function turnPrice(
  model: string,
  usage: { input: number; output: number; thoughts: number; cached: number },
  prices: TokenPrices,
): number | null {
  const own = Object.hasOwn(prices, model) ? prices[model]! : null;
  const row = modelRow(model)?.usd ?? null;
  const price = own ?? (row?.long && usage.input > LONG_PROMPT ? row.long : row);
  if (price === null) return null;
  const cached = Math.min(usage.cached, usage.input);
  const output = usage.output + usage.thoughts;
  return (
    ((usage.input - cached) * price.input + cached * (price.cached ?? price.input) + output * price.output) / MILLION
  );
}

/** Returns why a money limit could not be enforced, as a sentence without a full stop; null if each answer has a price. */
export function moneyMistake(model: string, via: string | null, prices: TokenPrices): string | null {
  if (via !== null)
    return `--max-usd cannot hold over ${via}, of whose answers no price is known; --max-tokens and --max-calls hold`;
  if (Object.hasOwn(prices, model) || modelRow(model) !== null) return null;
  return `--max-usd cannot hold: no price of ${model} is known; name it under prices: in tollgate.yaml (prices: {${model}: {input: DOLLARS, output: DOLLARS}}, for a million tokens)`;
}

/** The model of a CLI, if none is given. */
export const CLI_MODEL = "the CLI's own";
