// Defines a span of a trace: its ids, and a call's attributes by OpenTelemetry's conventions (only here are their names used).

import { createHash } from 'node:crypto';
import {
  ATTR_ERROR_TYPE,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_AGENT_VERSION,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_WORKFLOW_NAME,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_WORKFLOW,
  GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
  GEN_AI_PROVIDER_NAME_VALUE_OPENAI,
} from '@opentelemetry/semantic-conventions/incubating';
import { type BuiltIn, rowOf, type Tool } from '../facts/tools.ts';
import type { CallRecord } from './call-record.ts';

export type TraceValue = string | number | boolean | readonly string[];

interface SpanEvent {
  name: string;
  /** ISO time. */
  at: string;
  attributes: Record<string, TraceValue>;
}

export interface TraceSpan {
  trace_id: string;
  span_id: string;
  /** null for the first span of a trace. */
  parent_id: string | null;
  name: string;
  /** `client`: another program was called. */
  kind: 'internal' | 'client';
  started_at: string;
  ended_at: string;
  attributes: Record<string, TraceValue>;
  events: SpanEvent[];
  /** Class and reason of the failure. */
  error: string | null;
}

/** The ids come from those of runs and calls, so that a receiver recognises a repetition. */
const hashOf = (words: readonly string[]): string => createHash('sha256').update(words.join('\0')).digest('hex');

/** @param root the id of a run, or of a call outside a run. */
export const traceIdOf = (root: string): string => hashOf(['trace', root]).slice(0, 32);

export const spanIdOf = (...words: string[]): string => hashOf(['span', ...words]).slice(0, 16);

const PROVIDERS = {
  gemini: GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
  copilot: 'github.copilot',
  codex: GEN_AI_PROVIDER_NAME_VALUE_OPENAI,
  claude: GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
} as const satisfies Record<BuiltIn, string>;

/** Without unknown values. */
type Attributes = Record<string, TraceValue>;

export interface CallTexts {
  prompt: string | null;
  answer: string | null;
}

/** @param record null if the call wrote none. @param texts null if they must not be sent. */
export function callAttributes(tool: Tool, record: CallRecord | null, texts: CallTexts | null): Attributes {
  const named = {
    [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
    [ATTR_GEN_AI_PROVIDER_NAME]: rowOf(PROVIDERS, tool, tool),
    [ATTR_GEN_AI_AGENT_NAME]: tool,
  };
  const content = {
    [ATTR_GEN_AI_INPUT_MESSAGES]: messageOf('user', texts?.prompt ?? null),
    [ATTR_GEN_AI_OUTPUT_MESSAGES]: messageOf('assistant', texts?.answer ?? null),
  };
  if (record === null) return known({ ...named, ...content });
  const { usage } = record;
  return known({
    ...named,
    [ATTR_GEN_AI_AGENT_VERSION]: record.cli_version,
    [ATTR_GEN_AI_REQUEST_MODEL]: requestedModel(record.argv) ?? record.model,
    [ATTR_GEN_AI_RESPONSE_MODEL]: record.model,
    [ATTR_GEN_AI_CONVERSATION_ID]: record.session_id,
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: usage.input_tokens,
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: usage.output_tokens,
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: usage.cached_tokens,
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: record.http_status,
    'tollgate.usage.total_tokens': usage.total_tokens,
    'tollgate.usage.usd': usage.usd,
    'tollgate.usage.turns': usage.turns,
    'tollgate.tool_calls': record.tool_calls,
    'tollgate.denied_tools': record.denied_tools.length === 0 ? null : record.denied_tools,
    'tollgate.ending': record.ending,
    'tollgate.signature': record.signature,
    ...content,
  });
}

/** A run of a task: its stages in order. */
export const workflowAttributes = (taskId: string): Attributes => ({
  [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_INVOKE_WORKFLOW,
  [ATTR_GEN_AI_WORKFLOW_NAME]: taskId,
});

export const errorAttributes = (error: string | null): Attributes =>
  error === null ? {} : { [ATTR_ERROR_TYPE]: error };

/** Omits null and absent values. */
export const known = (all: Record<string, TraceValue | null | undefined>): Attributes =>
  Object.fromEntries(Object.entries(all).filter((pair): pair is [string, TraceValue] => (pair[1] ?? null) !== null));

/** The requested model. Each of our CLIs accepts it in one of these forms. */
function requestedModel(argv: readonly string[]): string | null {
  const at = argv.findIndex((word) => word === '--model' || word === '-m');
  const joined = argv.find((word) => word.startsWith('--model='));
  return at === -1 ? (joined?.slice('--model='.length) ?? null) : (argv[at + 1] ?? null);
}

const messageOf = (role: 'user' | 'assistant', content: string | null): string | null =>
  content === null ? null : JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
