// Reads gemini's event stream (`--output-format stream-json`), and its stderr: its retries and invalid settings are only there.

import type { EngineEvent, ReportedUsage, ServerState } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import { byHook, goneIn } from '../../policies/facts/requirements.ts';
import { type Json, numberOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { type EventTable, readLine, subjectIn } from '../event-table.ts';
import type { UsageLog } from '../following/usage-log.ts';
import { stoppedCommit } from '../own-flags.ts';

export const readEvent = (line: string): EngineEvent[] => readLine(line, READ);

export const READ: EventTable = {
  init: ({ session_id, model }) => [
    ...(textOf(session_id) ? [{ how: 'session_named' as const, id: textOf(session_id)! }] : []),
    ...(textOf(model) ? [{ how: 'model_named' as const, model: textOf(model)! }] : []),
  ],
  message: ({ role, content, delta }) => {
    if (role === 'user') return [{ how: 'turn_began' }];
    return role === 'assistant'
      ? [{ how: 'said', text: textOf(content) ?? '', whole: delta !== true, message: null }]
      : [];
  },
  tool_use: ({ tool_id, tool_name, parameters }) => [
    {
      how: 'tool_began',
      id: textOf(tool_id) ?? '',
      name: textOf(tool_name) ?? 'unknown',
      ...serverOf(textOf(tool_name)),
      ...subjectIn(parameters),
    },
  ],
  tool_result: readToolResult,
  error: ({ severity, message }) => readError(textOf(severity), textOf(message) ?? ''),
  result: readResult,
};

/** `mcp_server_tool`: a server name with an underscore is cut. The capture does not mistake it for another server. */
function serverOf(tool: string | null): { server?: string } {
  const server = /^mcp_([^_]{1,100})_/.exec(tool ?? '')?.[1];
  return server === undefined ? {} : { server };
}

function readToolResult(event: Json): EngineEvent[] {
  const error = partOf(event.error);
  const type = textOf(error?.type) ?? '';
  const message = textOf(error?.message) ?? '';
  const denied = type === UNREGISTERED ? isWithheld(message) : DENIED_TYPES.has(type) || DENIED.test(message);
  const ended: EngineEvent = {
    how: 'tool_ended',
    id: textOf(event.tool_id) ?? '',
    name: null,
    denied,
    ...(denied && OUTSIDE_WORDS.test(message) ? { rule: OUTSIDE } : {}),
    ...(denied && message.startsWith(BLOCKED) ? byHook(message.slice(BLOCKED.length)) : {}),
    ...goneIn(message),
    ...stoppedCommit(textOf(event.output) ?? message),
  };
  // A hook stopped the run through this tool; the CLI reports that as a success.
  if (type === 'stop_execution') return [ended, { how: 'stopped', failure: { message, type } }];
  return [ended];
}

/** A hook's block of a tool has the type of a policy's. */
const BLOCKED = 'Tool execution blocked: ';

const DENIED_TYPES: ReadonlySet<string> = new Set([
  'policy_violation',
  'path_not_in_workspace',
  'sandbox_expansion_required',
]);
/** In the modes that forbid a tool, gemini does not even declare it. A model may also invent a name. */
const UNREGISTERED = 'tool_not_registered';
const isWithheld = (message: string): boolean => {
  const name = /^Tool "([^"]{1,200})" not found\b/.exec(message)?.[1];
  return name === undefined || name.startsWith('mcp_') || WITHHELD.has(name);
};
const WITHHELD: ReadonlySet<string> = new Set([
  'run_shell_command',
  'write_file',
  'replace',
  'web_fetch',
  'google_web_search',
  'save_memory',
  'activate_skill',
]);
/** Used instead of a rule: no permission allows a path outside the workspace. */
export const OUTSIDE = 'outside the workspace';
const OUTSIDE_WORDS = /^Path not in workspace/i;
/** A path outside the workspace is reported as `invalid_tool_params`; only its message shows the cause. */
const DENIED = /^(?:Path not in workspace|Tool execution denied)/i;

function readError(severity: string | null, message: string): EngineEvent[] {
  if (STOPPED.test(message)) return [{ how: 'stopped', failure: { message } }];
  if (BLOCKED_ANSWER.test(message)) return [{ how: 'stopped', failure: { message }, unless: 'answered_later' }];
  return severity === 'warning' ? [{ how: 'warned', message }] : [{ how: 'erred', failure: readFailure(message) }];
}

/** Reported as a warning or an error, and followed by `status: "success"`. */
const STOPPED = /^(?:Loop detected|Maximum session turns exceeded|Agent execution stopped)/i;
/** A hook blocks the prompt, or an answer, and then requests another one. */
const BLOCKED_ANSWER = /^Agent execution blocked/i;

