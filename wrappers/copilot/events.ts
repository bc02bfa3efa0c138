// Reads copilot's event stream (`--output-format json`).

import type { EngineEvent, EngineFailure } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import { byHook, goneIn, serverState } from '../../policies/facts/requirements.ts';
import { type Json, listOf, numberOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { type EventTable, readLine, subjectIn } from '../event-table.ts';
import type { UsageLog } from '../following/usage-log.ts';
import { stoppedCommit } from '../own-flags.ts';

export const readEvent = (line: string): EngineEvent[] => readLine(line, READ);

export const READ: EventTable = {
  ...agentEvents({
    'assistant.turn_start': () => [{ how: 'turn_began' }],
    'model.call_start': ({ model }) => [...modelOf(model), { how: 'requested' }],
    'model.call_failure': readCallFailure,
    // Also sent before the compaction of a prompt that is too long. The failure itself was reported before.
    'assistant.turn_retry': () => [RETRIED_AGAIN],
    'model.turn_retry': () => [RETRIED_AGAIN],
    'session.info': ({ infoType }) => (infoType === 'model_retry' ? [RETRIED_AGAIN] : []),
    'assistant.message_delta': ({ messageId, deltaContent }) => [
      { how: 'said', text: textOf(deltaContent) ?? '', whole: false, message: textOf(messageId) },
    ],
    'assistant.message': readMessage,
    'tool.execution_start': readToolStart,
    'tool.execution_complete': readToolEnd,
    'session.mcp_server_status_changed': (data) => readServer(data, data.serverName),
    'session.mcp_server_tools_loaded': ({ serverName }) =>
      textOf(serverName) === null
        ? []
        : [{ how: 'server', name: textOf(serverName), state: 'connected', tools: 'known' }],
    'session.mcp_servers_loaded': ({ servers }) =>
      listOf(servers).flatMap((one) => readServer(partOf(one) ?? {}, partOf(one)?.name)),
    // The servers have been started by then.
    'user.message': () => [{ how: 'servers_listed' }],
    'session.warning': ({ warningType, message }) => {
      const words = textOf(message) ?? '';
      // A hook blocked the prompt.
      return warningType === 'policy_blocked'
        ? [{ how: 'stopped', failure: { message: words, code: 'hook_stopped' } }]
        : [{ how: 'warned', message: words }];
    },
    'session.error': readError,
    // After it copilot 1.0.75 reports a result with the exit code 0.
    abort: ({ reason }) => [
      { how: 'stopped', failure: { message: `the turn was aborted (${textOf(reason) ?? 'no reason given'})` } },
    ],
  }),
  'subagent.failed': ({ data }) => {
    const { agentName, error } = partOf(data) ?? {};
    return [subAgentFailed(textOf(agentName), textOf(error))];
  },
  result: ({ sessionId, exitCode, usage }) => [
    ...(textOf(sessionId) ? [{ how: 'session_named' as const, id: textOf(sessionId)! }] : []),
    ...(exitCode === 0 && numberOf(partOf(usage)?.totalApiDurationMs) === 0 ? [UNASKED] : []),
    exitCode === 0 ? { how: 'completed' } : { how: 'failed', failure: { message: '' } },
  ],
};

/** A hook of the user handled the prompt; the stream does not report the hook. */
const UNASKED: EngineEvent = {
  how: 'warned',
  message: 'no request was sent to the model; a hook answered the prompt',
};

function readServer({ status, error, configSource }: Json, name: unknown): EngineEvent[] {
  if (textOf(name) === null) return [];
  const why = textOf(error);
  const state = serverState(textOf(status));
  // Not of a built-in server: whether each version lists its tools is not known.
  const awaited = state === 'connected' && CONFIGURED.has(textOf(configSource) ?? '');
  return [
    {
      how: 'server',
      name: textOf(name),
      state,
      ...(why === null ? {} : { why }),
      ...(awaited ? { tools: 'awaited' as const } : {}),
    },
  ];
}

/** The sources of a server that the user configured. */
const CONFIGURED: ReadonlySet<string> = new Set(['user', 'workspace']);

function readToolStart({ toolCallId, toolName, arguments: given, mcpServerName, mcpToolName }: Json): EngineEvent[] {
  const name = textOf(toolName) ?? 'unknown';
  const server = textOf(mcpServerName);
  const command = textOf(partOf(given)?.command);
  const rule =
    server !== null
      ? `${server}(${textOf(mcpToolName) ?? name})`
      : name === 'bash' && command !== null
        ? shellRule(command)
        : null;
  return [
    {
      how: 'tool_began',
      id: textOf(toolCallId) ?? '',
      name,
      ...(server === null ? {} : { server }),
      ...(rule === null ? {} : { rule }),
      ...subjectIn(given),
    },
  ];
}

/** Only the command's name, and for git and gh the subcommand's; null unless it is one plain command. */
function shellRule(command: string): string | null {
  const name = /^((?:git|gh) [a-z][\w-]*|[\w./+-]+)(?: [\w./=@:,+~" -]*)?$/.exec(command)?.[1];
  return name === undefined ? null : `shell(${name})`;
}

function readToolEnd({ toolCallId, error, result, toolTelemetry }: Json): EngineEvent[] {
  const { code, message } = partOf(error) ?? {};
  const said = textOf(partOf(result)?.content) ?? textOf(message);
  // The only report of it: the sub-agent counts as completed. In 1.0.75 its tool succeeds.
  const agent = textOf(partOf(partOf(toolTelemetry)?.properties)?.agent_name);
  const silent = agent !== null && SILENT.test(said ?? '');
  return [
    ...(silent ? [subAgentFailed(agent, said)] : []),
    {
      how: 'tool_ended',
      id: textOf(toolCallId) ?? '',
      name: null,
      denied: code === 'denied',
      ...hookIn(textOf(message) ?? ''),
      ...goneIn(textOf(message)),
      ...stoppedCommit(said),
    },
  ];
}

/** A hook may give a reason; of one that failed, the file is named. */
function hookIn(message: string): { by?: string } {
  const [hook, reason] = /^Denied by \w{1,40} hook(?:: | from )?([\s\S]*)/.exec(message) ?? [];
  return hook === undefined ? {} : byHook(reason!);
}

const SILENT = /^Agent completed but produced no response\.$/;

const subAgentFailed = (name: string | null, why: string | null): EngineEvent => ({
  how: 'warned',
  message: `the sub-agent ${name ?? 'without a name'} failed: ${(why ?? 'no reason given').slice(0, 300)}`,
});

/** Two of these events may report the same retry. */
const RETRIED_AGAIN: EngineEvent = { how: 'retrying', failure: { message: '' } };

/** All but the last event carry their facts in `data`, and may come from a sub-agent. */
function agentEvents(table: EventTable): EventTable {
  const wrap = (read: EventTable[string]) => (event: Json) => {
    const data = partOf(event.data) ?? {};
    const ofSubAgent = textOf(event.agentId) !== null || textOf(data.parentToolCallId) !== null;
    return ofSubAgent ? read(data).flatMap(ofAgent) : read(data);
  };
  return Object.fromEntries(Object.entries(table).map(([type, read]) => [type, wrap(read)]));
}

/** A sub-agent's text is not the answer, and of its tools only denials count. Its requests are paid; in 1.0.75 its error ends the call. */
function ofAgent(event: EngineEvent): EngineEvent[] {
  if (event.how === 'tool_began' || event.how === 'tool_ended') return [{ ...event, ofAgent: true }];
  return event.how === 'requested' || event.how === 'retrying' || event.how === 'erred' ? [event] : [];
}

const modelOf = (model: unknown): EngineEvent[] =>
  textOf(model) ? [{ how: 'model_named', model: textOf(model)! }] : [];

function readCallFailure(data: Json): EngineEvent[] {
  const failure = failureOf(data, openString(textOf(data.errorMessage) ?? ''));
  const attempt = numberOf(data.retryAttempt) ?? 0;
  return [{ how: isRetried(failure.status) && attempt < RETRIES ? 'retrying' : 'erred', failure }];
}

function readError(data: Json): EngineEvent[] {
  const message = textOf(data.message) ?? '';
  const failure = failureOf(data, message);
  return [{ how: 'erred', failure, ...(FRAME.test(message) ? { framed: true } : {}) }];
}

/** It names no refused key, closed account or unsupported region, which the call's own failure reports. */
const FRAME = /^Authentication failed with provider at /;

/** The CLI's own number of retries. It waits at least half a second before each, so the failure is enough of an announcement. */
const RETRIES = 5;
/** Measured: these, every 5xx, and every failure without a status. Not 400, 402, 403, 404, 405, 407, 413, 422 and 451. */
const RETRIED: ReadonlySet<number> = new Set([401, 408, 409, 425, 429]);
const isRetried = (status: number | undefined) => status === undefined || status >= 500 || RETRIED.has(status);

function failureOf(data: Json, message: string): EngineFailure {
  const status = numberOf(data.statusCode);
  // The CLI uses `query` for every type without a better name.
  const type = data.errorType === 'query' ? null : textOf(data.errorType);
  const code = textOf(data.errorCode);
  return readFailure(message, {
    ...(status === null ? {} : { status }),
    ...(type === null ? {} : { type }),
    ...(code === null ? {} : { code }),
  });
}

/** A service's text that is not JSON arrives as a JSON string. */
function openString(message: string): string {
  if (!message.startsWith('"')) return message;
  try {
    return String(JSON.parse(message));
  } catch {
    return message;
  }
}

function readMessage({ messageId, model, content }: Json): EngineEvent[] {
  const text = textOf(content) ?? '';
  const named = modelOf(model);
  // The CLI writes this instead of the model, and then reports success.
  if (FILTERED.test(text)) return [...named, { how: 'stopped', failure: { message: text, code: 'content_filter' } }];
  return [...named, { how: 'said', text, whole: true, message: textOf(messageId) }];
}

const FILTERED = /^The model returned no content because the response was blocked by content filtering\.$/;

/** Reported only in the session's file, from 1.0.102 on. */
const CUT_SHORT: Readonly<Record<string, string>> = {
  length: 'the limit of an answer was reached',
  max_tokens: 'the limit of an answer was reached',
  content_filter: 'a filter of the service stopped it',
  refusal: 'the model stopped for safety',
};

/** Its session counts each request, but only after it has sent the next one. */
export const USAGE_LOG: UsageLog = {
  endsMessages: true,
  createReader: (since) => (line) => {
    if (!line.includes('"session.usage_record"')) return [];
    const { id, type, timestamp, data } = parseObject(line) ?? {};
    const usage = partOf(partOf(data)?.usage);
    const request = textOf(id);
    if (type !== 'session.usage_record' || usage === null || request === null) return [];
    if (!(Date.parse(textOf(timestamp) ?? '') >= since.getTime())) return [];
    const used = {
      model: textOf(usage.model),
      input_tokens: numberOf(usage.inputTokens) ?? 0,
      cached_tokens: numberOf(usage.cacheReadTokens) ?? 0,
      output_tokens: numberOf(usage.outputTokens) ?? 0,
    };
    const reason = textOf(usage.finishReason);
    // Not of a sub-agent, nor of a summary of the session.
    if (reason === null || usage.interactionType !== 'conversation-agent') return [{ how: 'spent', request, used }];
    const why = CUT_SHORT[reason];
    const cut = why === undefined ? null : `${why} (finish reason ${reason})`;
    return [
      { how: 'spent', request, used },
      { how: 'message_ended', cut },
    ];
  },
};
