// Makes the record of a call, the sentence that the user reads, and the fact that closes the call in its journal.

import { CLASSES } from '../../policies/facts/classes.ts';
import { UNKNOWN_USAGE, type Usage } from '../../policies/facts/engine-event.ts';
import { ENDINGS, type Ending, type Verdict } from '../../policies/facts/evidence.ts';
import { actionLine, type NextAction } from '../../policies/facts/next-action.ts';
import {
  isLack,
  lackingServers,
  lackOfServer,
  lackOfTool,
  otherSession,
  reportedBy,
} from '../../policies/facts/requirements.ts';
import { capReached, capUse, capWords, tokensOf } from '../../policies/limits/caps.ts';
import { accountIn } from '../../policies/limits/user-accounts.ts';
import { type CallLimits, isStartLimit } from '../../policies/manifest/call-terms.ts';
import { type Redactor, redactValue } from '../../policies/redact/redactor.ts';
import { CALL_RECORD_SCHEMA, type CallRecord } from '../../policies/report/call-record.ts';
import { nextActions } from '../../policies/report/next-actions.ts';
import { oneLine, shellWord, tookWords } from '../../policies/text/display.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { createDryRunJournal } from '../../state/journal/journal.ts';
import { budgetOf } from '../../state/journal/ledger.ts';
import type { Permission } from '../../wrappers/adapter.ts';
import { homeOf } from '../../wrappers/home.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { type RecordableCall, sha256, wallMs } from '../attempt/phases.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { asCalled, launcherIn } from '../launcher.ts';
import type { Classified } from './classify.ts';

/** Makes the redacted record, ready to be published, of a call that ran. */
export function recordOf(
  recordable: RecordableCall,
  outcome: Outcome,
  { verdict, signature }: Classified,
  exitCode: number,
): CallRecord {
  const { capture } = outcome;
  const { call, adapter, files } = recordable.request;
  const record: CallRecord = {
    ...commonOf(recordable),
    model: capture.model ?? call.model,
    duration_ms: outcome.durationMs,
    ending: outcome.ending,
    native_exit_code: outcome.exitCode,
    signal: outcome.signal,
    wrapper_exit_code: exitCode,
    session_id: capture.sessionId ?? call.resumeSession ?? (adapter.sessionId === 'chosen' ? call.newSession : null),
    answer_bytes: Buffer.byteLength(capture.answer),
    usage: withRequests(usageOf(recordable, capture.usage), outcome),
    tool_calls: toolsOf(recordable, capture.tools),
    denied_tools: [...new Set(capture.denials.map(({ tool }) => tool))],
    warnings: warningsOf(recordable, outcome, verdict.class === null),
    ...statusOf(capture, verdict),
    verdict,
    signature,
    orphans_killed: outcome.orphansKilled,
    inner_retries: capture.retries,
  };
  const next = nextOf(record, recordable, outcome.stderrBytes > 0 ? files.err : null);
  return redacted({ ...record, ...next }, recordable);
}

function statusOf(
  { failure, errors, retrying }: Outcome['capture'],
  { class: failed }: Verdict,
): { http_status?: number } {
  const status = failed === null ? undefined : (failure ?? errors.at(-1) ?? retrying)?.status;
  return status === undefined ? {} : { http_status: status };
}

/** The total of a resumed session shows the usage of this call only if the earlier total is known. */
function usageOf({ request, countedBefore }: RecordableCall, usage: Usage): Usage {
  if (request.adapter.usageCounts === 'call' || request.call.resumeSession === null) return usage;
  const own = (count: keyof Usage): number | null => {
    const [now, before] = [usage[count], countedBefore?.[count] ?? null];
    return now === null || before === null || now < before ? null : now - before;
  };
  return {
    ...UNKNOWN_USAGE,
    api_requests: usage.api_requests,
    turns: usage.turns,
    input_tokens: own('input_tokens'),
    cached_tokens: own('cached_tokens'),
    output_tokens: own('output_tokens'),
    total_tokens: own('total_tokens'),
  };
}

