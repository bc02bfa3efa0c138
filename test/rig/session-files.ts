// Writes session files as the CLIs do, with invented conversations: complete, or line by line for large ones.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BuiltIn } from '../../policies/facts/tools.ts';

export interface MadeTurn {
  prompt: string;
  /** Without an answer the turn ends with its prompt. */
  answer?: string;
  thought?: string;
  /** A tool that is called before the answer, and its output. */
  tool?: { name: string; input: object; output: string };
}

export const SESSION_IDS: Record<BuiltIn, string> = {
  gemini: 'b5c9c443-0976-43ef-9f58-0b553adaee3f',
  copilot: '9b45a614-5856-4c36-8d53-63b27dd6fd2e',
  codex: '01a1ffb7-d15d-75e0-9cd1-00c74850c544',
  claude: '58d9e1b3-73c5-4137-8fc7-bac02f7e65df',
};

/** The path of the session with that id in a home. */
export function sessionFile(tool: BuiltIn, home: string, id = SESSION_IDS[tool]): string {
  const places = {
    gemini: `.gemini/tmp/project/chats/session-2026-11-21T20-04-${id.slice(0, 8)}.jsonl`,
    copilot: `.copilot/session-state/${id}/events.jsonl`,
    codex: `.codex/sessions/2026/11/21/rollout-2026-11-21T20-06-39-${id}.jsonl`,
    claude: `.claude/projects/-project/${id}.jsonl`,
  };
  return path.join(home, places[tool]);
}

/**
 * Creates a session in a home, old enough that no process counts as its user.
 * @returns its file.
 */
export function makeSession(
  tool: BuiltIn,
  { home, project }: { home: string; project: string },
  turns: readonly MadeTurn[],
  id = SESSION_IDS[tool],
): string {
  const file = sessionFile(tool, home, id);
  mkdirSync(path.dirname(file), { recursive: true });
  const lines = [...beginningOf(tool, id, project), ...turns.flatMap((turn, i) => turnOf(tool, turn, i + 1))];
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  if (tool === 'gemini') {
    writeFileSync(path.join(home, '.gemini/projects.json'), JSON.stringify({ projects: { [project]: 'project' } }));
    writeFileSync(path.join(home, '.gemini/tmp/project/.project_root'), project);
  }
  age(file);
  return file;
}

/** Makes the file an hour old. */
export function age(file: string): void {
  const then = Date.now() / 1000 - 3600;
  utimesSync(file, then, then);
}

export function beginningOf(tool: BuiltIn, id: string, cwd: string): string[] {
  const at = timeOf(0);
  const first = {
    gemini: { sessionId: id, projectHash: 'x', startTime: at, lastUpdated: at, kind: 'main' },
    copilot: {
      type: 'session.start',
      data: {
        sessionId: id,
        version: 1,
        producer: 'copilot-agent',
        copilotVersion: '1.0.102',
        startTime: at,
        context: { cwd },
      },
      id: idOf(0, 0),
      timestamp: at,
      parentId: null,
    },
    codex: {
      timestamp: at,
      ordinal: 0,
      type: 'session_meta',
      payload: {
        session_id: id,
        id,
        timestamp: at,
        cwd,
        originator: 'codex_exec',
        cli_version: '0.169.0',
        source: 'exec',
        thread_source: 'user',
      },
    },
    claude: { type: 'queue-operation', operation: 'enqueue', timestamp: at, sessionId: id, cwd, version: '2.1.330' },
  };
  return [JSON.stringify(first[tool])];
}

/**
 * @param number from 1; the ids and ordinals in it follow from it.
 * @param after the number of the turn before it.
 */
export function turnOf(tool: BuiltIn, turn: MadeTurn, number: number, after = number - 1): string[] {
  return LINES[tool](turn, number, after).map((line) => JSON.stringify(line));
}

/** The number of record numbers that each turn reserves. */
const RECORDS = 16;

const timeOf = (number: number, record = 0): string =>
  new Date(Date.UTC(2026, 10, 21, 20, 6) + number * 60_000 + record * 1000).toISOString();

const idOf = (number: number, record: number): string =>
  `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${record.toString(16).padStart(12, '0')}`;

const TOKENS = { input: 11, output: 7 };

