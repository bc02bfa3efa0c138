// Removes secrets from the record of a gate: from names of files, lines of answers and printed output.

import type { GateRecord } from '../../policies/facts/gate-record.ts';
import { mapAction } from '../../policies/facts/next-action.ts';
import type { Redactor } from '../../policies/redact/redactor.ts';

/** Text that is already redacted does not change. */
export function redactRecord(record: GateRecord, { redact }: Redactor): GateRecord {
  return {
    ...record,
    findings: record.findings.map((finding) => ({
      ...finding,
      missing: finding.missing.map(redact),
      ...(finding.signed === undefined ? {} : { signed: finding.signed.map(redact) }),
      text: redact(finding.text),
      next_actions: finding.next_actions.map((action) => mapAction(action, redact)),
    })),
    changes:
      record.changes?.map(({ path, how, from }) => ({
        path: redact(path),
        how,
        ...(from === undefined ? {} : { from: redact(from) }),
      })) ?? null,
    restored: record.restored.map(({ path, kept_in }) => ({
      path: redact(path),
      kept_in: kept_in === null ? null : redact(kept_in),
    })),
    notes: record.notes.map(redact),
  };
}
