// Reads codex's event stream (`exec --json`), and the failures on its stderr.

import type { EngineEvent, ReportedUsage } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import { byHook, goneIn } from '../../policies/facts/requirements.ts';
import { type Json, listOf, numberOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { type EventTable, readLine, subjectIn } from '../event-table.ts';
import type { UsageLog } from '../following/usage-log.ts';
import { stoppedCommit } from '../own-flags.ts';

export const readEvent = (line: string): EngineEvent[] => readLine(line, READ);

export const READ: EventTable = {
  'thread.started': ({ thread_id }) => (textOf(thread_id) ? [{ how: 'session_named', id: textOf(thread_id)! }] : []),
  'turn.started': () => [{ how: 'turn_began' }],
  'item.started': ({ item }) => readStarted(partOf(item)),
  'item.completed': ({ item }) => readCompleted(partOf(item)),
  'turn.completed': ({ usage }) => {
    const counts = usageOf(partOf(usage));
    const unasked: EngineEvent[] = counts.total_tokens === 0 ? [{ how: 'stopped', ...UNASKED }] : [];
    return [{ how: 'counted', usage: counts }, ...unasked, { how: 'completed', endsTools: true }];
  },
  error: ({ message }) => [readError(textOf(message) ?? '')],
  'turn.failed': ({ error }) => [{ how: 'failed', failure: readFailure(textOf(partOf(error)?.message) ?? '') }],
};

/** The stream does not report a hook that blocks the prompt. */
const UNASKED = {
  failure: {
    message: 'the turn ended without a request to the model: a hook blocked the prompt',
    code: 'hook_stopped',
  },
  unless: 'answered',
} as const;

function readStarted(item: Json | null): EngineEvent[] {
  if (item === null || NO_TOOLS.has(textOf(item.type) ?? '')) return [];
  const server = textOf(item.server);
  return [
    {
      how: 'tool_began',
      id: textOf(item.id) ?? '',
      name: nameOf(item),
      ...(server === null ? {} : { server }),
      ...subjectIn(item),
    },
  ];
}

/** A todo list ends with the turn, after the answer. */
const NO_TOOLS: ReadonlySet<string> = new Set(['', 'agent_message', 'reasoning', 'error', 'todo_list']);

function nameOf(item: Json): string {
  const names = [textOf(item.server), textOf(item.tool)].filter((name) => name !== null);
  return names.length > 0 ? names.join('.') : textOf(item.type)!;
}

function readCompleted(item: Json | null): EngineEvent[] {
  const id = textOf(item?.id) ?? '';
  if (item?.type === 'agent_message') return [{ how: 'said', text: textOf(item.text) ?? '', whole: true, message: id }];
  // Also used for mere warnings, such as a model without metadata.
  if (item?.type === 'error') return [{ how: 'warned', message: textOf(item.message) ?? '' }];
  if (item === null || NO_TOOLS.has(textOf(item.type) ?? '')) return [];
  // A command that still runs in the background is closed with the turn, after the answer, and has no result.
  if (item.type === 'command_execution' && item.exit_code === null && item.status === 'completed') return [];
  const error = textOf(partOf(item.error)?.message) ?? textOf(item.error);
  return [
    ...subAgentsIn(item),
    {
      how: 'tool_ended',
      id,
      name: nameOf(item),
      denied: item.status === 'declined' || isStoppedBySandbox(item) || NEEDS_APPROVAL.test(error ?? ''),
      ...goneIn(error),
      ...(item.type === 'command_execution' ? stoppedCommit(textOf(item.aggregated_output)) : {}),
    },
  ];
}

/** Each use of the tools for sub-agents tells the state of those that it is about. */
function subAgentsIn({ type, agents_states: states }: Json): EngineEvent[] {
  if (type !== 'collab_tool_call') return [];
  return Object.entries(partOf(states) ?? {}).map(([id, agent]) => {
    const status = textOf(partOf(agent)?.status) ?? '';
    const state = WORKING.has(status) ? 'working' : FAILED.has(status) ? 'failed' : 'done';
    return { how: 'sub_agent', id, state };
  });
}

const WORKING: ReadonlySet<string> = new Set(['pending_init', 'running']);
const FAILED: ReadonlySet<string> = new Set(['errored', 'interrupted']);

/** The sandbox lets a command run, and the system refuses the forbidden operations. */
const isStoppedBySandbox = ({ type, exit_code, aggregated_output }: Json): boolean =>
  type === 'command_execution' &&
  exit_code !== 0 &&
  exit_code !== null &&
  /: (?:Read-only file system|Operation not permitted)(?: \(os error \d+\))?$/m.test(textOf(aggregated_output) ?? '');

/** An MCP tool that changes something. */
const NEEDS_APPROVAL = /^MCP tool call requires approval, but approval policy is never/;

const VIOLATION = 'codex_sandboxing::violation: recorded sandbox violation';

/** Reported at the level `warn`, which the overlay enables. */
const STARTUP_FAILED = /\bMCP server startup failed server_name="([^"]{1,200})" error=(.*)/;

export function readStderr(line: string): EngineEvent[] {
  if (line.includes(VIOLATION)) return [{ how: 'tool_denied', id: '', name: COMMAND }];
  const at = line.indexOf(REFUSED);
  if (at >= 0) return readRefusal(line.slice(at + REFUSED.length));
  const skill = SKILL_FAILED.exec(line)?.[1];
  if (skill !== undefined) return [{ how: 'warned', message: `a skill was not loaded: ${skill}` }];
  if (line.startsWith(UNTRUSTED)) return [{ how: 'warned', message: NOT_USED }];
  if (!line.includes('MCP')) return [];
  const [, name, why] = STARTUP_FAILED.exec(line) ?? [];
  return name === undefined ? [] : [{ how: 'server', name, state: 'failed', ...(why ? { why } : {}) }];
}

