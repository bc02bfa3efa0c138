// Keeps secrets out of what a command shows of a captured text.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { withoutSecrets } from '../../policies/signature/normalise.ts';
import type { Signature } from '../../policies/signature/sign.ts';
import { visible } from '../../policies/text/display.ts';

const { redact } = createRedactor({ env: process.env, patterns: [] });

export const hidden = (text: string): string => redact(text);

/** Formats a captured line for a terminal. */
export const hiddenLine = (line: string): string => visible(redact(withoutSecrets(line))).replace(/[\n\t]/g, ' ');

export function hiddenVerdict(verdict: Verdict): Verdict {
  const { evidence } = verdict;
  return evidence === null ? verdict : { ...verdict, evidence: { ...evidence, text: redact(evidence.text) } };
}

/** Includes the explanation if it was requested. */
export function hiddenSignature({ explained, ...signature }: Signature) {
  return {
    ...signature,
    normalised: redact(signature.normalised),
    lines: (explained?.lines ?? []).map(hiddenLine),
    eaten: (explained?.eaten ?? []).map((row) => ({ ...row, pieces: row.pieces.map(redact) })),
  };
}