/** A call that was ended counts nothing by itself. What its finished requests used is known if that was read. */
function withRequests(usage: Usage, { capture: { requests } }: Outcome): Usage {
  if (usage.total_tokens !== null || requests.length === 0) return usage;
  const sum = (count: 'input_tokens' | 'cached_tokens' | 'output_tokens') =>
    requests.reduce((total, one) => total + one[count], 0);
  return {
    ...usage,
    api_requests: usage.api_requests ?? requests.length,
    input_tokens: sum('input_tokens'),
    cached_tokens: sum('cached_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: tokensOf(requests),
  };
}

/** States in one line what went wrong and what to do; null after a success. */
export function sentenceOf(record: CallRecord, { charge, limits, call }: WrapperRequest): string | null {
  const { verdict, ending, duration_ms } = record;
  if (verdict.class === null) return null;
  const isOurs = verdict.evidence?.source === 'ending';
  const passed = isOurs ? passedLimit(ending, verdict.reason, limits) : null;
  const what = passed ?? (verdict.evidence?.text.replace(/\s+/g, ' ').trim() || ENDINGS[ending]);
  const says = ending === 'not_started' ? 'Not' : 'The service says: not';
  const retry = verdict.retry_at === null ? '' : ` ${says} before ${verdict.retry_at}.`;
  const when = ending === 'not_started' || duration_ms === null ? '' : ` after ${tookWords(duration_ms)}`;
  const more = `${retry}${adviceOf(record, charge?.task.id ?? null, passed === null ? 'none' : 'named')}`;
  const shortened = what.slice(0, 400);
  const sentence = `${verdict.class} (${verdict.reason})${when}: ${shortened}${more === '' || /[.!?…]$/.test(shortened) ? '' : '.'}${more}`;
  return asCalled(sentence, call.environment);
}

/** Names the time limit that ended the call, with its flag; null if no time limit did. */
function passedLimit(ending: Ending, reason: string | null, limits: CallLimits): string | null {
  const { timeoutMs, idleTimeoutMs, startTimeoutMs } = limits;
  const mostMs = wallMs(limits);
  if (ending === 'timed_out')
    return `it took longer than ${mostMs / 1000} s${mostMs === timeoutMs ? '' : ', twice its timeout'}; give it more time with --timeout-ms (now ${timeoutMs})`;
  if (ending !== 'idle') return null;
  if (reason === 'silent_start' && isStartLimit(limits))
    return `it wrote nothing within ${Number(startTimeoutMs) / 1000} s; give it more time with --start-timeout-ms (now ${startTimeoutMs})`;
  if (idleTimeoutMs === null) return null;
  return `it wrote nothing for ${idleTimeoutMs / 1000} s; give it more time with --idle-timeout-ms (now ${idleTimeoutMs})`;
}

/** A refusal, or a call with unreadable files, already contains its advice. And only a task has a last_failure.json. */
function adviceOf({ verdict, next_actions = [] }: CallRecord, taskId: string | null, limit: 'named' | 'none'): string {
  const { class: errorClass, evidence, reason } = verdict;
  // The user who stopped the call knows what to do next.
  if (errorClass === null || reason === 'cancelled' || /^(?:refused|unread)-/.test(evidence?.rule ?? '')) return '';
  // The sentence already says how to raise the limit.
  const first = limit === 'named' ? next_actions.find(({ command }) => command !== undefined) : next_actions[0];
  if (first !== undefined) return ` Next: ${actionLine(first)}.`;
  if (errorClass === 'unknown' && taskId === null) return ' Next: read the files of --err and --result.';
  return ` Next: ${CLASSES[errorClass].next}.`;
}

/** Returns what the caller of a call outside a run does next, as a run does. @param stderrFile null if none. */
export function nextOf(
  { verdict, session_id, ending, tool_calls, tool }: CallRecord,
  { request, prompt, redactor }: RecordableCall,
  stderrFile: string | null,
): { next_actions?: NextAction[] } {
  const { adapter, call, charge } = request;
  const typed = isPrintable(request.typed?.given ?? '', redactor) ? request.typed : undefined;
  // The run of a stage knows its manifest, and what it has already tried.
  if (verdict.class === null || charge?.runId) return {};
  const { environment, cwd } = call;
  const launcher = launcherIn(environment);
  const command = launcher.replace(/tollgate$/, '') + (typed?.command ?? '');
  return {
    next_actions: nextActions({
      ...{ verdict, tool, sessionId: session_id, ending, stderrFile, packageName: adapter.packageName },
      called: {
        ...{ launcher, verb: 'run', word: typed?.task ?? charge?.task.root ?? '', trusts: false },
        wrapper: typed === undefined ? null : { command, given: typed.given },
      },
      ...(typed === undefined ? { again: 'call it with the same arguments' } : {}),
      ...(charge === null ? {} : budgetOfTask(charge.task.root)),
      namesModel: call.model !== null,
      ...((verdict.class === 'auth' || verdict.reason === 'config') && adapter.signIn !== null
        ? { key: adapter.signIn({ environment, home: homeOf(environment) ?? cwd, cwd }) }
        : {}),
      ...(prompt === null ? {} : { promptChars: prompt.toString('utf8').length }),
      ...{ resumed: call.resumeSession !== null, ranTools: (tool_calls ?? 0) > 0 },
    }),
  };
}

/** Without its secrets, a command line would send another prompt. And a message of one line has no room for several. */
const isPrintable = (given: string, redactor: Redactor): boolean =>
  !given.includes('\n') && redactor.redact(given) === given;

/** The task's files may be unreadable by then. */
function budgetOfTask(root: string): { budget?: number } {
  try {
    return { budget: budgetOf(createDryRunJournal(root, () => new Date()).read().ledger) };
  } catch {
    return {};
  }
}

/** Returns the fields of a record that are known from the start. */
export function commonOf({ request, prompt, promptHash, ...made }: RecordableCall) {
  const { adapter, call, composed } = request;
  return {
    schema: CALL_RECORD_SCHEMA,
    call_id: made.callId,
    tool: adapter.tool,
    cli_version: made.cliVersion,
    argv: [...made.argv],
    ...accountIn(adapter.tool, call.environment),
    cwd: call.cwd,
    started_at: made.startedAt.toISOString(),
    prompt_sha256: promptHash ?? (prompt && sha256(prompt)),
    ...(adapter.described === undefined
      ? {}
      : { tool_sha256: sha256(Buffer.from(JSON.stringify(adapter.described.row))) }),
    ...(composed.leftOut.length === 0 ? {} : { left_out: composed.leftOut }),
  };
}

function warningsOf(
  recordable: RecordableCall,
  { capture, ending, exitCode, signal, durationMs, sleptMs, survivors = [] }: Outcome,
  succeeded: boolean,
): string[] {
  const { request, warnings: noted } = recordable;
  const { limits, call } = request;
  const reported = capture.warnings.map((message) => reportedBy(request.adapter.tool, message));
  // What the CLI itself reports of a server is more than what its files show.
  const isReported = (warning: string) =>
    capture.servers.some(({ name }) => name !== null && warning.startsWith(`MCP server "${name}" `));
  const warnings = [
    ...lacksOf(request, capture),
    ...noted.filter((warning) => !isReported(warning)),
    ...reported,
    ...capture.inferred,
  ];
  if (succeeded && ending !== 'exited') warnings.push(`the answer was complete, but ${ENDINGS[ending]}`);
  else if (succeeded && exitCode !== 0 && (exitCode !== null || signal !== null))
    warnings.push(`the answer was complete, but the CLI ended with ${signal ?? `exit code ${exitCode}`}`);
  if (limits.timeoutMode === 'wait_done' && (durationMs ?? 0) > limits.timeoutMs)
    warnings.push(`the deadline of ${limits.timeoutMs} ms passed; it was only noted (--timeout-mode wait_done)`);
  const usage = usageOf(recordable, capture.usage);
  // Requests of sub-agents may be in the sum alone.
  const requests = (usage.total_tokens ?? 0) > tokensOf(capture.requests) ? [] : capture.requests;
  const used = { ...capture, usage, requests };
  const over = succeeded && limits.caps !== undefined ? capReached(limits.caps, capUse(used, 0)) : null;
  if (over !== null) warnings.push(`the answer was complete, but ${capWords(over)}`);
  if (survivors.length > 0)
    warnings.push(
      `processes of the call could not be ended, since they belong to another user or hang in the kernel: ${survivors.join(', ')}; end them as that user or as root`,
    );
  if (sleptMs > 0) warnings.push(`the machine slept for ${Math.round(sleptMs / 1000)} s during the call`);
  if (call.resumeSession !== null && capture.sessionId !== null && capture.sessionId !== call.resumeSession)
    warnings.push(otherSession(call.resumeSession, capture.sessionId));
  return warnings;
}

/** Lists the servers and tools that the agent did not have. */
function lacksOf(request: WrapperRequest, { servers, denials }: Outcome['capture']): string[] {
  const ofServers = lackingServers(servers).map(lackOfServer);
  const ofTools = denials.map((denial) => {
    const permission = denial.by === undefined ? request.adapter.allows(denial, request.call) : null;
    return lackOfTool(denial, permission === null ? null : waysOf(permission, request));
  });
  return [...new Set([...ofServers, ...ofTools])];
}

function waysOf(permission: Permission, request: WrapperRequest): string {
  const words = permissionWords(permission, request);
  if (permission.flag === 'allow-commit' || permission.orForCommit === undefined) return words;
  return `${words}, or for a commit ${permissionWords({ flag: permission.orForCommit }, request)}`;
}

/** Formats the permission as a flag of the command, or in a run as a field of the manifest. */
function permissionWords(permission: Permission, { charge }: WrapperRequest): string {
  if (permission.flag === 'allow-commit') return charge?.runId ? '`allow_commit: true` in the stage' : '--allow-commit';
  const { flag, value, also, where } = permission;
  if (where !== undefined) return `take ${value} out of what ${where} denies`;
  if (charge?.runId)
    return {
      access: `\`access: ${value}\`${also === undefined ? '' : ' and `allow_commit: true`'} in the stage`,
      'allow-tool': `\`allow_tool: [${JSON.stringify(value)}]\` in the stage`,
      'deny-tool': `take ${value} out of what is denied`,
      cwd: `\`cwd\` of the manifest, as ${value}`,
    }[flag];
  if (flag === 'deny-tool') return `leave out --deny-tool ${shellWord(value)}`;
  return `--${flag} ${flag === 'cwd' ? value : shellWord(value)}${also === undefined ? '' : ` --${also}`}`;
}

/** The record has all of them; the journal has what a list of tasks shows. */
const MAX_LACKS = 5;
const MAX_LACK = 300;

/** Makes the fact that closes a call in its journal. */
export function verdictFact(record: CallRecord): Extract<Fact, { fact: 'verdict' }> {
  const { class: errorClass, reason, retry_at } = record.verdict;
  const { call_id, signature, wrapper_exit_code: exit_code } = record;
  const lacks = errorClass === null ? record.warnings.filter(isLack).slice(0, MAX_LACKS) : [];
  const facts = { fact: 'verdict', call_id, class: errorClass, reason, signature, retry_at, exit_code } as const;
  return lacks.length === 0 ? facts : { ...facts, lacks: lacks.map((lack) => oneLine(lack, MAX_LACK)) };
}

/**
 * Redacts every text of the record: a key may be in an argument or in an error message. Our ids and fixed words are not redacted.
 * A pattern of the user that matches one of them would separate the record from its call.
 */
export function redacted(record: CallRecord, { redactor }: RecordableCall): CallRecord {
  const hidden = redactValue(record, redactor.redact) as CallRecord;
  const { call_id, tool, started_at, ending, signal, prompt_sha256, signature, verdict } = record;
  const { class: errorClass, reason, retry_at, evidence } = verdict;
  return {
    ...hidden,
    ...{ call_id, tool, started_at, ending, signal, prompt_sha256, signature },
    ...(record.tool_sha256 === undefined ? {} : { tool_sha256: record.tool_sha256 }),
    verdict: {
      ...{ ...hidden.verdict, class: errorClass, reason, retry_at },
      evidence: evidence && { ...evidence, text: hidden.verdict.evidence?.text ?? '' },
    },
  };
}

/** Unknown if the CLI's description defines no tool events. */
const toolsOf = ({ request }: RecordableCall, reported: number): number | null => {
  const row = request.adapter.described?.row;
  return row === undefined || row.events.some(({ tool }) => tool !== undefined) ? reported : null;
};
