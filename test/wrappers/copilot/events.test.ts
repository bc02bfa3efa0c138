import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../../policies/facts/engine-event.ts';
import { createCapture } from '../../../wrappers/capture.ts';
import { readEvent, USAGE_LOG } from '../../../wrappers/copilot/events.ts';

const failure = (data: object) => ({ type: 'model.call_failure', data: { retryAttempt: 0, ...data } });
const STREAM: [line: object, events: EngineEvent[]][] = [
  [{ type: 'assistant.turn_start', data: { turnId: '0' } }, [{ how: 'turn_began' }]],
  [
    { type: 'model.call_start', data: { turnId: '0', model: 'm' } },
    [{ how: 'model_named', model: 'm' }, { how: 'requested' }],
  ],
  [
    { type: 'assistant.message_delta', data: { messageId: 'a', deltaContent: 'hel' } },
    [{ how: 'said', text: 'hel', whole: false, message: 'a' }],
  ],
  [
    { type: 'assistant.message', data: { messageId: 'a', content: 'hello', toolRequests: [] } },
    [{ how: 'said', text: 'hello', whole: true, message: 'a' }],
  ],
  [
    { type: 'tool.execution_start', data: { toolCallId: '1', toolName: 'bash' } },
    [{ how: 'tool_began', id: '1', name: 'bash' }],
  ],
  [
    { type: 'tool.execution_start', data: { toolCallId: '1', toolName: 'view', arguments: { path: 'a.ts' } } },
    [{ how: 'tool_began', id: '1', name: 'view', subject: 'a.ts' }],
  ],
  [
    { type: 'tool.execution_complete', data: { toolCallId: '1', success: true, result: { content: 'HTTP 401' } } },
    [{ how: 'tool_ended', id: '1', name: null, denied: false }],
  ],
  [
    { type: 'tool.execution_complete', data: { toolCallId: '1', success: false, error: { code: 'denied' } } },
    [{ how: 'tool_ended', id: '1', name: null, denied: true }],
  ],
  ...(
    [
      ['Denied by preToolUse hook: secret path', 'a hook: secret path'],
      ['Denied by preToolUse hook from "/h.json" (hook errored)', 'a hook: "/h.json" (hook errored)'],
    ] as const
  ).map(([message, by]): (typeof STREAM)[number] => [
    { type: 'tool.execution_complete', data: { toolCallId: '1', success: false, error: { code: 'denied', message } } },
    [{ how: 'tool_ended', id: '1', name: null, denied: true, by }],
  ]),
  [
    { type: 'abort', data: { reason: 'user_initiated' } },
    [{ how: 'stopped', failure: { message: 'the turn was aborted (user_initiated)' } }],
  ],
  [{ type: 'assistant.turn_retry', data: { reason: 'api_error' } }, [{ how: 'retrying', failure: { message: '' } }]],
  [{ type: 'model.turn_retry', data: { reason: 'api_error' } }, [{ how: 'retrying', failure: { message: '' } }]],
  [
    { type: 'session.info', data: { infoType: 'model_retry', message: 'Retrying...' } },
    [{ how: 'retrying', failure: { message: '' } }],
  ],
  [{ type: 'session.info', data: { infoType: 'mcp', message: 'Retrying...' } }, []],
  [{ type: 'session.warning', data: { message: 'mind this' } }, [{ how: 'warned', message: 'mind this' }]],
  [
    {
      type: 'session.error',
      data: { errorType: 'rate_limit', errorCode: 'user_weekly_rate_limited', message: 'wait' },
    },
    [{ how: 'erred', failure: { message: 'wait', code: 'user_weekly_rate_limited', type: 'rate_limit' } }],
  ],
  [
    { type: 'session.error', data: { errorType: 'query', message: '400 Invalid value: x', statusCode: 400 } },
    [{ how: 'erred', failure: { message: '400 Invalid value: x', status: 400 } }],
  ],
  [
    {
      type: 'session.error',
      data: { errorType: 'authentication', message: 'Authentication failed with provider at x (HTTP 401).' },
    },
    [
      {
        how: 'erred',
        failure: {
          message: 'Authentication failed with provider at x (HTTP 401).',
          status: 401,
          type: 'authentication',
        },
        framed: true,
      },
    ],
  ],
  [{ type: 'result', sessionId: 'id', exitCode: 0 }, [{ how: 'session_named', id: 'id' }, { how: 'completed' }]],
  [
    { type: 'result', sessionId: 'id', exitCode: 1 },
    [
      { how: 'session_named', id: 'id' },
      { how: 'failed', failure: { message: '' } },
    ],
  ],
];

