// The verdict and the signature of a call that somebody else made: from its captured stderr, stdout and exit code.

import { classify } from '../policies/classify.ts';
import type { Clock } from '../policies/clock.ts';
import type { Ending } from '../policies/ending.ts';
import type { Evidence, Obstacle, Verdict } from '../policies/evidence.ts';
import { WRAPPER_EXIT } from '../policies/exit-codes.ts';
import type { CapturedCall } from '../policies/labelled-case.ts';
import { LEFTOVERS } from '../policies/rules/endings.ts';
import type { Rule } from '../policies/rules/rule.ts';
import { createErrorLines } from '../policies/signature/error-lines.ts';
import { explain, type Signature, sign } from '../policies/signature/sign.ts';
import { type StderrFailure, stderrFailures } from '../policies/stderr-failures.ts';
import { SUCCESS, visibleChars } from '../policies/success.ts';
import { ADAPTERS } from '../wrappers/adapters.ts';
import { createCapture } from '../wrappers/capture.ts';
import { signatureInput } from './call/judge.ts';

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
  const { evidence, verdict } = examine(captured, clock, own);
  if (verdict.class === null) return { verdict, signature: null };
  const input = signatureInput(evidence, verdict);
  return { verdict, signature: depth === 'explain' ? explain(input) : sign(input) };
}

export interface Examined {
  evidence: Evidence;
  verdict: Verdict;
}

/** The verdict alone, and what it was built on. */
export function examine(captured: CapturedCall, clock: Clock, own: readonly Rule[] = []): Examined {
  const { evidence, told } = evidenceOf(captured);
  const verdict = classify(evidence, clock, own);
  return { evidence, verdict: told ? verdict : ofText(verdict, evidence) };
}

/** @returns `told`: did stdout hold the CLI's event stream at all? */
export function evidenceOf(captured: CapturedCall): { evidence: Evidence; told: boolean } {
  const { tool, stderr, stdout } = captured;
  const adapter = ADAPTERS[tool];
  const capture = createCapture();
  const lines = createErrorLines();
  let told = false;
  for (const line of linesOf(stdout))
    for (const event of adapter.readEvent(line)) {
      capture.add(event);
      told = true;
    }
  if (!told)
    for (const event of adapter.readDocument(stdout) ?? []) {
      capture.add(event);
      told = true;
    }
  for (const line of linesOf(stderr)) {
    lines.push(line);
    for (const event of adapter.readStderr(line)) capture.add(event, 'stderr');
  }
  // Older versions tell their failures on stdout.
  if (!told && captured.exitCode !== 0 && lines.lines().length === 0)
    for (const line of linesOf(stdout)) lines.push(line);
  const { completed, answer, failure, errors, retrying, retries, usage } = capture.result();
  const answerChars = visibleChars(told ? answer : stdout);
  const ended = endOf(captured, retries);
  const evidence: Evidence = {
    tool,
    ...ended,
    // Without a stream, a zero exit is all that says so; an answer that was cut would look the same.
    completed: completed || (!told && ended.exitCode === 0 && answerChars === 0),
    answerChars,
    failure,
    errors,
    retried: retrying,
    stderr: lines.lines(),
    remarks: lines.remarks(),
    tokens: usage.total_tokens,
  };
  return { evidence, told };
}

type End = Pick<Evidence, 'ending' | 'exitCode' | 'signal' | 'obstacle'>;

function endOf({ tool, exitCode, signal, ending }: CapturedCall, retries: number): End {
  if (ending === 'killed') return { ending: retries > 0 ? 'retry_cut' : 'timed_out', exitCode, signal, obstacle: null };
  if (ending !== null) return { ending, exitCode, signal, obstacle: null };
  if (signal !== null) return { ending: 'signalled', exitCode, signal, obstacle: null };
  return endByCode(tool, exitCode);
}

/** An exit code of our wrappers says how the call ended; it is no code of the CLI's. */
function endByCode(tool: CapturedCall['tool'], exitCode: number | null): End {
  const codes = WRAPPER_EXIT[tool];
  const ended = (ending: Ending, obstacle: Obstacle | null = null): End => ({
    ending,
    exitCode: null,
    signal: null,
    obstacle,
  });
  if (exitCode === codes.timeout) return ended('timed_out');
  if (exitCode === codes.missingBinary)
    return ended('not_started', { class: 'tooling', reason: 'binary_missing', message: `${tool} is not installed` });
  if (exitCode === codes.failure) return ended('exited');
  return { ending: 'exited', exitCode, signal: null, obstacle: null };
}

/**
 * In text mode there is no terminal event: a zero exit with text is a success, unless the CLI told an error as its own.
 * Retries, warnings and the mishaps of helpers were overcome.
 */
function ofText(verdict: Verdict, { tool, exitCode, answerChars, ending, stderr }: Evidence): Verdict {
  if (ending !== 'exited' || exitCode !== 0 || answerChars === 0) return verdict;
  if (verdict.evidence?.rule === LEFTOVERS.noResult.id || verdict.class === 'unknown') return SUCCESS;
  const isTold = !FROM_STDERR.has(verdict.evidence?.source ?? 'none') || stderrFailures(tool, stderr).some(isError);
  return isTold ? verdict : SUCCESS;
}

/** Without a stream an `error` is a retry that was announced there. */
const FROM_STDERR = new Set<string>(['stderr', 'error']);

const isError = ({ weight }: StderrFailure): boolean => weight === 'error';

function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end === -1 ? text.length : end);
    from = end === -1 ? text.length : end + 1;
  }
}
