// The shape of `limits` in tollgate.yaml: what its calls may use beside what the user's own limits allow. It is handed zod, which has its doors.

import type * as z from 'zod';
import { TOOL_NAME } from '../../policies/facts/tools.ts';
import { NO_LIMITS, PERIODS, UNITS } from '../../policies/limits/limits.ts';
import { zoneOf } from '../../policies/time/zone.ts';

export function limitsSchema({ array, enum: choice, number, record, strictObject, string }: typeof z) {
  const tool = string().regex(TOOL_NAME, 'must be any, or the name of a CLI');
  const counts = record(tool, number().int().min(1)).default({});
  return strictObject({
    time_zone: string()
      .max(60)
      .refine((name) => zoneOf(name) !== null, 'must be a time zone, such as Europe/Berlin, UTC or +02:00')
      .default(NO_LIMITS.time_zone)
      .describe('in which a day, a week (from Monday) and a month begin at midnight'),
    budgets: array(
      strictObject({
        per: choice(PERIODS).describe('in which period'),
        tool: tool.default('any').describe('of which CLI; any: of all together'),
        calls: number().int().min(0).optional().describe('paid calls at the most'),
        tokens: number().int().min(0).optional().describe('tokens: when they are used up no further call begins'),
        usd: number().min(0).optional().describe('US dollars, likewise'),
      }).refine((row) => UNITS.some((unit) => row[unit] !== undefined), `must have ${UNITS.join(', ')}, one or more`),
    )
      .max(50)
      .default([])
      .describe('what the calls of this project may use in a period'),
    at_once: counts.describe('calls of this project that are made at the same time, by tool; any: of all together'),
    per_minute: counts.describe('calls of this project that begin within 60 s, likewise'),
  });
}
