// The verdict and the signature of a call that somebody else made: from its captured stderr, stdout and exit code.

import { classify } from '../policies/classify.ts';
import type { Clock } from '../policies/clock.ts';
import type { Ending } from '../policies/ending.ts';
import type { Evidence, Obstacle, Verdict } from '../policies/evidence.ts';
import { WRAPPER_EXIT } from '../policies/exit-codes.ts';
import { LEFTOVERS } from '../policies/rules/endings.ts';
import { createErrorLines } from '../policies/signature/error-lines.ts';
import { explain, type Signature, sign } from '../policies/signature/sign.ts';
import { SUCCESS, visibleChars } from '../policies/success.ts';
import type { Tool } from '../policies/tools.ts';
import { ADAPTERS } from '../wrappers/adapters.ts';
import { createCapture } from '../wrappers/capture.ts';
import { signatureInput } from './call/judge.ts';

export interface Case {
  tool: Tool;
  /** The CLI's own exit code, or the one of its wrapper; null if unknown. */
  exitCode: number | null;
  stderr: string;
  stdout: string;
}

export interface Triaged {
  verdict: Verdict;
  signature: Signature | null;
}

export function triage(captured: Case, clock: Clock, depth: 'sign' | 'explain' = 'sign'): Triaged {
  const { evidence, told } = evidenceOf(captured);
  const verdict = verdictOf(evidence, told, captured, clock);
  if (verdict.class === null) return { verdict, signature: null };
  const input = signatureInput(evidence, verdict);
  return { verdict, signature: depth === 'explain' ? explain(input) : sign(input) };
}

/** @returns `told`: did stdout hold the CLI's event stream at all? */
function evidenceOf({ tool, exitCode, stderr, stdout }: Case): { evidence: Evidence; told: boolean } {
  const adapter = ADAPTERS[tool];
  const capture = createCapture();
  const lines = createErrorLines();
  let told = false;
  for (const line of linesOf(stdout))
    for (const event of adapter.readEvent(line)) {
      capture.add(event);
      told = true;
    }
  for (const line of linesOf(stderr)) {
    lines.push(line);
    for (const event of adapter.readStderr(line)) capture.add(event);
  }
  const { completed, answer, failure, errors, retrying, usage } = capture.result();
  const answerChars = visibleChars(told ? answer : stdout);
  const evidence: Evidence = {
    tool,
    ...endingOf(tool, exitCode),
    signal: null,
    // Without a stream, a zero exit is all that says so; an answer that was cut would look the same.
    completed: completed || (!told && exitCode === 0 && answerChars === 0),
    answerChars,
    failure,
    errors: retrying === null ? errors : [...errors, retrying],
    stderr: lines.lines(),
    tokens: usage.total_tokens,
  };
  return { evidence, told };
}

/** An exit code of our wrappers says how the call ended; it is no code of the CLI's. */
function endingOf(tool: Tool, exitCode: number | null): Pick<Evidence, 'ending' | 'exitCode' | 'obstacle'> {
  const codes = WRAPPER_EXIT[tool];
  const ended = (ending: Ending, obstacle: Obstacle | null = null) => ({ ending, exitCode: null, obstacle });
  if (exitCode === codes.timeout) return ended('timed_out');
  if (exitCode === codes.missingBinary)
    return ended('not_started', { class: 'tooling', reason: 'binary_missing', message: `${tool} is not installed` });
  if (exitCode === codes.failure) return ended('exited');
  return { ending: 'exited', exitCode, obstacle: null };
}

/** In text mode there is no terminal event: a zero exit with text and nothing that speaks against it is a success. */
function verdictOf(evidence: Evidence, told: boolean, { exitCode }: Case, clock: Clock): Verdict {
  const verdict = classify(evidence, clock);
  const speaksAgainst = verdict.evidence?.rule !== LEFTOVERS.noResult.id && verdict.class !== 'unknown';
  const unopposed = !speaksAgainst && !told && exitCode === 0 && evidence.answerChars > 0;
  return unopposed ? SUCCESS : verdict;
}

function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end === -1 ? text.length : end);
    from = end === -1 ? text.length : end + 1;
  }
}
