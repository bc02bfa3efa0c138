// The signature of what a gate found.

import { createHash } from 'node:crypto';
import type { Finding } from '../facts/gate-record.ts';
import type { Tool } from '../facts/tools.ts';
import { type Signature, sign } from '../signature/sign.ts';
import { gateVerdict } from './verdict.ts';

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

/** What is signed is cut at its end; two long lists must differ all the same. */
const MAX_DETAIL = 300;

const shortened = (detail: string): string =>
  detail.length <= MAX_DETAIL
    ? detail
    : `${createHash('sha256').update(detail).digest('hex').slice(0, 16)} ${detail.slice(0, MAX_DETAIL)}`;