function readResult({ status, error, stats }: Json): EngineEvent[] {
  const counted: EngineEvent = { how: 'counted', usage: usageOf(partOf(stats)) };
  if (status === 'success') return [counted, { how: 'completed' }];
  const { type, message, code } = partOf(error) ?? {};
  const httpStatus = numberOf(code);
  const named = NAMELESS.has(textOf(type) ?? '') ? null : textOf(type);
  const known = {
    ...(named === null ? {} : { type: named }),
    ...(httpStatus !== null && httpStatus >= 400 ? { status: httpStatus } : {}),
  };
  return [counted, { how: 'failed', failure: readFailure(textOf(message) ?? '', known) }];
}

const NAMELESS: ReadonlySet<string> = new Set(['', 'unknown', 'Error']);

function usageOf(stats: Json | null): ReportedUsage {
  return {
    total_tokens: numberOf(stats?.total_tokens),
    input_tokens: numberOf(stats?.input_tokens),
    cached_tokens: numberOf(stats?.cached),
    output_tokens: numberOf(stats?.output_tokens),
  };
}

/** Other programs of the run, such as MCP servers, retry too and report it on the same stderr. */
const OF_THE_SERVICE =
  /^[A-Z][^[\]]*\b(?:retry (?:in|after)|quota|rate limit|exhausted|overloaded|unavailable|capacity)\b/i;

/** The only message on stderr about a server that failed. */
const SERVERS_LACK = 'MCP issues detected';

/** Reads the debug log, the only place that names the servers, and in the same file the telemetry: JSON over many lines. */
export function createLogReader(): (line: string) => EngineEvent[] {
  let reason: string | null = null;
  let reads: 'nothing' | 'reason' | 'role' = 'nothing';
  return (line) => {
    // The arguments of a tool are in the telemetry too.
    if (!/^ +["\]]/.test(line)) {
      reads = 'nothing';
      return readLog(line);
    }
    if (line === '    "finish_reasons": [') {
      reads = 'reason';
      return [];
    }
    // One for each piece of the message; only the last piece has one of its own.
    if (reads === 'reason') {
      const read = /^ +"(\w+)",?$/.exec(line)?.[1];
      if (read === undefined) reads = 'role';
      else reason = read;
      return [];
    }
    if (reads === 'nothing') return [];
    reads = 'nothing';
    // Not of a sub-agent, nor of a summary. Older versions do not report the role.
    const role = /^ +"role": "(\w+)"/.exec(line)?.[1] ?? 'main';
    const why = CUT_SHORT[reason!] ?? (/^(?:stop|tool_calls?)$/i.test(reason!) ? undefined : 'the service ended it');
    return role === 'main'
      ? [{ how: 'message_ended', cut: why === undefined ? null : `${why} (finish reason ${reason})` }]
      : [];
  };
}

/**
 * In the words of the telemetry: `length` is MAX_TOKENS, and `content_filter` is SAFETY, RECITATION and the like. gemini 0.61
 * writes `stop` for OTHER too, and for reasons that it does not know, and reports them nowhere else.
 */
const CUT_SHORT: Readonly<Record<string, string>> = {
  length: 'the limit of an answer was reached',
  content_filter: 'a filter of the service stopped it',
};

function readLog(line: string): EngineEvent[] {
  for (const [state, pattern] of LOGGED) {
    const [said, name] = pattern.exec(line) ?? [];
    if (name === undefined) continue;
    return [{ how: 'server', name, state, ...(state === 'connected' ? {} : { why: said! }) }];
  }
  return [];
}

const LOGGED: readonly (readonly [ServerState, RegExp])[] = [
  ['connected', /\bRegistering notification handlers for server '([^'\n]{1,200})'/],
  ['needs_auth', /\bMCP server '([^'\n]{1,200})' (?:requires authentication|rejected stored OAuth token)\b.*/],
  ['needs_auth', /\bCould not configure OAuth for '([^'\n]{1,200})'.*/],
  // An error of an established connection: the CLI considers the server gone.
  ['disconnected', /\bMCP ERROR \(([^)\n]{1,200})\).*/],
  ['failed', /\bError during discovery for (?:MCP )?server '([^'\n]{1,200})'.*/],
  ['failed', /\b(?:Fatal error ensuring|Error connecting to) MCP server '([^'\n]{1,200})'.*/],
  ['failed', /\bError discovering tools from ([^:\n]{1,200}):.*/],
];