test('each line of the stream is read as its facts', () => {
  for (const [line, events] of STREAM) assert.equal(readEvent(JSON.stringify(line)), events, JSON.stringify(line));
});

const CALL_FAILURES: [data: object, how: 'retrying' | 'erred'][] = [
  ...[401, 408, 409, 429, 500, 501, 503, 520, 529].map(
    (statusCode) => [{ statusCode }, 'retrying'] as [object, 'retrying'],
  ),
  ...[400, 402, 403, 404, 405, 407, 413, 422, 451].map((statusCode) => [{ statusCode }, 'erred'] as [object, 'erred']),
  [{ failureKind: 'transport' }, 'retrying'],
  // The sixth request is the last.
  [{ statusCode: 503, retryAttempt: 4 }, 'retrying'],
  [{ statusCode: 503, retryAttempt: 5 }, 'erred'],
];

test('a failed model call announces a retry, unless the CLI never retries it', () => {
  for (const [data, how] of CALL_FAILURES)
    assert.is(readEvent(JSON.stringify(failure(data)))[0]?.how, how, JSON.stringify(data));
});

test("a failed call tells the service's own code and words", () => {
  const errorMessage = '{"message":"Too long.","type":"invalid_request_error","code":"context_length_exceeded"}';
  const line = failure({ statusCode: 400, errorCode: 'context_length_exceeded', errorMessage });
  assert.equal(readEvent(JSON.stringify(line)), [
    {
      how: 'erred',
      failure: {
        message: 'Too long.',
        status: 400,
        code: 'context_length_exceeded',
        type: 'invalid_request_error',
        details: errorMessage,
      },
    },
  ]);
});

test('a text that is not JSON comes in quotes', () => {
  const line = failure({ statusCode: 504, errorMessage: '"504 Gateway Timeout"' });
  assert.equal(readEvent(JSON.stringify(line)), [
    { how: 'retrying', failure: { message: '504 Gateway Timeout', status: 504 } },
  ]);
});

test('a sub-agent says nothing to the user, but its requests are paid', () => {
  const data = { parentToolCallId: '1', messageId: 'b', content: 'sub', model: 'm' };
  assert.equal(readEvent(JSON.stringify({ type: 'assistant.message', data })), []);
  assert.equal(readEvent(JSON.stringify({ type: 'assistant.turn_start', agentId: 'x', data: {} })), []);
  assert.equal(readEvent(JSON.stringify({ type: 'model.call_start', agentId: 'x', data })), [{ how: 'requested' }]);
  assert.is(readEvent(JSON.stringify({ ...failure({ statusCode: 503 }), agentId: 'x' }))[0]?.how, 'retrying');
});

test('a sub-agent that failed, or said nothing, is a warning', () => {
  const agentName = 'general-purpose';
  const failed = {
    type: 'subagent.failed',
    data: { toolCallId: '1', agentName, agentDisplayName: 'n', error: '400 Incorrect API key provided' },
    agentId: 'x',
  };
  assert.equal(readEvent(JSON.stringify(failed)), [
    { how: 'warned', message: 'the sub-agent general-purpose failed: 400 Incorrect API key provided' },
  ]);
  const silent = 'Agent completed but produced no response.';
  const ended = (more: object, properties: object = { agent_name: agentName }) => {
    const data = { toolCallId: '1', ...more, toolTelemetry: { properties } };
    return readEvent(JSON.stringify({ type: 'tool.execution_complete', data })).filter(({ how }) => how === 'warned');
  };
  const before = { success: true, result: { content: silent } };
  for (const more of [{ success: false, error: { message: silent, code: 'failure' } }, before])
    assert.equal(ended(more), [{ how: 'warned', message: `the sub-agent general-purpose failed: ${silent}` }]);
  assert.equal(ended(before, {}), []);
  assert.equal(ended({ success: false, error: { message: '400 Incorrect API key provided', code: 'failure' } }), []);
});

test('an error of a sub-agent is one of the call, which 1.0.75 then fails without a reason', () => {
  const error = {
    type: 'session.error',
    agentId: 'x',
    data: { message: '400 Incorrect API key provided', statusCode: 400 },
  };
  const capture = createCapture();
  for (const line of [error, { type: 'result', exitCode: 1 }])
    for (const event of readEvent(JSON.stringify(line))) capture.add(event);
  assert.is(capture.result().failure?.status, 400);
});

