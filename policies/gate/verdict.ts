// What the findings of a gate amount to: a verdict, a signature, and what to do next.

import { createHash } from 'node:crypto';
import type { Verdict } from '../evidence.ts';
import type { Finding } from '../gate.ts';
import { type Signature, sign } from '../signature/sign.ts';
import { SUCCESS } from '../success.ts';
import type { Tool } from '../tools.ts';

/** What is out of bounds weighs more than what is missing; among equals the first one counts. */
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

/** Over the tool and what each check found missing or out of bounds, not over the words in which it is told. */
export const gateSignature = (tool: Tool, findings: readonly Finding[]): string => signGate(tool, findings).signature;

/** With the text that is signed, for whoever explains it. */
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

export interface GatedCall {
  taskId: string;
  stage: string;
  tool: Tool;
  /** `none`: the call failed besides, and is made again. */
  answer: 'paid' | 'none';
  /** How many paths were put back. */
  restored: number;
}

/** Lines to type, or one sentence each: of the weightiest finding, and the way out of it, before those of the others. */
export function gateNextActions(findings: readonly Finding[], call: GatedCall): string[] {
  const first = weightiest(findings);
  if (first === undefined) return [];
  const others = findings.filter((finding) => finding !== first);
  if (first.reason === 'out_of_scope' && call.restored > 0)
    return [`tollgate run ${call.taskId} (what was out of scope is put back; looks at the answer again, pays nothing)`];
  const wayOut =
    call.answer === 'none'
      ? [`tollgate run ${call.taskId} (asks ${call.tool} again)`]
      : (WAY_OUT[first.reason] ?? asksAgain)(call);
  return [...new Set([...first.next_actions, ...wayOut, ...others.flatMap((finding) => finding.next_actions)])];
}

const asksAgain = ({ taskId, stage, tool }: GatedCall): string[] => [
  `tollgate run ${taskId} --redo ${stage} (asks ${tool} again, for one paid call)`,
];

/** A run looks anew at an answer that is paid for, so where a person can mend what was found, nothing need be asked again. */
const WAY_OUT: Record<string, (call: GatedCall) => string[]> = {
  out_of_scope: (call) => [
    `when they are taken back: tollgate run ${call.taskId} (looks at the answer again, pays nothing)`,
    `if they are meant, once the manifest allows them: tollgate run ${call.taskId} --keep ${call.stage} (likewise)`,
  ],
  judge_changed: ({ taskId }) => [`tollgate run ${taskId} (looks at the answer again, pays nothing)`],
  acceptance_failed: (call) => [
    `mend what fails, then: tollgate run ${call.taskId} (runs the commands again, pays nothing)`,
    ...asksAgain(call),
  ],
  verdict_fail: (call) => [`when it is mended: ${asksAgain(call)[0]}`],
  schema_unchecked: (call) => [
    `once the schema is mended: tollgate run ${call.taskId} --keep ${call.stage} (looks at the answer again, pays nothing)`,
    ...asksAgain(call),
  ],
  diff_does_not_apply: (call) => [
    `if the tree was what did not fit: tollgate run ${call.taskId} (tries the diff again, pays nothing)`,
    ...asksAgain(call),
  ],
};

const weightiest = (findings: readonly Finding[]): Finding | undefined =>
  findings.find((finding) => finding.class === 'scope_violation') ?? findings[0];

/** What is signed is cut at its end; two long lists must differ all the same. */
const MAX_DETAIL = 300;

const shortened = (detail: string): string =>
  detail.length <= MAX_DETAIL
    ? detail
    : `${createHash('sha256').update(detail).digest('hex').slice(0, 16)} ${detail.slice(0, MAX_DETAIL)}`;
