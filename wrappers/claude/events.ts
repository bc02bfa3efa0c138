// Reads claude's event stream (`--output-format stream-json`), and its debug log, which alone reports ignored settings.

import type { EngineEvent, EngineFailure, ReportedUsage } from '../../policies/facts/engine-event.ts';
import { readFailure } from '../../policies/facts/engine-failure.ts';
import { byHook, goneIn, serverState } from '../../policies/facts/requirements.ts';
import { type Json, listOf, numberOf, partOf, textOf } from '../../policies/text/json.ts';
import { incomplete } from '../capture.ts';
import { type EventTable, readLine, subjectIn } from '../event-table.ts';
import { stoppedCommit } from '../own-flags.ts';

export const readEvent = (line: string): EngineEvent[] => readLine(line, READ);

export const READ: EventTable = {
  system: (event) => {
    const subtype = textOf(event.subtype) ?? '';
    return Object.hasOwn(SYSTEM, subtype) ? SYSTEM[subtype]!(event) : [];
  },
  assistant: (event) => (isSubAgents(event) ? [] : readMessage(event)),
  user: (event) => (isSubAgents(event) ? [] : readResults(event)),
  // Without the text of the answer, whose whole messages follow. A sub-agent's requests are paid too.
  stream_event: ({ event, api_message_id }) => readSpent(partOf(event), textOf(api_message_id)),
  rate_limit_event: ({ rate_limit_info }) => readLimit(partOf(rate_limit_info)),
  result: readResult,
};

/** A sub-agent's text is not the answer, and its tools are not the agent's. */
const isSubAgents = ({ parent_tool_use_id, agent_id }: Json): boolean =>
  textOf(parent_tool_use_id) !== null || textOf(agent_id) !== null;

function readSpent(event: Json | null, messageId: string | null): EngineEvent[] {
  const message = partOf(event?.message);
  const request = messageId ?? textOf(message?.id);
  const usage = partOf(event?.type === 'message_start' ? message?.usage : event?.usage);
  if (request === null || usage === null) return [];
  const count = (...names: string[]) => sumOf(usage, names);
  const output_tokens = count('output_tokens');
  if (event?.type !== 'message_start') return [{ how: 'spent', request, used: { output_tokens } }];
  const cached_tokens = count('cache_read_input_tokens');
  const input_tokens = cached_tokens + count('input_tokens', 'cache_creation_input_tokens');
  const used = { model: textOf(message?.model), input_tokens, cached_tokens, output_tokens };
  return [{ how: 'spent', request, used }];
}

const SYSTEM: EventTable = {
  init: ({ session_id, model, mcp_servers }) => [
    ...(textOf(session_id) ? [{ how: 'session_named' as const, id: textOf(session_id)! }] : []),
    ...(textOf(model) ? [{ how: 'model_named' as const, model: textOf(model)! }] : []),
    ...(Array.isArray(mcp_servers) ? [...mcp_servers.flatMap(readServer), { how: 'servers_listed' as const }] : []),
  ],
  permission_denied: ({ tool_name, tool_use_id, decision_reason_type, decision_reason }) => {
    const by = decision_reason_type === 'hook' ? byHook(textOf(decision_reason) ?? 'no reason given') : {};
    return [{ how: 'tool_denied', id: textOf(tool_use_id) ?? '', name: textOf(tool_name), ...by }];
  },
  session_writes_lost: ({ error_code, lost }) => [
    {
      how: 'warned',
      message: `its session was not saved whole (${textOf(error_code) ?? 'no code'}): ${listOf(lost).join(', ')}`,
    },
  ],
  // Reported before each request. Of those that it repeats at once, after a 400, only the first is reported.
  status: ({ status }) => (status === 'requesting' ? [{ how: 'turn_began' }, { how: 'requested' }] : []),
  api_retry: ({ error, error_status }) => {
    const status = numberOf(error_status);
    const code = textOf(error) ?? 'unknown';
    return [{ how: 'retrying', failure: { message: code, code, ...(status === null ? {} : { status }) } }];
  },
  // Another model answered than the one that `init` names.
  model_fallback: ({ original_model, fallback_model, trigger }) => {
    const [asked, used] = [textOf(original_model), textOf(fallback_model)];
    if (used === null) return [];
    const why = textOf(trigger) === null ? '' : ` (${textOf(trigger)})`;
    return [
      { how: 'model_named', model: used },
      { how: 'warned', message: `the model ${used} answered instead of ${asked ?? 'the requested one'}${why}` },
    ];
  },
  hook_response: readHook,
  notification: ({ key, text }) =>
    /\bhook\b/.test(textOf(key) ?? '')
      ? [
          {
            how: 'warned',
            message: textOf(text) ?? '',
            ...(key === 'stop-hook-error' ? { unless: failedHook('Stop') } : {}),
          },
        ]
      : [],
  // A hook blocked the prompt; the CLI reports that as a success.
  informational: ({ content, level, prevent_continuation, tag }) => {
    const message = textOf(content) ?? '';
    if (prevent_continuation === true) return [{ how: 'stopped', failure: { message, code: 'hook_stopped' } }];
    const unless = tag === 'hook_no_verdict' ? { unless: failedHook('PreToolUse') } : {};
    return level === 'warning' ? [{ how: 'warned', message, ...unless }] : [];
  },
};

