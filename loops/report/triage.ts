// Classifies a call that another program made, from its captured stderr, stdout and exit code, and computes its signature.

import type { Clock } from '../../policies/facts/clock.ts';
import { type Evidence, SUCCESS, type Verdict } from '../../policies/facts/evidence.ts';
import { LEFTOVERS } from '../../policies/rules/endings.ts';
import type { Rule } from '../../policies/rules/rule.ts';
import { isBroad } from '../../policies/rules/rules.ts';
import { explain, type Signature, sign } from '../../policies/signature/sign.ts';
import { classify } from '../../policies/verdict/classify.ts';
import type { CapturedCall } from '../../policies/verdict/labelled-case.ts';
import { stderrFailures } from '../../policies/verdict/stderr-failures.ts';
import { signatureInput } from '../call/classify.ts';
import { type Gathered, gather } from './gather.ts';

export interface Triaged {
  verdict: Verdict;
  signature: Signature | null;
}

/** @param own a user's rows, tried before ours. */
export function triage(
  captured: CapturedCall,
  clock: Clock,
  own: readonly Rule[] = [],
  depth: 'sign' | 'explain' = 'sign',
): Triaged {
  return judgeGathered(evidenceOf(captured), clock, own, depth);
}

/** The same for a call whose output was read piece by piece. */
export function judgeGathered(
  gathered: Gathered,
  clock: Clock,
  own: readonly Rule[] = [],
  depth: 'sign' | 'explain' = 'sign',
): Triaged {
  const { evidence, verdict } = examineGathered(gathered, clock, own);
  if (verdict.class === null) return { verdict, signature: null };
  const input = signatureInput(evidence, verdict);
  return { verdict, signature: depth === 'explain' ? explain(input) : sign(input) };
}

interface Examined {
  evidence: Evidence;
  verdict: Verdict;
}

/** Returns only the verdict, and its evidence. */
export function examine(captured: CapturedCall, clock: Clock, own: readonly Rule[] = []): Examined {
  return examineGathered(evidenceOf(captured), clock, own);
}

function examineGathered({ evidence, isStructured }: Gathered, clock: Clock, own: readonly Rule[]): Examined {
  const verdict = classify(evidence, clock, own);
  return { evidence, verdict: isStructured ? verdict : ofText(verdict, evidence) };
}

/** For complete texts. */
export function evidenceOf({ stderr, stdout, ...call }: CapturedCall): Gathered {
  const gathering = gather(call);
  for (const [lines, text] of [
    [gathering.stdout, stdout],
    [gathering.stderr, stderr],
  ] as const) {
    lines.push(text);
    lines.end();
  }
  return gathering.gathered();
}

/**
 * Text mode has no terminal event. A zero exit code with text is a success, unless the CLI reported a failure that a specific row
 * recognises. Retries, warnings and failures of helper programs do not count, as they were overcome.
 */
function ofText(verdict: Verdict, { exitCode, answerChars, ending, stderr }: Evidence): Verdict {
  if (ending !== 'exited' || exitCode !== 0 || answerChars === 0) return verdict;
  const { evidence } = verdict;
  if (evidence === null || evidence.source === 'failure') return verdict;
  const isVague = verdict.class === 'unknown' || evidence.rule === LEFTOVERS.noResult.id || isBroad(evidence.rule);
  const isOnStderr = stderrFailures(stderr).some(
    ({ weight, failure }) => weight === 'error' && failure.message.startsWith(evidence.text),
  );
  return isOnStderr && !isVague ? verdict : SUCCESS;
}