const SKILL_FAILED = /\bERROR codex_core::session::session: failed to load skill (.{1,500})/;

const UNTRUSTED = 'warning: Untrusted project-local configuration is disabled.';
const NOT_USED =
  'the configuration of this project (.codex) is not used, since its folder is not trusted; if you trust it, add --trust-workspace';

/** What codex refuses before it begins is in no event. */
const REFUSED = 'codex_core::tools::router: error=';

function readRefusal(said: string): EngineEvent[] {
  const denied = (name: string, by: { by?: string } = {}): EngineEvent[] => [
    { how: 'tool_denied', id: '', name, ...by },
  ];
  // A reason of several lines leaves the tool's name to a later line.
  const [hook, what, reason, tool] = HOOK_BLOCKED.exec(said) ?? [];
  if (hook !== undefined) return denied(what === 'Command' ? COMMAND : (tool ?? 'unknown'), byHook(reason!));
  if (said.startsWith('patch rejected: ')) return denied('file_change');
  if (/^approval policy is \w+; reject command/.test(said)) return denied(COMMAND);
  const rejected = /\bRejected\(\\?"(.*?)\\?"\)/.exec(said)?.[1];
  if (rejected === undefined) return [];
  const rule = /\b(?:policy forbids|approval required by policy)\b.*/.exec(rejected)?.[0];
  return denied(COMMAND, rule === undefined ? {} : { by: `a rule of codex: ${rule}` });
}

const HOOK_BLOCKED = /^(Command|Tool call) blocked by PreToolUse hook: (.*?)(?:\. (?:Command|Tool): (.*))?$/;

export const COMMAND = 'command_execution';

function readError(message: string): EngineEvent {
  const announced = RECONNECTING.exec(message) ?? RETRYING.exec(message);
  if (announced) return { how: 'retrying', failure: readFailure(announced[1] || message) };
  return { how: 'erred', failure: readFailure(message) };
}

const RECONNECTING = /^Reconnecting\.\.\.(?: \d+\/\d+| waiting for network)?(?: \(([\s\S]*)\))?$/;
/** The wording of older versions. */
const RETRYING = /^(?:stream error: )?([\s\S]*?); retrying \d+\/\d+ in /;

/** codex counts over the whole session, so after a resume these include earlier calls. */
function usageOf(usage: Json | null): ReportedUsage {
  const input = numberOf(usage?.input_tokens);
  const output = numberOf(usage?.output_tokens);
  return {
    input_tokens: input,
    cached_tokens: numberOf(usage?.cached_input_tokens),
    output_tokens: output,
    total_tokens: input === null || output === null ? null : input + output,
  };
}

/** Each request counts when its answer is complete; in older versions after its tools, as `token_count`. */
export const USAGE_LOG: UsageLog = {
  createAgentReader: (since, id) => (line) => {
    if (!/token_usage_record|task_complete|CollabAgentToolCall/.test(line)) return [];
    const { timestamp, type, payload } = parseObject(line) ?? {};
    const fields = partOf(payload);
    if (fields === null || !(Date.parse(textOf(timestamp) ?? '') >= since.getTime())) return [];
    const item = partOf(fields.item);
    // It has sub-agents of its own, which the event stream does not name. Its session may begin with a copy of the call's.
    if (item?.type === 'CollabAgentToolCall')
      return listOf(item.receiver_thread_ids).flatMap((nested) =>
        textOf(nested) === null || nested === id
          ? []
          : [{ how: 'sub_agent' as const, id: textOf(nested)!, state: 'working' as const, unlessKnown: true as const }],
      );
    if (type === 'token_usage_record') return spentIn(textOf(fields.response_id), partOf(fields.usage));
    const state = fields.error === undefined || fields.error === null ? 'done' : 'failed';
    return fields.type === 'task_complete' ? [{ how: 'sub_agent', id, state }] : [];
  },
  createReader: (since) => {
    let hasRecords = false;
    return (line) => {
      if (!line.includes('token_usage')) return [];
      const { timestamp, type, payload } = parseObject(line) ?? {};
      const fields = partOf(payload);
      if (fields === null || !(Date.parse(textOf(timestamp) ?? '') >= since.getTime())) return [];
      hasRecords ||= type === 'token_usage_record';
      if (type === 'token_usage_record') return spentIn(textOf(fields.response_id), partOf(fields.usage));
      if (hasRecords || fields.type !== 'token_count') return [];
      const info = partOf(fields.info);
      const total = numberOf(partOf(info?.total_token_usage)?.total_tokens);
      // A repeated count has the same total.
      return spentIn(total === null ? null : `total ${total}`, partOf(info?.last_token_usage));
    };
  },
};

function spentIn(request: string | null, usage: Json | null): EngineEvent[] {
  if (request === null || usage === null) return [];
  const { input_tokens, cached_tokens, output_tokens } = usageOf(usage);
  const used = {
    input_tokens: input_tokens ?? 0,
    cached_tokens: cached_tokens ?? 0,
    output_tokens: output_tokens ?? 0,
  };
  return [{ how: 'spent', request, used }];
}
