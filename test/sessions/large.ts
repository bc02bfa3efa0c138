// Writes session files as large as a conversation ever gets: many turns of real shape, with long outputs of tools.

import { closeSync, openSync, writeSync } from 'node:fs';

export interface Size {
  records: number;
  bytes: number;
}

/** A codex rollout; gives the number of its turns. */
export function writeLargeRollout(file: string, id: string, size: Size): number {
  let ordinal = 0;
  const line = (type: string, payload: object) =>
    `${JSON.stringify({ timestamp: '2026-01-02T03:04:05.678Z', ordinal: ordinal++, type, payload })}\n`;
  const start = line('session_meta', { id, cwd: '/work', cli_version: '0.169.0', history_mode: 'paginated' });
  return fill(file, size, start, (turn, output) => [
    line('event_msg', { type: 'task_started', turn_id: `turn-${turn}` }),
    line('turn_context', { turn_id: `turn-${turn}`, cwd: '/work' }),
    line('response_item', {
      type: 'message',
      id: `msg_${turn}`,
      role: 'user',
      content: [{ type: 'input_text', text: `prompt ${turn}` }],
      internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] },
    }),
    line('response_item', {
      type: 'function_call',
      id: `fc_${turn}`,
      name: 'exec_command',
      arguments: '{}',
      call_id: `call_${turn}`,
    }),
    line('response_item', { type: 'function_call_output', id: `fco_${turn}`, call_id: `call_${turn}`, output }),
    line('event_msg', {
      type: 'token_count',
      info: {
        total_token_usage: { total_tokens: turn * 18 },
        last_token_usage: { input_tokens: 11 + turn, output_tokens: 7 },
      },
    }),
    line('response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `answer ${turn}` }],
    }),
    line('event_msg', { type: 'task_complete', turn_id: `turn-${turn}` }),
  ]);
}

/** copilot's events; gives the number of their turns. */
export function writeLargeEvents(file: string, id: string, size: Size): number {
  const line = (type: string, data: object) =>
    `${JSON.stringify({ type, data, id: 'event', timestamp: '2026-01-02T03:04:05.678Z', parentId: null })}\n`;
  const start = line('session.start', {
    sessionId: id,
    version: 1,
    copilotVersion: '1.0.102',
    context: { cwd: '/work' },
  });
  return fill(file, size, start, (turn, output) => [
    line('user.message', { content: `prompt ${turn}`, transformedContent: `prompt ${turn}` }),
    line('assistant.turn_start', { turnId: '0' }),
    line('session.usage_record', {
      usage: { inputTokens: 11 + turn, outputTokens: 7, interactionType: 'conversation-agent' },
    }),
    line('assistant.message', {
      content: '',
      toolRequests: [{ toolCallId: `call_${turn}`, name: 'bash', arguments: {} }],
    }),
    line('tool.execution_start', { toolCallId: `call_${turn}`, toolName: 'bash' }),
    line('tool.execution_complete', { toolCallId: `call_${turn}`, success: true, result: { content: output } }),
    line('assistant.message', { content: `answer ${turn}`, toolRequests: [] }),
    line('assistant.turn_end', { turnId: '0' }),
  ]);
}

/** claude's transcript; gives the number of its turns. */
export function writeLargeTranscript(file: string, id: string, size: Size): number {
  let parent: string | null = null;
  let last = 0;
  const uuid = () => `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
  const row = (type: string, message: object) => {
    last += 1;
    const head = { parentUuid: parent, isSidechain: false, ...(type === 'user' ? { promptId: 'p' } : {}) };
    parent = uuid();
    const tail = {
      uuid: parent,
      timestamp: '2026-01-02T03:04:05.678Z',
      cwd: '/work',
      sessionId: id,
      version: '2.1.330',
    };
    const what = type === 'user' ? { type, message } : { message, type };
    return `${JSON.stringify({ ...head, ...what, ...tail })}\n`;
  };
  const model = (turn: number, part: object, n: number) => ({
    id: `msg_${turn}_${n}`,
    role: 'assistant',
    model: 'm',
    content: [part],
    usage: { input_tokens: 11 + turn, output_tokens: 7 },
  });
  const start = `${JSON.stringify({ type: 'mode', mode: 'normal', sessionId: id })}\n`;
  return fill(file, size, start, (turn, output) => [
    row('user', { role: 'user', content: `prompt ${turn}` }),
    row('assistant', model(turn, { type: 'tool_use', id: `toolu_${turn}`, name: 'Bash', input: {} }, 1)),
    row('user', {
      role: 'user',
      content: [{ tool_use_id: `toolu_${turn}`, type: 'tool_result', content: output }],
    }),
    row('assistant', model(turn, { type: 'text', text: `answer ${turn}` }, 2)),
    `${JSON.stringify({ type: 'last-prompt', leafUuid: parent, sessionId: id })}\n`,
  ]);
}

function fill(file: string, size: Size, start: string, turnOf: (turn: number, output: string) => string[]): number {
  const each = turnOf(1, '');
  const turns = Math.floor(size.records / each.length);
  const output = 'x'.repeat(Math.max(0, Math.floor(size.bytes / turns) - each.join('').length));
  const fd = openSync(file, 'w');
  writeSync(fd, start);
  for (let turn = 1; turn <= turns; turn += 1) writeSync(fd, turnOf(turn, output).join(''));
  closeSync(fd);
  return turns;
}
