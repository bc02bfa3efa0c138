// gemini's own report of a failure: the error's stack, and the whole conversation that was sent.

import { FAILURE_REPORTS } from '../../policies/facts/private-names.ts';
import { listOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import type { FailureReport } from '../adapter.ts';

export const FAILURE_REPORT = {
  begins: FAILURE_REPORTS.gemini,
  read(text: string): FailureReport {
    const report = parseObject(text);
    const conversation = listOf(report?.context);
    return {
      stack: textOf(partOf(report?.error)?.stack),
      conversation: conversation.length === 0 ? null : conversation,
    };
  },
} as const;
