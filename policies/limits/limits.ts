// Defines limits over all of a user's tasks: budgets per day, week or month, and calls at once and per minute.

import { zoneOf } from '../facts/clock.ts';
import { TOOL_NAME, type Tool } from '../facts/tools.ts';

export const PERIODS = ['day', 'week', 'month'] as const;
export const UNITS = ['calls', 'tokens', 'usd'] as const;

export type Period = (typeof PERIODS)[number];
export type Unit = (typeof UNITS)[number];

/** What may be used in a period; a unit that is not named has no limit. */
export interface BudgetRow extends Partial<Record<Unit, number>> {
  per: Period;
  /** One CLI, or all together. */
  tool: Tool | 'any';
}

export interface Limits {
  /** Days begin at midnight in this time zone. */
  time_zone: string;
  budgets: readonly BudgetRow[];
  /** Calls that run at the same time, by tool and account; `any`: all together. */
  at_once: Readonly<Record<string, number>>;
  /** Calls that begin within 60 s, by tool and account; `any`: all together. */
  per_minute: Readonly<Record<string, number>>;
}

export const NO_LIMITS: Limits = { time_zone: 'UTC', budgets: [], at_once: {}, per_minute: {} };

/** Limits with their owner. The user's own limits count every call; a project's limits count its own calls. */
export interface LimitsInForce {
  limits: Limits;
  /** The root of the project; null for the user's own limits. */
  project: string | null;
  /** The file that sets them. */
  file: string;
}

export const isLimited = ({ budgets, at_once, per_minute }: Limits): boolean =>
  budgets.length > 0 || Object.keys(at_once).length > 0 || Object.keys(per_minute).length > 0;

/** Returns what is wrong with the user's own limits, as read from JSON, or null. */
export function limitsMistake(value: unknown): string | null {
  if (!isObject(value)) return 'is not a JSON object';
  const { v: _, time_zone = 'UTC', budgets = [], at_once = {}, per_minute = {}, ...other } = value;
  const [stray] = Object.keys(other);
  if (stray !== undefined) return `has a field ${JSON.stringify(stray)}, which is not one of limits`;
  if (typeof time_zone !== 'string' || zoneOf(time_zone) === null)
    return 'has a time_zone that is none (Europe/Berlin, UTC, +02:00)';
  if (!Array.isArray(budgets)) return 'has budgets that are no list';
  for (const [i, row] of budgets.entries()) {
    const mistake = rowMistake(row);
    if (mistake !== null) return `has a budgets[${i}] that ${mistake}`;
  }
  for (const [name, counts] of Object.entries({ at_once, per_minute })) {
    if (!isObject(counts)) return `has a ${name} that is not an object of tools and numbers`;
    for (const [tool, most] of Object.entries(counts))
      if (!TOOL_NAME.test(tool) || !Number.isSafeInteger(most) || (most as number) < 1)
        return `has a ${name}.${tool} that is no tool with a whole number of 1 or more`;
  }
  return null;
}

function rowMistake(row: unknown): string | null {
  if (!isObject(row)) return 'is not an object';
  const { per, tool = 'any', ...units } = row;
  if (!PERIODS.includes(per as Period)) return `has a per that is not one of ${PERIODS.join(', ')}`;
  if (typeof tool !== 'string' || !TOOL_NAME.test(tool)) return 'has a tool that is not a name of one';
  if (Object.keys(units).length === 0) return `limits nothing; give it ${UNITS.join(', ')}`;
  for (const [unit, most] of Object.entries(units)) {
    if (!UNITS.includes(unit as Unit)) return `has a field ${JSON.stringify(unit)}, which is not one of a budget`;
    const isCount = unit === 'usd' ? Number.isFinite(most) : Number.isSafeInteger(most);
    if (!isCount || (most as number) < 0) return `has a number of ${unit} that is none`;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
