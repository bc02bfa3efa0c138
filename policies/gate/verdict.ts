// What the findings of a gate amount to: a verdict, a signature, and what to do next.

import { createHash } from 'node:crypto';
import type { Verdict } from '../evidence.ts';
import type { Finding } from '../gate.ts';
import { sign } from '../signature/sign.ts';
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
export function gateSignature(tool: Tool, findings: readonly Finding[]): string {
  const { class: errorClass, reason } = gateVerdict(findings);
  const details = findings.map(
    ({ check, reason: why, missing }) => `${check} ${why} ${[...missing].sort().join(' | ')}`,
  );
  return sign({
    tool,
    errorLines: [],
    eventText: null,
    detail: { ending: 'exited', class: errorClass, reason, more: [shortened(details.join(' ; '))] },
  }).signature;
}

export interface GatedCall {
  taskId: string;
  stage: string;
  tool: Tool;
}

/** Lines to type, or one sentence each, the weightiest finding's first. */
export function gateNextActions(findings: readonly Finding[], { taskId, stage, tool }: GatedCall): string[] {
  const first = weightiest(findings);
  if (first === undefined) return [];
  const others = findings.filter((finding) => finding !== first);
  const again = `tollgate run ${taskId} --redo ${stage}`;
  const wayOut =
    first.class === 'scope_violation'
      ? [
          `${again} --restore (puts back what is out of scope, keeps a copy, and asks ${tool} again)`,
          'or take it into `scope.allow`, or out of `scope.deny`, if it is meant',
        ]
      : [`${again} (asks ${tool} again, for one paid call)`];
  return [
    ...new Set([...[first, ...others].flatMap((finding) => [named(finding), ...finding.next_actions]), ...wayOut]),
  ];
}

const weightiest = (findings: readonly Finding[]): Finding | undefined =>
  findings.find((finding) => finding.class === 'scope_violation') ?? findings[0];

/** More names than these are in the gate's record. */
const MOST_NAMED = 8;

function named({ class: errorClass, missing, text }: Finding): string {
  if (missing.length === 0) return text;
  const more = missing.length - MOST_NAMED;
  const names = `${missing.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${errorClass === 'scope_violation' ? 'out of scope' : 'missing'}: ${names}`;
}

/** What is signed is cut at its end; two long lists must differ all the same. */
const MAX_DETAIL = 300;

const shortened = (detail: string): string =>
  detail.length <= MAX_DETAIL
    ? detail
    : `${createHash('sha256').update(detail).digest('hex').slice(0, 16)} ${detail.slice(0, MAX_DETAIL)}`;