/** Reads a line of the debug log, the only place that reports these. */
export function readLog(line: string): EngineEvent[] {
  if (!line.includes(' [ERROR] ')) return [];
  const setting = /Invalid setting skipped without dialog \(automated session\): (.{1,1000})/.exec(line)?.[1];
  if (setting !== undefined)
    return [
      { how: 'warned', message: `an invalid setting, which may cost its whole file with the deny rules: ${setting}` },
    ];
  const [, server, failure] = /MCP server "([^"\n]{1,200})" Failed to fetch tools: (.{1,300})/.exec(line) ?? [];
  if (server !== undefined)
    return [{ how: 'server', name: server, state: 'failed', why: `it listed no tools: ${failure}`, final: true }];
  const [, file, errors] = /MCP config errors for (.{1,500}?): (\[.{1,500})/.exec(line) ?? [];
  // Its files show that one is not JSON; and a file without servers lacks none.
  if (file === undefined || /valid JSON|received undefined/.test(errors!)) return [];
  return [{ how: 'warned', message: `the MCP servers of ${file} did not start: ${errors}` }];
}

const failedHook = (name: string): string => `the hook ${name}`;

/** The end of a hook. A hook that asks a model has no such event, only a note about its failure. */
function readHook({ hook_name, hook_event, outcome, exit_code, stderr }: Json): EngineEvent[] {
  if (outcome !== 'error' && outcome !== 'cancelled') return [];
  // A hook blocks by this exit code. At the start of a session there is nothing to block.
  if (exit_code === 2 && hook_event !== 'SessionStart') return [];
  const said = outcome === 'cancelled' ? 'it did not finish' : (textOf(stderr) ?? '').replace(/\s+/g, ' ').trim();
  const why = said === '' ? `exit code ${numberOf(exit_code) ?? 'unknown'}` : said.slice(0, 300);
  return [{ how: 'warned', message: `${failedHook(textOf(hook_name) ?? 'without a name')} failed: ${why}` }];
}

function readServer(value: unknown): EngineEvent[] {
  const { name, status, error } = partOf(value) ?? {};
  if (textOf(name) === null) return [];
  const why = textOf(error);
  return [{ how: 'server', name: textOf(name), state: serverState(textOf(status)), ...(why === null ? {} : { why }) }];
}

function readMessage(event: Json): EngineEvent[] {
  const message = partOf(event.message);
  const parts = listOf(message?.content).map(partOf);
  if (message?.model === SYNTHETIC) {
    const text = parts.map((part) => textOf(part?.text) ?? '').join('');
    return event.is_api_error_message === true ? [{ how: 'erred', failure: failureOf(text, event) }] : [];
  }
  const id = textOf(message?.id);
  return parts.flatMap((part): EngineEvent[] => {
    if (part?.type === 'text') return [{ how: 'said', text: textOf(part.text) ?? '', whole: true, message: id }];
    if (part?.type !== 'tool_use') return [];
    const name = textOf(part.name) ?? 'unknown';
    const server = SERVER_OF_TOOL.exec(name)?.[1];
    return [
      {
        how: 'tool_began',
        id: textOf(part.id) ?? '',
        name,
        ...(server === undefined ? {} : { server }),
        ...ruleOf(name, part.input),
        ...subjectIn(part.input),
      },
    ];
  });
}

/** The server's part of `mcp__server__tool`. */
const SERVER_OF_TOOL = /^mcp__(.+?)__/;

