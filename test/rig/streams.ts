// Writes the smallest event streams of the CLIs, for a fake to print; recorded ones are in test/captures.

import type { BuiltIn } from '../../policies/facts/tools.ts';

/** Each fact of a call as lines of the tool's own stream. */
export interface Stream {
  opens: (session: string) => string[];
  says: (text: string) => string[];
  runsTool: (output: string) => string[];
  /** The model call failed and the CLI is about to repeat it. */
  retries: (message: string, status: number) => string[];
  succeeds: (session: string) => string[];
  fails: (message: string, status: number, session: string) => string[];
}

export const SESSION = '00000000-0000-4000-8000-000000000001';

/** The commands of a fake that carries out one whole successful call. */
export function answerWith(tool: BuiltIn, text: string, session = SESSION) {
  const { opens, says, succeeds } = STREAMS[tool];
  return [write([...opens(session), ...says(text), ...succeeds(session)]), { do: 'exit', code: 0 } as const];
}

/** The commands of a fake whose model call is rejected for good. */
export function failWith(tool: BuiltIn, message: string, status: number, session = SESSION) {
  const { opens, fails } = STREAMS[tool];
  const code = tool === 'gemini' ? status & 255 : 1;
  return [write([...opens(session), ...fails(message, status, session)]), { do: 'exit', code } as const];
}

/** Lines of an event stream as a command for a fake. */
export const write = (lines: string[]) => ({ do: 'write', to: 'stdout', text: `${lines.join('\n')}\n` }) as const;

const AT = '2026-01-01T00:00:00.000Z';
const line = (fact: object) => JSON.stringify(fact);
const gemini = (type: string, fact: object) => line({ type, timestamp: AT, ...fact });
const copilot = (type: string, data: object) => line({ type, data, id: SESSION, timestamp: AT, parentId: null });
const GEMINI_STATS = {
  total_tokens: 18,
  input_tokens: 11,
  output_tokens: 7,
  cached: 0,
  input: 11,
  duration_ms: 1,
  tool_calls: 0,
  models: {},
};
const CLAUDE_USAGE = { m: { inputTokens: 11, outputTokens: 7, cacheReadInputTokens: 0, costUSD: 0.0002 } };
const claude = (type: string, fact: object) => line({ type, ...fact, parent_tool_use_id: null, timestamp: AT });
const claudeSaid = (content: object) =>
  claude('assistant', { message: { id: 'msg_1', role: 'assistant', model: 'm', content: [content] } });
const claudeResult = (session_id: string, fact: object) =>
  line({
    type: 'result',
    subtype: 'success',
    session_id,
    terminal_reason: 'completed',
    result_index: 0,
    ...fact,
    model_usage_since_last_result: CLAUDE_USAGE,
  });
const copilotResult = (sessionId: string, exitCode: number) =>
  line({
    type: 'result',
    timestamp: AT,
    sessionId,
    exitCode,
    usage: { premiumRequests: 0, totalApiDurationMs: 1, sessionDurationMs: 1 },
  });

export const STREAMS = {
  gemini: {
    opens: (session_id) => [
      gemini('init', { session_id, model: 'test-model' }),
      gemini('message', { role: 'user', content: 'the prompt' }),
    ],
    says: (content) => [gemini('message', { role: 'assistant', content, delta: true })],
    runsTool: (output) => [
      gemini('tool_use', {
        tool_name: 'run_shell_command',
        tool_id: 'run_shell_command_1',
        parameters: { command: 'true' },
      }),
      gemini('tool_result', { tool_id: 'run_shell_command_1', status: 'success', output }),
    ],
    // In JSON modes gemini reports its retries only on stderr.
    retries: () => [],
    succeeds: () => [gemini('result', { status: 'success', stats: GEMINI_STATS })],
    fails: (message, status) => [
      gemini('result', { status: 'error', error: { type: 'Error', message, code: status }, stats: GEMINI_STATS }),
    ],
  },
  codex: {
    opens: (thread_id) => [line({ type: 'thread.started', thread_id }), line({ type: 'turn.started' })],
    says: (text) => [line({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } })],
    runsTool: (aggregated_output) => [
      line({
        type: 'item.completed',
        item: {
          id: 'item_1',
          type: 'command_execution',
          command: 'true',
          aggregated_output,
          exit_code: 0,
          status: 'completed',
        },
      }),
    ],
    retries: (message) => [line({ type: 'error', message: `Reconnecting... 1/5 (${message})` })],
    succeeds: () => [
      line({ type: 'turn.completed', usage: { input_tokens: 11, cached_input_tokens: 0, output_tokens: 7 } }),
    ],
    fails: (message) => [line({ type: 'error', message }), line({ type: 'turn.failed', error: { message } })],
  },
  copilot: {
    opens: () => [copilot('assistant.turn_start', { turnId: '0' })],
    says: (content) => [copilot('assistant.message', { messageId: SESSION, content, toolRequests: [] })],
    runsTool: (content) => [
      copilot('tool.execution_start', { toolCallId: 'call_1', toolName: 'bash', arguments: { command: 'true' } }),
      copilot('tool.execution_complete', { toolCallId: 'call_1', success: true, result: { content } }),
    ],
    retries: (message, statusCode) => [
      copilot('model.call_failure', { statusCode, retryAttempt: 0, failureKind: 'api', errorMessage: message }),
      copilot('assistant.turn_retry', { reason: 'transient_api_error' }),
    ],
    succeeds: (session) => [copilotResult(session, 0)],
    fails: (message, statusCode, session) => [
      copilot('session.error', { errorType: 'query', message, statusCode }),
      copilotResult(session, 1),
    ],
  },
  claude: {
    opens: (session_id) => [
      claude('system', { subtype: 'init', session_id, model: 'm' }),
      claude('system', { subtype: 'status', status: 'requesting' }),
    ],
    says: (text) => [claudeSaid({ type: 'text', text })],
    runsTool: (content) => [
      claudeSaid({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'true' } }),
      claude('user', {
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
      }),
    ],
    retries: (_message, error_status) => [
      claude('system', { subtype: 'api_retry', attempt: 1, error_status, error: 'overloaded' }),
    ],
    succeeds: (session) => [claudeResult(session, { is_error: false, result: '' })],
    fails: (message, api_error_status, session) => [
      claudeResult(session, { is_error: true, result: message, api_error_status, terminal_reason: 'api_error' }),
    ],
  },
} as const satisfies Record<BuiltIn, Stream>;
