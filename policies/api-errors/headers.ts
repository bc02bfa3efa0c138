// What the CLIs leave of a response's headers: none has them all, and gemini has none.

import { partOf, textOf } from '../text/json.ts';

/**
 * copilot tells two headers by names of its own, in its event of a failed model call; codex writes some into the text
 * of an error with a status that it did not expect. null where nothing of them is told.
 * @param events the last events of the stream, oldest first
 */
export function headersTold(events: readonly unknown[], texts: readonly string[]): Record<string, string> | null {
  const told: Record<string, string> = {};
  for (const event of events) {
    const data = partOf(partOf(event)?.data);
    for (const [field, header] of COPILOT) {
      const value = textOf(data?.[field]);
      if (value !== null) told[header] = value;
    }
  }
  for (const text of texts)
    for (const [header, pattern] of CODEX) {
      const [, value] = pattern.exec(text) ?? [];
      if (value !== undefined) told[header] = value;
    }
  return Object.keys(told).length === 0 ? null : told;
}

const COPILOT = [
  ['apiCallId', 'x-request-id'],
  ['providerCallId', 'x-github-request-id'],
] as const;

const CODEX = [
  ['x-request-id', /\brequest id: ([\w.:-]{1,200})/],
  ['cf-ray', /\bcf-ray: ([\w.:-]{1,200})/],
] as const;