/** A message of two lines splits an announcement: the cause first, "Retrying after N ms" on the next line. */
export function readStderr(line: string): EngineEvent[] {
  // Skip most lines early.
  if (line.startsWith(SERVERS_LACK)) return [{ how: 'server', name: null, state: 'failed' }];
  for (const [pattern, read] of LACKS_TOLD) {
    const found = pattern.exec(line);
    if (found !== null) return read(...(found.slice(1) as [string, string]));
  }
  if (line.startsWith('Invalid configuration in ') || line.startsWith('Error in: mcpServers.'))
    return readMistake(line);
  if (!line.includes('Retrying ') && !line.startsWith('Attempt ')) return [];
  const announced = /^(.*?)\bRetrying (?:with backoff|after \d+ ?ms)\.\.\.\s*(.*)$/.exec(line);
  if (announced && (line.startsWith('Attempt ') || OF_THE_SERVICE.test(announced[1]!))) {
    const status = /^Attempt \d+ failed with status (\d+)/.exec(line)?.[1];
    const before = withoutDots(announced[1]!.replace(/^Attempt \d+ failed(?:: | with [^.]*\.|\.)?/, ''));
    const known = status === undefined ? {} : { status: Number(status) };
    return [{ how: 'retrying', failure: readFailure(before || announced[2]!, known) }];
  }
  const cause = /^Attempt \d+ failed: (.*)$/.exec(line)?.[1];
  if (cause === undefined) return [];
  const said = cause.endsWith(GIVEN_UP) ? withoutDots(cause.slice(0, -GIVEN_UP.length)) : cause;
  return [{ how: 'erred', failure: readFailure(said) }];
}

const warned = (message: string): EngineEvent[] => [{ how: 'warned', message }];

/** What the CLI reports of its lacks on stderr alone. */
const LACKS_TOLD: readonly (readonly [RegExp, (one: string, other: string) => EngineEvent[]])[] = [
  [
    /^Hook\(s\) \[(.{1,300})\] failed for event (\w{1,40})\./,
    // A hook that blocks a tool counts as failed there.
    (hooks, event) =>
      warned(`the hook ${hooks} failed${event === 'BeforeTool' ? ' or blocked a tool' : ''} (${event})`),
  ],
  [/^Subagent '([^'\n]{1,200})' failed: (.{1,300})/, (name, why) => warned(`the sub-agent ${name} failed: ${why}`)],
  [
    /^\[LocalAgentExecutor\] Blocked call: Unauthorized tool call: '([\w.-]{1,200})' is not available/,
    (name) => (isWithheld(`Tool "${name}" not found`) ? [{ how: 'tool_denied', id: '', name }] : []),
  ],
  [
    /^\[(USER|WORKSPACE|ADMIN|SYSTEM|DEFAULT)\] Policy file error in (.{1,300}):$/i,
    (whose, file) => warned(`the policy file ${file} (${whose}) was not loaded, its deny rules neither`),
  ],
  [
    /^Warning: Skipping extension in (.{1,300}?): (.{1,300})/,
    (folder, why) => warned(`the extension in ${folder} was not loaded: ${why}`),
  ],
  [/^Agent loading error: (.{1,300})/, (why) => warned(`an agent was not loaded: ${why}`)],
  [
    // Text such as `@types/node` is no path.
    /^\[ERROR\] \[ImportProcessor\] Failed to import ((?:\.{0,2}|~)\/.{1,300}?|.{1,300}?\.md): (.{1,300})/,
    (file, why) => warned(`${file}, which GEMINI.md imports, was not loaded: ${why}`),
  ],
  [/^Chat recording disabled: (.{1,300})/, (why) => warned(`its session was not saved: ${why}`)],
];

/** The settings of a server may be invalid although it works: then the debug log reports that it connected. */
function readMistake(line: string): EngineEvent[] {
  const file = /^Invalid configuration in (.{1,500}):$/.exec(line)?.[1];
  if (file !== undefined)
    return [{ how: 'warned', message: `invalid configuration in ${file} (its stderr names the settings)` }];
  const name = OF_SERVER.exec(line)?.[1];
  const why = `its settings are invalid (${line})`;
  return name === undefined ? [] : [{ how: 'server', name, state: 'pending', why, unlessKnown: true }];
}

/** A server's name may have a dot too: only a setting of a server ends it. */
const OF_SERVER =
  /^Error in: mcpServers\.(.{1,200}?)(?:\.(?:args|authProviderType|command|cwd|description|env|excludeTools|extension|headers|httpUrl|includeTools|oauth|target\w{1,20}|tcp|timeout|trust|type|url)\b.{0,200})?$/;

const GIVEN_UP = 'Max attempts reached';

/** Trims without a pattern: a pattern anchored at the end of a text is tried from every position. */
function withoutDots(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Its session writes a message, with the tokens of its request, when the message is complete, and again after its tools. */
export const USAGE_LOG: UsageLog = {
  createReader: (since) => (line) => {
    if (!line.includes('"tokens"')) return [];
    const { id, type, timestamp, model, tokens } = parseObject(line) ?? {};
    const counted = partOf(tokens);
    const request = textOf(id);
    if (type !== 'gemini' || counted === null || request === null) return [];
    if (!(Date.parse(textOf(timestamp) ?? '') >= since.getTime())) return [];
    const input_tokens = numberOf(counted.input) ?? 0;
    // The total includes the model's thoughts.
    const output_tokens = Math.max(numberOf(counted.output) ?? 0, (numberOf(counted.total) ?? 0) - input_tokens);
    const used = { model: textOf(model), input_tokens, cached_tokens: numberOf(counted.cached) ?? 0, output_tokens };
    return [{ how: 'spent', request, used }];
  },
};
