// Derives the evidence, the verdict and the signature of a call from its outcome.

import type { Clock } from '../../policies/facts/clock.ts';
import type { EngineFailure } from '../../policies/facts/engine-event.ts';
import {
  type Evidence,
  type LimitName,
  type PassedLimit,
  type Verdict,
  visibleChars,
} from '../../policies/facts/evidence.ts';
import type { Tool } from '../../policies/facts/tools.ts';
import { type Cap, capWords } from '../../policies/limits/caps.ts';
import { type CallLimits, isStartLimit } from '../../policies/manifest/call-terms.ts';
import { isOfHelper } from '../../policies/rules/mcp.ts';
import { tellDetails } from '../../policies/signature/bodies.ts';
import { type Signature, type SignatureInput, sign } from '../../policies/signature/sign.ts';
import { classify } from '../../policies/verdict/classify.ts';
import { compileRow, type OwnRow } from '../../policies/verdict/own-row.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { type RecordableCall, wallMs } from '../attempt/phases.ts';
import { localClock } from '../local-clock.ts';

export interface Classified {
  verdict: Verdict;
  signature: string | null;
}

interface ClassifyContext {
  tool: Tool;
  taskId: string | null;
  prompt: string | null;
  /** Applied before the built-in rows. */
  ownRows: readonly OwnRow[];
  clock: Clock;
  limits: CallLimits;
}

/** A pure function: the same outcome gives the same verdict and signature. The signature of a success is null. */
export function classifyOutcome(outcome: Outcome, context: ClassifyContext): Classified {
  const evidence = evidenceOf(outcome, context.tool);
  const verdict = classify(evidence, context.clock, context.ownRows.map(compileRow));
  const limit = limitOf(outcome, verdict, context.limits);
  return {
    verdict: limit === null ? verdict : { ...verdict, evidence: { ...verdict.evidence!, limit } },
    signature: signatureOf(evidence, verdict, context),
  };
}

/** The limit of the call that decided about its verdict; null if none did. */
function limitOf({ ending, cap }: Outcome, { reason, evidence }: Verdict, limits: CallLimits): PassedLimit | null {
  const { idleTimeoutMs, startTimeoutMs, maxTurns, maxOutputBytes, caps } = limits;
  const limit = (name: LimitName, value: number | null | undefined, unit: PassedLimit['unit']): PassedLimit | null =>
    value === null || value === undefined ? null : { name, value, unit };
  if (reason === 'max_turns') return limit('turns', maxTurns, 'turns');
  // A budget of the account that the CLI reports is not a limit of the call.
  if (reason === 'budget' && evidence?.rule === 'stop-max-usd') return limit('call_budget', caps?.usd?.max, 'usd');
  if (evidence?.source !== 'ending') return null;
  switch (ending) {
    case 'timed_out':
      return limit(limits.timeoutOf === 'task' ? 'rest_of_task_time' : 'timeout', wallMs(limits), 'ms');
    case 'idle':
      return reason === 'silent_start' && isStartLimit(limits)
        ? limit('start_timeout', startTimeoutMs, 'ms')
        : limit('idle_timeout', idleTimeoutMs, 'ms');
    case 'overflowed':
      return limit('output', maxOutputBytes, 'bytes');
    case 'over_cap':
      return cap === undefined ? null : limit(BUDGETS[cap.cap.of], cap.cap.max, cap.unit);
    default:
      return null;
  }
}

const BUDGETS = {
  call: 'call_budget',
  task: 'rest_of_task_budget',
  limit: 'rest_of_user_budget',
} as const satisfies Record<Cap['of'], LimitName>;

/** Returns what affects the verdict on a call besides its outcome. */
export function contextOf({ request, prompt, clock }: RecordableCall): ClassifyContext {
  return {
    tool: request.adapter.tool,
    taskId: request.charge?.task.id ?? null,
    prompt: prompt?.toString('utf8') ?? null,
    ownRows: request.ownRows,
    clock: localClock(clock()),
    limits: request.limits,
  };
}

function signatureOf(evidence: Evidence, verdict: Verdict, context: ClassifyContext): string | null {
  if (verdict.class === null) return null;
  return sign({ ...signatureInput(evidence, verdict), volatile: volatileOf(context) }).signature;
}

/**
 * Computes the signature of a call that already has a verdict, and the text that the signature represents. The text is redacted
 * before it is normalised, since a pattern for the CLI's own words may not match their normal form.
 */
export function signAgain(
  outcome: Outcome,
  verdict: Verdict,
  context: ClassifyContext,
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

const volatileOf = ({ taskId, prompt }: ClassifyContext) => ({
  ...(taskId === null ? {} : { taskId }),
  ...(prompt === null ? {} : { prompt }),
});

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
        // If we ended the call, the signal may be either of two, so it is not used.
        ...(evidence.ending === 'signalled' && evidence.signal !== null ? [evidence.signal] : []),
        ...signsOf(evidence),
      ],
    },
  };
}

/** An error of an MCP server does not describe the failure, unless it is the failure itself. */
const ownLines = ({ stderr }: Evidence, { reason }: Verdict): string[] =>
  reason === 'mcp_server' ? stderr : stderr.filter((line) => !isOfHelper(line));

/** Uses the raw signs of a stderr without words. A lone `[object Object]` or a number differs from an empty stderr. */
function signsOf({ stderr, remarks }: Evidence): string[] {
  const said = [...stderr, ...remarks].find((line) => line.trim() !== '');
  return said === undefined ? [] : [said.replace(/\d+/g, '0').slice(0, 80)];
}

/** If the call was cut at a retry, the cause of that retry counts. */
function lastWordOf({ ending, failure, errors, retried }: Evidence): EngineFailure | null {
  if (failure !== null) return failure;
  return (ending === 'retry_cut' ? retried : null) ?? errors.at(-1) ?? retried;
}

/** Puts the distinguishing details before the message: the status, the codes, and the reasons in the details. */
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
    ...(outcome.cap === undefined ? {} : { overCap: capWords(outcome.cap) }),
    tokens: capture.usage.total_tokens,
  };
}