test('how the messages of the agent ended is in its session; a sub-agent and a summary do not count', () => {
  const since = new Date('2026-01-01T00:00:00Z');
  const read = USAGE_LOG.createReader(since);
  const ended = (finishReason: string, interactionType = 'conversation-agent', timestamp = '2026-01-02T00:00:00Z') =>
    read(
      JSON.stringify({
        type: 'session.usage_record',
        id: '1',
        timestamp,
        data: { usage: { finishReason, interactionType } },
      }),
    ).flatMap((event) => (event.how === 'message_ended' ? [event.cut] : []));
  assert.equal(ended('stop'), [null]);
  assert.equal(ended('length'), ['the limit of an answer was reached (finish reason length)']);
  assert.equal(ended('content_filter'), ['a filter of the service stopped it (finish reason content_filter)']);
  for (const other of ['conversation-subagent', 'conversation-compaction']) assert.equal(ended('length', other), []);
  assert.equal(ended('length', undefined, '2025-12-31T00:00:00Z'), []);
});

test('of the tools of a sub-agent, only denials count', () => {
  const capture = createCapture();
  const of = (type: string, data: object) => JSON.stringify({ type, data: { toolCallId: 't', ...data }, agentId: 'a' });
  for (const line of [
    of('tool.execution_start', { toolName: 'bash', arguments: { command: 'git push' } }),
    of('tool.execution_complete', { success: false, error: { code: 'denied', message: 'no' } }),
  ])
    for (const event of readEvent(line)) capture.add(event);
  const { denials, tools } = capture.result();
  assert.equal([denials, tools], [[{ tool: 'bash', rule: 'shell(git push)' }], 0]);
});

test('a prompt that a hook blocked ends the call', () => {
  const data = { warningType: 'policy_blocked', message: 'not allowed' };
  assert.equal(readEvent(JSON.stringify({ type: 'session.warning', data })), [
    { how: 'stopped', failure: { message: 'not allowed', code: 'hook_stopped' } },
  ]);
});

test('an answer for which no request was sent is that of a hook, with a warning', () => {
  const ended = (totalApiDurationMs: number) =>
    readEvent(JSON.stringify({ type: 'result', sessionId: 's', exitCode: 0, usage: { totalApiDurationMs } }));
  const [named, done] = [{ how: 'session_named', id: 's' }, { how: 'completed' }];
  const message = 'no request was sent to the model; a hook answered the prompt';
  assert.equal(
    [ended(0), ended(1)],
    [
      [named, { how: 'warned', message }, done],
      [named, done],
    ],
  );
});

test('a server that connects and lists no tools lacks them at the end, in a version that reports when it knows them', () => {
  const lacks = (listsTools: boolean, configSource: string | undefined, ...more: object[]) => {
    const capture = createCapture({ servers: ['db'], denied: 'note' }, undefined, listsTools);
    const connected = { status: 'connected', configSource };
    for (const line of [
      { type: 'session.mcp_server_status_changed', data: { serverName: 'db', ...connected } },
      ...more,
      { type: 'session.mcp_servers_loaded', data: { servers: [{ name: 'db', status: 'connected' }] } },
      { type: 'user.message', data: {} },
      { type: 'model.call_start', data: {} },
      { type: 'result', exitCode: 0 },
    ]) {
      assert.is(capture.unmet(), null);
      for (const event of readEvent(JSON.stringify(line))) capture.add(event);
    }
    return capture.unmet()?.message ?? null;
  };
  const loaded = (toolCount: number) => ({
    type: 'session.mcp_server_tools_loaded',
    data: { serverName: 'db', toolCount },
  });
  assert.is(lacks(true, 'user'), 'required MCP server "db" failed: it connected, but listed no tools');
  // A server may have prompts alone.
  assert.is(lacks(true, 'user', loaded(0)), null);
  assert.is(lacks(true, 'workspace', loaded(2)), null);
  assert.is(lacks(false, 'user'), null);
  assert.is(lacks(true, 'builtin'), null);
});

test("the CLI's own sentence about a filtered response is no answer", () => {
  const content = 'The model returned no content because the response was blocked by content filtering.';
  const said = (text: string) => readEvent(JSON.stringify({ type: 'assistant.message', data: { content: text } }));
  assert.equal(said(content), [{ how: 'stopped', failure: { message: content, code: 'content_filter' } }]);
  assert.is(said(`It says: ${content}`)[0]?.how, 'said');
});

test.run();
