// Combines the findings of a gate into one verdict.

import type { Verdict } from '../facts/evidence.ts';
import type { Finding } from '../facts/gate-record.ts';
import { SUCCESS } from '../verdict/success.ts';

/** Out-of-bounds findings are more serious than missing parts; among equals the first one counts. */
export function gateVerdict(findings: readonly Finding[]): Verdict {
  const first = weightiest(findings);
  if (first === undefined) return SUCCESS;
  return {
    class: first.class,
    reason: first.reason,
    evidence: { source: 'gate', text: first.text, rule: `gate-${first.check}` },
    retry_at: null,
  };
}

export const weightiest = (findings: readonly Finding[]): Finding | undefined =>
  findings.find((finding) => finding.class === 'scope_violation') ?? findings[0];