const LINES: Record<BuiltIn, (turn: MadeTurn, number: number, after: number) => object[]> = {
  gemini({ prompt, answer, thought, tool }, number) {
    const at = (record: number) => ({ id: idOf(number, record), timestamp: timeOf(number, record) });
    const model = (record: number, content: string, more: object = {}) => ({
      ...at(record),
      type: 'gemini',
      content,
      thoughts: thought === undefined || record > 1 ? [] : [{ subject: 'Plan', description: thought }],
      tokens: { ...TOKENS, cached: 0, thoughts: 0, tool: 0, total: 18 },
      model: 'gemini-2.5-flash',
      ...more,
    });
    const called = tool && {
      id: `call-${number}`,
      name: tool.name,
      args: tool.input,
      result: [{ functionResponse: { id: `call-${number}`, name: tool.name, response: { output: tool.output } } }],
      status: 'success',
      timestamp: timeOf(number, 2),
    };
    return [
      { ...at(0), type: 'user', content: [{ text: prompt }] },
      ...(called
        ? [model(1, ''), model(1, '', { toolCalls: [called] }), { ...at(3), type: 'user', content: called.result }]
        : []),
      ...(answer === undefined ? [] : [model(tool ? 4 : 1, answer)]),
      { $set: { lastUpdated: timeOf(number, 5) } },
    ];
  },
  copilot({ prompt, answer, thought, tool }, number) {
    const event = (record: number, type: string, data: object) => ({
      type,
      data,
      id: idOf(number, record),
      timestamp: timeOf(number, record),
      parentId: record === 0 ? idOf(number - 1, 0) : idOf(number, record - 1),
    });
    const request = (turn: string, record: number, content: string, toolRequests: object[] = []) => [
      event(record, 'assistant.turn_start', { turnId: turn }),
      event(record + 1, 'session.usage_record', {
        usage: {
          model: 'm',
          inputTokens: TOKENS.input,
          outputTokens: TOKENS.output,
          interactionType: 'conversation-agent',
        },
      }),
      event(record + 2, 'assistant.message', {
        messageId: idOf(number, record),
        content,
        toolRequests,
        ...(thought === undefined || record > 1 ? {} : { reasoningText: thought }),
      }),
    ];
    const id = `call-${number}`;
    return [
      event(0, 'user.message', {
        content: prompt,
        transformedContent: prompt,
        messageId: idOf(number, 0),
        turnId: '0',
      }),
      ...(tool
        ? [
            ...request('0', 1, '', [{ toolCallId: id, name: tool.name, arguments: tool.input, type: 'function' }]),
            event(4, 'tool.execution_start', { toolCallId: id, toolName: tool.name, arguments: tool.input }),
            event(5, 'tool.execution_complete', { toolCallId: id, success: true, result: { content: tool.output } }),
            event(6, 'assistant.turn_end', { turnId: '0' }),
          ]
        : []),
      ...(answer === undefined
        ? []
        : [...request('1', tool ? 7 : 1, answer), event(10, 'assistant.turn_end', { turnId: '1' })]),
    ];
  },
  claude({ prompt, answer, thought, tool }, number, after) {
    const record = (at: number, type: string, message: object) => ({
      parentUuid: at > 0 ? idOf(number, at - 1) : after > 0 ? idOf(after, 3) : null,
      isSidechain: false,
      type,
      message,
      uuid: idOf(number, at),
      timestamp: timeOf(number, at),
      version: '2.1.330',
    });
    const usage = { input_tokens: TOKENS.input, output_tokens: TOKENS.output };
    const said = (content: object[], stop_reason: string) => ({
      id: `msg_${number}_${stop_reason}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason,
      usage,
    });
    const thinking = thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: 's' }];
    const called = tool && { type: 'tool_use', id: `toolu_${number}`, name: tool.name, input: tool.input };
    const result = tool && { type: 'tool_result', tool_use_id: `toolu_${number}`, content: tool.output };
    const last = answer === undefined ? (tool ? 2 : 0) : 3;
    return [
      record(0, 'user', { role: 'user', content: prompt }),
      ...(called ? [record(1, 'assistant', said([...thinking, called], 'tool_use'))] : []),
      ...(result ? [record(2, 'user', { role: 'user', content: [result] })] : []),
      ...(answer === undefined
        ? []
        : [
            {
              ...record(3, 'assistant', said([...(tool ? [] : thinking), { type: 'text', text: answer }], 'end_turn')),
              parentUuid: idOf(number, tool ? 2 : 0),
            },
          ]),
      { type: 'last-prompt', lastPrompt: prompt, leafUuid: idOf(number, last) },
    ];
  },
  codex({ prompt, answer, thought, tool }, number) {
    const turn = { turn_id: idOf(number, 0) };
    let record = (number - 1) * RECORDS;
    const line = (type: string, payload: object) => {
      record += 1;
      return { timestamp: timeOf(number, record % RECORDS), ordinal: record, type, payload };
    };
    const message = (role: string, kind: string, text: string, kinds: string[]) =>
      line('response_item', {
        type: 'message',
        id: `msg_${number}_${role}`,
        role,
        content: [{ type: kind, text }],
        internal_chat_message_metadata_passthrough: { ...turn, content_item_kinds: kinds },
      });
    const usage = {
      input_tokens: TOKENS.input,
      cached_input_tokens: 0,
      output_tokens: TOKENS.output,
      total_tokens: 18,
    };
    const counted = () =>
      line('event_msg', {
        type: 'token_count',
        info: { total_token_usage: { ...usage, total_tokens: number * 18 }, last_token_usage: usage },
      });
    return [
      line('event_msg', { type: 'task_started', ...turn }),
      line('turn_context', { ...turn, cwd: '/project', model: 'm' }),
      message('user', 'input_text', prompt, ['user.text']),
      ...(thought === undefined
        ? []
        : [line('response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] })]),
      ...(tool
        ? [
            line('response_item', {
              type: 'function_call',
              name: tool.name,
              arguments: JSON.stringify(tool.input),
              call_id: `call_${number}`,
            }),
            line('response_item', { type: 'function_call_output', call_id: `call_${number}`, output: tool.output }),
            counted(),
          ]
        : []),
      ...(answer === undefined ? [] : [message('assistant', 'output_text', answer, ['unknown']), counted()]),
      line('event_msg', { type: 'task_complete', ...turn }),
    ];
  },
};
