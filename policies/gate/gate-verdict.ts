// Lists the checks that a stage needs; combines the findings of a gate into one verdict, and computes their signature.

import { createHash } from 'node:crypto';
import { SUCCESS, type Verdict } from '../facts/evidence.ts';
import { type Finding, GATE_CHECKS, type GateCheck } from '../facts/gate-record.ts';
import type { Tool } from '../facts/tools.ts';
import type { ResolvedRole } from '../manifest/resolved-role.ts';
import { type Signature, sign } from '../signature/sign.ts';

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

/** The signature covers the tool and what each check found missing or out of bounds, but not the wording of the findings. */
export const gateSignature = (tool: Tool, findings: readonly Finding[]): string => signGate(tool, findings).signature;

/** Includes the text that is signed, for callers that explain it. */
export function signGate(tool: Tool, findings: readonly Finding[]): Signature {
  const { class: errorClass, reason } = gateVerdict(findings);
  const details = findings.map(
    ({ check, reason: why, missing, signed }) =>
      `${check} ${why} ${[...new Set(signed ?? missing)].sort().join(' | ')}`,
  );
  return sign({
    tool,
    errorLines: [],
    eventText: null,
    detail: { ending: 'exited', class: errorClass, reason, more: [shortened(details.join(' ; '))] },
  });
}

/** The signed text is cut at its end. Two long lists must still have different signatures. */
const MAX_DETAIL = 300;

const shortened = (detail: string): string =>
  detail.length <= MAX_DETAIL
    ? detail
    : `${createHash('sha256').update(detail).digest('hex').slice(0, 16)} ${detail.slice(0, MAX_DETAIL)}`;

interface Due {
  role: ResolvedRole;
  /** The stage's own schema. */
  schema: object | undefined;
  commands: readonly string[];
}

const DUE = {
  judge: () => true,
  scope: () => true,
  refusal: () => true,
  changes: ({ role }) => role.changesTree && role.access !== 'read',
  sections: ({ role }) => role.requires.length > 0,
  lines: ({ role }) => role.minLines > 0,
  schema: ({ schema }) => schema !== undefined,
  diff: ({ role }) => role.answersWithDiff,
  verdict: ({ role }) => role.onFail === 'stop',
  acceptance: ({ commands }) => commands.length > 0,
} as const satisfies Record<GateCheck, (due: Due) => boolean>;

/** In the order of the checks. If the tree was not examined, `scope` and `changes` find nothing. */
export function dueChecks(
  role: ResolvedRole,
  { schema }: { schema?: object | undefined },
  commands: readonly string[],
) {
  return GATE_CHECKS.filter((check) => DUE[check]({ role, schema, commands }));
}
