// From what a call left to what is believed about it: evidence, verdict, signature.

import type { EngineFailure } from '../../policies/facts/engine-event.ts';
import type { Evidence, Verdict } from '../../policies/facts/evidence.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { tellDetails } from '../../policies/normal-form/bodies.ts';
import { isOfHelper } from '../../policies/rules/mcp.ts';
import { type Signature, type SignatureInput, sign } from '../../policies/signature/sign.ts';
import type { Clock } from '../../policies/time/clock.ts';
import { classify } from '../../policies/verdict/classify.ts';
import { compileRow } from '../../policies/verdict/compile-row.ts';
import type { OwnRow } from '../../policies/verdict/own-row.ts';
import { visibleChars } from '../../policies/verdict/success.ts';
import type { Outcome } from '../../wrappers/run.ts';

export interface Judgement {
  verdict: Verdict;
  signature: string | null;
}

interface JudgeContext {
  tool: Tool;
  taskId: string | null;
  prompt: string | null;
  /** Tried before ours. */
  ownRows: readonly OwnRow[];
  clock: Clock;
}

/** Pure: the same outcome gives the same verdict and the same signature; a success has the signature null. */
export function judge(outcome: Outcome, context: JudgeContext): Judgement {
  const evidence = evidenceOf(outcome, context.tool);
  const verdict = classify(evidence, context.clock, context.ownRows.map(compileRow));
  return { verdict, signature: signatureOf(evidence, verdict, context) };
}

function signatureOf(evidence: Evidence, verdict: Verdict, context: JudgeContext): string | null {
  if (verdict.class === null) return null;
  return sign({ ...signatureInput(evidence, verdict), volatile: volatileOf(context) }).signature;
}

/**
 * The signature of a call that was judged before, and the text that it stands for: of what `redact` leaves, since a
 * pattern that is meant for the CLI's own words need not fit their normal form.
 */
export function signedAnew(
  outcome: Outcome,
  verdict: Verdict,
  context: JudgeContext,
  redact: (text: string) => string,
): Signature {
  const evidence = evidenceOf(outcome, context.tool);
  const volatile = volatileOf(context);
  const input = signatureInput(evidence, verdict);
  const { signature } = sign({ ...input, volatile });
  const { normalised, source } = sign({
    ...input,
    errorLines: input.errorLines.map(redact),
    remarks: evidence.remarks.map(redact),
    eventText: input.eventText === null ? null : redact(input.eventText),
    volatile,
  });
  return { signature, source, normalised: redact(normalised) };
}

const volatileOf = ({ taskId, prompt }: JudgeContext) => ({
  ...(taskId === null ? {} : { taskId }),
  ...(prompt === null ? {} : { prompt }),
});

/** What the signature of a failure is made of. */
export function signatureInput(evidence: Evidence, verdict: Verdict): SignatureInput {
  return {
    tool: evidence.tool,
    errorLines: ownLines(evidence, verdict),
    remarks: evidence.remarks,
    eventText: eventTextOf(lastWordOf(evidence)),
    detail: {
      ending: evidence.ending,
      class: verdict.class,
      reason: verdict.reason,
      more: [
        ...(evidence.exitCode === null ? [] : [`exit ${evidence.exitCode}`]),
        // Of a call that we ended it may be the one or the other.
        ...(evidence.ending === 'signalled' && evidence.signal !== null ? [evidence.signal] : []),
        ...signsOf(evidence),
      ],
    },
  };
}

/** A server that failed beside it does not name the failure, unless it is the failure. */
const ownLines = ({ stderr }: Evidence, { reason }: Verdict): string[] =>
  reason === 'mcp_server' ? stderr : stderr.filter((line) => !isOfHelper(line));

/** Of a stderr without words the signs: a lone `[object Object]` or number is another failure than silence. */
function signsOf({ stderr, remarks }: Evidence): string[] {
  const said = [...stderr, ...remarks].find((line) => line.trim() !== '');
  return said === undefined ? [] : [said.replace(/\d+/g, '0').slice(0, 80)];
}

/** Of a call that was cut at a retry the cause of that retry. */
function lastWordOf({ ending, failure, errors, retried }: Evidence): EngineFailure | null {
  if (failure !== null) return failure;
  return (ending === 'retry_cut' ? retried : null) ?? errors.at(-1) ?? retried;
}

/** The message behind what tells it apart from its like: the status, the codes, and the reasons in the details. */
function eventTextOf(failure: EngineFailure | null): string | null {
  if (failure === null) return null;
  const { message, status, code, type, details } = failure;
  const codes = [code, type].filter((one) => one !== undefined && !message.includes(one));
  const head = [
    ...(status === undefined || message.includes(`${status}`) ? [] : [`status: ${status}`]),
    ...codes,
    ...(details === undefined ? [] : [tellDetails(details)]),
  ];
  return [...head, message].join(' ');
}

function evidenceOf({ capture, ...outcome }: Outcome, tool: Tool): Evidence {
  const error = outcome.spawnError;
  return {
    tool,
    ending: outcome.ending,
    silent: outcome.silent,
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    completed: capture.completed,
    answerChars: visibleChars(capture.answer),
    failure: capture.failure,
    errors: capture.errors,
    retried: capture.retrying,
    stderr: outcome.errorLines,
    remarks: outcome.remarks,
    obstacle:
      error === null
        ? null
        : { class: 'tooling', reason: 'not_started', message: `the CLI could not be started: ${error.message}` },
    tokens: capture.usage.total_tokens,
  };
}
