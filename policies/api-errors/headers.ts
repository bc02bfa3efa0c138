// Collects the response headers that the CLIs report. No CLI reports all of them, and gemini reports none.

import type { BuiltIn } from '../facts/tools.ts';
import { partOf, textOf } from '../text/json.ts';

/**
 * copilot reports two headers under its own names, in its event of a failed model call. codex writes some into the text of an
 * error with an unexpected status. claude names the request in its error message.
 * @param events the last events of the stream, oldest first
 * @returns null if no header is reported.
 */
export function headersTold(events: readonly unknown[], texts: readonly string[]): Record<string, string> | null {
  const reported: Record<string, string> = {};
  for (const event of events) {
    const whole = partOf(event);
    const data = partOf(whole?.data) ?? whole;
    for (const [field, header] of FIELDS) {
      const value = textOf(data?.[field]);
      if (value !== null) reported[header] = value;
    }
  }
  for (const text of texts)
    for (const [header, pattern] of PATTERNS) {
      const [, value] = pattern.exec(text) ?? [];
      if (value !== undefined) reported[header] = value;
    }
  return Object.keys(reported).length === 0 ? null : reported;
}

interface HeaderTraces {
  /** Fields of an event's data. */
  fields: readonly (readonly [field: string, header: string])[];
  /** Patterns for the text of an error. */
  patterns: readonly (readonly [header: string, pattern: RegExp])[];
}

const TRACES: Readonly<Record<BuiltIn, HeaderTraces>> = {
  gemini: { fields: [], patterns: [] },
  copilot: {
    fields: [
      ['apiCallId', 'x-request-id'],
      ['providerCallId', 'x-github-request-id'],
    ],
    patterns: [],
  },
  codex: {
    fields: [],
    patterns: [
      ['x-request-id', /\brequest id: ([\w.:-]{1,200})/],
      ['cf-ray', /\bcf-ray: ([\w.:-]{1,200})/],
    ],
  },
  claude: { fields: [['request_id', 'request-id']], patterns: [] },
};

const FIELDS = Object.values(TRACES).flatMap(({ fields }) => fields);
const PATTERNS = Object.values(TRACES).flatMap(({ patterns }) => patterns);
