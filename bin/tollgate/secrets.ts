// Keeps secrets out of what a command shows of a captured text.

import type { Verdict } from '../../policies/evidence.ts';
import { createRedactor } from '../../policies/redact.ts';
import type { Signature } from '../../policies/signature/sign.ts';

const { redact } = createRedactor({ env: process.env, patterns: [] });

/** Of these classes no piece is shown: without its neighbours nothing can tell that it is no secret. */
const HIDDEN: ReadonlySet<string> = new Set(['secret', 'shortened secret', 'bearer', 'redacted', 'value', 'random']);

export const hidden = (text: string): string => redact(text);

export function hiddenVerdict(verdict: Verdict): Verdict {
  const { evidence } = verdict;
  return evidence === null ? verdict : { ...verdict, evidence: { ...evidence, text: redact(evidence.text) } };
}

export function hiddenSignature(signature: Signature): Signature {
  const { trace, normalised } = signature;
  const shown = (name: string, pieces: string[]) =>
    HIDDEN.has(name) ? pieces.map(() => '<hidden>') : pieces.map(redact);
  return {
    ...signature,
    normalised: redact(normalised),
    ...(trace === undefined
      ? {}
      : { trace: Object.fromEntries(Object.entries(trace).map(([name, pieces]) => [name, shown(name, pieces)])) }),
  };
}