/** The permission that allows only this use. Without one, the tool's name allows all of its uses. */
function ruleOf(name: string, input: unknown): { rule?: string } {
  const { command, url } = partOf(input) ?? {};
  const said = textOf(command);
  if (name === 'Bash' && said !== null && PLAIN_COMMAND.test(said)) return { rule: `Bash(${said})` };
  const host = name === 'WebFetch' ? HOST.exec(textOf(url) ?? '')?.[1] : undefined;
  return host === undefined ? {} : { rule: `WebFetch(domain:${host})` };
}

/** One command without any characters that the CLI would parse as part of a rule. */
const PLAIN_COMMAND = /^[\w./=@:+-][\w./=@:+ -]{0,119}$/;
const HOST = /^https?:\/\/([\w.-]{1,200})/;

/** Written by the CLI, not by the model. */
const SYNTHETIC = '<synthetic>';

function readResults(event: Json): EngineEvent[] {
  const content = partOf(event.message)?.content;
  const metas = new Map(listOf(event.tool_result_meta).map((meta) => [textOf(partOf(meta)?.id), partOf(meta)]));
  const ended = listOf(content)
    .map(partOf)
    .filter((part) => part?.type === 'tool_result')
    .map((part): EngineEvent => {
      const id = textOf(part?.tool_use_id) ?? '';
      const denied = partOf(metas.get(id)?.permission_decision)?.decision === 'reject';
      return {
        how: 'tool_ended',
        id,
        name: null,
        denied,
        ...goneIn(part?.is_error === true ? textIn(part.content) : null),
        ...stoppedCommit(textIn(part?.content)),
      };
    });
  if (event.isSynthetic !== true) return [...hookBlocks(content), ...ended];
  const text = textIn(content);
  return AGAIN.test(text) ? [...ended, { how: 'retrying', failure: { message: text }, keeps: true }] : ended;
}

const textIn = (content: unknown): string =>
  textOf(content) ??
  listOf(content)
    .map((part) => textOf(partOf(part)?.text) ?? '')
    .join('');

const hookBlocks = (content: unknown): EngineEvent[] =>
  listOf(content)
    .map(partOf)
    .flatMap((part) => {
      const [, name, said] = HOOK_BLOCKED.exec(textIn(part?.content)) ?? [];
      if (name === undefined) return [];
      return [{ how: 'tool_denied', id: textOf(part?.tool_use_id) ?? '', name, ...byHook(said!) }];
    });
const HOOK_BLOCKED = /^PreToolUse:([\w.-]{1,120}) hook (?:blocking )?error: (?:\[[^\]\n]{0,300}\]: )?([\s\S]{1,300})/;

