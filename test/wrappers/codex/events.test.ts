import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../../policies/facts/engine-event.ts';
import { readEvent, readStderr, USAGE_LOG } from '../../../wrappers/codex/events.ts';
import { CODEX } from '../../../wrappers/codex/row.ts';

const command = { id: 'item_1', type: 'command_execution', command: 'cat log', aggregated_output: 'HTTP 401' };
const STREAM: [line: object, events: EngineEvent[]][] = [
  [{ type: 'thread.started', thread_id: 'id' }, [{ how: 'session_named', id: 'id' }]],
  [{ type: 'turn.started' }, [{ how: 'turn_began' }]],
  [
    { type: 'item.started', item: { ...command, exit_code: null, status: 'in_progress' } },
    [{ how: 'tool_began', id: 'item_1', name: 'command_execution', subject: 'cat log' }],
  ],
  [
    { type: 'item.completed', item: { ...command, exit_code: 3, status: 'failed' } },
    [{ how: 'tool_ended', id: 'item_1', name: 'command_execution', denied: false }],
  ],
  [
    { type: 'item.completed', item: { ...command, exit_code: null, status: 'declined' } },
    [{ how: 'tool_ended', id: 'item_1', name: 'command_execution', denied: true }],
  ],
  [
    {
      type: 'item.completed',
      item: { ...command, aggregated_output: "touch: cannot touch 'x': Read-only file system\n", exit_code: 1 },
    },
    [{ how: 'tool_ended', id: 'item_1', name: 'command_execution', denied: true }],
  ],
  [
    {
      type: 'item.completed',
      item: {
        ...{ id: 'item_4', type: 'collab_tool_call', tool: 'wait', status: 'failed' },
        agents_states: {
          a: { status: 'errored', message: 'boom' },
          b: { status: 'pending_init' },
          c: { status: 'completed' },
        },
      },
    },
    [
      { how: 'sub_agent', id: 'a', state: 'failed' },
      { how: 'sub_agent', id: 'b', state: 'working' },
      { how: 'sub_agent', id: 'c', state: 'done' },
      { how: 'tool_ended', id: 'item_4', name: 'wait', denied: false },
    ],
  ],
  // Closed with the turn, after the answer.
  [{ type: 'item.completed', item: { ...command, exit_code: null, status: 'completed' } }, []],
  [{ type: 'item.completed', item: { id: 'item_9', type: 'todo_list', items: [] } }, []],
  [{ type: 'item.completed', item: { id: 'item_9', type: 'reasoning', text: 'hm' } }, []],
  [
    { type: 'item.started', item: { id: 'item_2', type: 'mcp_tool_call', server: 'docs', tool: 'search' } },
    [{ how: 'tool_began', id: 'item_2', name: 'docs.search', server: 'docs' }],
  ],
  [
    { type: 'item.completed', item: { id: 'item_3', type: 'file_change', changes: [], status: 'completed' } },
    [{ how: 'tool_ended', id: 'item_3', name: 'file_change', denied: false }],
  ],
  [
    { type: 'item.completed', item: { id: 'item_4', type: 'agent_message', text: 'hello' } },
    [{ how: 'said', text: 'hello', whole: true, message: 'item_4' }],
  ],
  [
    { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata for `m` not found.' } },
    [{ how: 'warned', message: 'Model metadata for `m` not found.' }],
  ],
  [
    { type: 'turn.completed', usage: { input_tokens: 11, cached_input_tokens: 2, output_tokens: 7 } },
    [
      { how: 'counted', usage: { input_tokens: 11, cached_tokens: 2, output_tokens: 7, total_tokens: 18 } },
      { how: 'completed', endsTools: true },
    ],
  ],
  [
    {
      type: 'error',
      message: 'Reconnecting... 2/5 (unexpected status 503 Service Unavailable: busy, url: http://h/v1)',
    },
    [
      {
        how: 'retrying',
        failure: { message: 'unexpected status 503 Service Unavailable: busy, url: http://h/v1', status: 503 },
      },
    ],
  ],
  [
    { type: 'error', message: 'Reconnecting... waiting for network (Connection failed: error sending request)' },
    [{ how: 'retrying', failure: { message: 'Connection failed: error sending request' } }],
  ],
  [
    { type: 'error', message: 'Reconnecting... 1/5' },
    [{ how: 'retrying', failure: { message: 'Reconnecting... 1/5' } }],
  ],
  [
    { type: 'error', message: 'stream error: connection closed; retrying 1/5 in 203ms…' },
    [{ how: 'retrying', failure: { message: 'connection closed' } }],
  ],
  [
    { type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' },
    [
      {
        how: 'erred',
        failure: { message: 'exceeded retry limit, last status: 429 Too Many Requests', status: 429 },
      },
    ],
  ],
  [
    {
      type: 'turn.failed',
      error: {
        message:
          '{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}',
      },
    },
    [
      {
        how: 'failed',
        failure: {
          message: 'Incorrect API key provided',
          code: 'invalid_api_key',
          type: 'invalid_request_error',
          details:
            '{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}',
        },
      },
    ],
  ],
  [{ type: 'turn.failed', error: { message: '' } }, [{ how: 'failed', failure: { message: '' } }]],
];

const approval = 'MCP tool call requires approval, but approval policy is never';
STREAM.push([
  {
    type: 'item.completed',
    item: { id: '1', type: 'mcp_tool_call', server: 's', tool: 't', status: 'failed', error: { message: approval } },
  },
  [{ how: 'tool_ended', id: '1', name: 's.t', denied: true }],
]);

const ROUTER = '2026-11-30T16:19:13.347551Z ERROR codex_core::tools::router: error=';
const REFUSED: [said: string, denied: { name: string; by?: string } | null][] = [
  [
    'patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings',
    { name: 'file_change' },
  ],
  [
    'approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never',
    { name: 'command_execution' },
  ],
  [
    'exec_command failed: CreateProcess { message: "Rejected(\\"`/bin/bash -lc \'echo x\'` rejected: policy forbids commands starting with `echo`\\")" }',
    { name: 'command_execution', by: 'a rule of codex: policy forbids commands starting with `echo`' },
  ],
  [
    'exec_command failed: CreateProcess { message: "Rejected(\\"approval required by policy, but AskForApproval is set to Never\\")" }',
    {
      name: 'command_execution',
      by: 'a rule of codex: approval required by policy, but AskForApproval is set to Never',
    },
  ],
  ['exec_command failed: CreateProcess { message: "Rejected(\\"some new reason\\")" }', { name: 'command_execution' }],
  [
    'Command blocked by PreToolUse hook: secret path. Command: echo x',
    { name: 'command_execution', by: 'a hook: secret path' },
  ],
  [
    'Tool call blocked by PreToolUse hook: secret path. Tool: mcp__tick__add',
    { name: 'mcp__tick__add', by: 'a hook: secret path' },
  ],
  ['Tool call blocked by PreToolUse hook: the first line', { name: 'unknown', by: 'a hook: the first line' }],
  ['exec_command failed: No such file or directory (os error 2)', null],
  ['failed to parse function arguments: missing field `cmd`', null],
];
test('a tool that it refuses before it begins is only on stderr', () => {
  for (const [said, denied] of REFUSED)
    assert.equal(
      readStderr(`${ROUTER}${said}`),
      denied === null ? [] : [{ how: 'tool_denied', id: '', ...denied }],
      said,
    );
  assert.equal(readStderr('patch rejected: by something else'), []);
});

test('a turn without a request was blocked by a hook, and a skill that it cannot load is a warning', () => {
  const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };
  const [, stopped] = readEvent(JSON.stringify({ type: 'turn.completed', usage }));
  assert.match(JSON.stringify(stopped), 'a hook blocked the prompt');
  assert.equal(
    readEvent(JSON.stringify({ type: 'turn.completed', usage: { ...usage, input_tokens: 9 } })).map(({ how }) => how),
    ['counted', 'completed'],
  );
  const line =
    '2026-11-30T17:13:34Z ERROR codex_core::session::session: failed to load skill /s/SKILL.md: missing field';
  assert.equal(readStderr(line), [{ how: 'warned', message: 'a skill was not loaded: /s/SKILL.md: missing field' }]);
});

test('settings of a project that it does not trust are a warning with the flag', () => {
  const line = 'warning: Untrusted project-local configuration is disabled. Run `codex exec --trust` to allow it.';
  const [event] = readStderr(line);
  assert.is(event?.how, 'warned');
  assert.match(JSON.stringify(event), / is not used, .* add --trust-workspace"/);
});

test('only full access allows an MCP tool that needs an approval; a patch needs write access, or more', () => {
  const wayOf = (tool: string, access: 'read' | 'write' | 'full') =>
    CODEX.allows({ tool, rule: null }, { access, own: {} } as never);
  assert.equal(wayOf('s.t', 'read'), { flag: 'access', value: 'full' });
  assert.is(wayOf('s.t', 'full'), null);
  assert.equal(wayOf('file_change', 'read'), { flag: 'access', value: 'write' });
  assert.equal(wayOf('file_change', 'write'), { flag: 'access', value: 'full' });
  assert.equal(wayOf('command_execution', 'write'), { flag: 'access', value: 'full', orForCommit: 'allow-commit' });
});

test('each line of the stream is read as its facts', () => {
  for (const [line, events] of STREAM) assert.equal(readEvent(JSON.stringify(line)), events, JSON.stringify(line));
});

test('the session of a sub-agent names its own sub-agents, and those of no earlier call', () => {
  const read = USAGE_LOG.createAgentReader!(new Date('2026-11-30T12:00:00Z'), 'a');
  const item = { type: 'CollabAgentToolCall', tool: 'spawn_agent', receiver_thread_ids: ['a', 'b'] };
  const line = (timestamp: string) =>
    JSON.stringify({ timestamp, type: 'event_msg', payload: { type: 'item_completed', thread_id: 'a', item } });
  assert.equal(read(line('2026-11-30T11:59:59.000Z')), []);
  assert.equal(read(line('2026-11-30T12:00:01.000Z')), [
    { how: 'sub_agent', id: 'b', state: 'working', unlessKnown: true },
  ]);
});

test.run();