/** The CLI prompts the model to continue if an answer was cut, refused or invisible. A hook's message is not a retry. */
const AGAIN =
  /^\[?(?:Output token limit hit|Your response (?:above )?was (?:cut off|stopped by)|Your previous response (?:had no|reached the)|The previous response failed to produce|Your tool call was malformed|structured-output-enforce)/;

/** The only report of the time at which a limit ends. */
function readLimit(info: Json | null): EngineEvent[] {
  if (info?.status !== 'rejected') return [];
  const message = `${textOf(info.rateLimitType) ?? 'rate'} limit: rejected`;
  return [{ how: 'erred', failure: { message, status: 429, details: JSON.stringify(info) } }];
}

function readResult(event: Json): EngineEvent[] {
  const isFirst = (numberOf(event.result_index) ?? 0) === 0;
  const counted: EngineEvent = { how: 'counted', usage: usageOf(event), ...(isFirst ? {} : { adds: true }) };
  const said = textOf(event.result) ?? listOf(event.errors).join('\n');
  const denials = listOf(event.permission_denials).flatMap(readDenial);
  const ended = textOf(event.terminal_reason) ?? '';
  if (ended.startsWith('aborted_'))
    return [counted, ...denials, { how: 'failed', failure: { message: `the turn was aborted (${ended})` } }];
  // The cap in dollars was reached with the answer complete.
  if (event.subtype === 'error_max_budget_usd' && event.stop_reason === 'end_turn')
    return [counted, ...denials, { how: 'warned', message: said }, { how: 'completed' }];
  // `subtype` is "success" for a failed request too.
  if (event.is_error === true) return [counted, ...denials, { how: 'failed', failure: failureOf(said, event) }];
  if (event.terminal_reason !== 'hook_stopped')
    return [counted, ...denials, ...lacks(event), ...structured(event), { how: 'completed' }];
  const failure = { message: 'a hook stopped the run', code: 'hook_stopped' };
  return [counted, ...denials, { how: 'stopped', failure }, { how: 'completed' }];
}

/** What a success lacks: the rest of its answer, or the work of its sub-agents. */
function lacks({ stop_reason, structured_output, subagent_stats }: Json): EngineEvent[] {
  const why = structured_output === undefined ? CUT_SHORT[textOf(stop_reason) ?? ''] : undefined;
  const stats = partOf(subagent_stats);
  const count = (name: string) => numberOf(stats?.[name]) ?? 0;
  const killed = Object.values(partOf(stats?.killed) ?? {}).reduce((sum: number, n) => sum + (numberOf(n) ?? 0), 0);
  const unfinished = count('spawned') - count('completed') - count('failed') - killed;
  const warned = (message: string): EngineEvent => ({ how: 'warned', message });
  return [
    ...(why === undefined ? [] : [warned(incomplete(`${why} (stop_reason ${textOf(stop_reason)})`))]),
    ...(unfinished > 0 ? [warned(`sub-agents that had not finished at the end of the run: ${unfinished}`)] : []),
    ...(count('failed') + killed > 0
      ? [warned(`sub-agents that failed or were ended: ${count('failed') + killed}`)]
      : []),
  ];
}

const CUT_SHORT: Readonly<Record<string, string>> = {
  tool_use: 'the run ended at a tool call',
  max_tokens: 'the limit of an answer was reached',
  model_context_window_exceeded: 'the context window was full',
  pause_turn: 'the model paused its turn',
  refusal: 'the model stopped for safety',
};

/** The only report of a denial in older versions. */
function readDenial(value: unknown): EngineEvent[] {
  const { tool_name, tool_use_id, tool_input } = partOf(value) ?? {};
  const name = textOf(tool_name);
  if (name === null) return [];
  return [{ how: 'tool_denied', id: textOf(tool_use_id) ?? '', name, ...ruleOf(name, tool_input) }];
}

/** In a call with a schema it is the answer, which was reported as a tool's input. */
function structured({ structured_output }: Json): EngineEvent[] {
  if (structured_output === undefined) return [];
  return [{ how: 'said', text: JSON.stringify(structured_output), whole: true, message: null }];
}

function failureOf(text: string, event: Json): EngineFailure {
  const status = numberOf(event.api_error_status);
  const subtype = event.subtype === 'success' ? null : textOf(event.subtype);
  const code = textOf(event.api_error) ?? textOf(event.startup_failure_reason) ?? subtype;
  const type = textOf(event.api_error_type) ?? textOf(event.error);
  return readFailure(text, {
    ...(status === null ? {} : { status }),
    ...(code === null || UNTELLING.has(code) ? {} : { code }),
    ...(type === null || UNTELLING.has(type) ? {} : { type }),
  });
}

/** Used for too many failures; the message has the system's code. */
const UNTELLING: ReadonlySet<string> = new Set([
  'connection_failed',
  'error_during_execution',
  'unknown',
  'invalid_request',
]);

const sumOf = (counts: Json | null, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (numberOf(counts?.[name]) ?? 0), 0);

/** Without a model's name, the counts of the agent's own requests. Those of a failed request are zero, so they are unknown. */
function mainUsageOf({ usage, total_cost_usd }: Json): ReportedUsage {
  const counts = partOf(usage);
  const cached_tokens = sumOf(counts, ['cache_read_input_tokens']);
  const input_tokens = cached_tokens + sumOf(counts, ['input_tokens', 'cache_creation_input_tokens']);
  const output_tokens = sumOf(counts, ['output_tokens']);
  const total_tokens = input_tokens + output_tokens;
  return total_tokens === 0
    ? {}
    : { input_tokens, cached_tokens, output_tokens, total_tokens, usd: numberOf(total_cost_usd) };
}

/** @param event A `result`. Each one after the first counts only what was used since the one before. */
function usageOf(event: Json): ReportedUsage {
  // Older versions only sum up all results.
  const models = Object.values(partOf(event.model_usage_since_last_result ?? event.modelUsage) ?? {}).map(partOf);
  if (models.length === 0) return mainUsageOf(event);
  const sum = (...names: string[]) => models.reduce((total, model) => total + sumOf(model, names), 0);
  const input = sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens');
  const output = sum('outputTokens');
  // A model that is not in its list is priced like the most expensive one.
  const isPriced = models.every((model) => model?.costBasis !== 'unknown');
  return {
    input_tokens: input,
    cached_tokens: sum('cacheReadInputTokens'),
    output_tokens: output,
    total_tokens: input + output,
    usd: isPriced ? sum('costUSD') : null,
  };
}
