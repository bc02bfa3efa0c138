import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../../policies/facts/engine-event.ts';
import { lackingServers } from '../../../policies/facts/requirements.ts';
import { createCapture } from '../../../wrappers/capture.ts';
import { createLogReader, readEvent, readStderr } from '../../../wrappers/gemini/events.ts';

const STREAM: [line: object, events: EngineEvent[]][] = [
  [
    { type: 'init', session_id: 'id', model: 'm' },
    [
      { how: 'session_named', id: 'id' },
      { how: 'model_named', model: 'm' },
    ],
  ],
  [{ type: 'message', role: 'user', content: '429 Too Many Requests' }, [{ how: 'turn_began' }]],
  [
    { type: 'message', role: 'assistant', content: 'hello', delta: true },
    [{ how: 'said', text: 'hello', whole: false, message: null }],
  ],
  [{ type: 'tool_use', tool_name: 'read_file', tool_id: '1' }, [{ how: 'tool_began', id: '1', name: 'read_file' }]],
  [
    { type: 'tool_use', tool_name: 'read_file', tool_id: '1', parameters: { absolute_path: '/a.ts' } },
    [{ how: 'tool_began', id: '1', name: 'read_file', subject: '/a.ts' }],
  ],
  [
    { type: 'tool_result', tool_id: '1', status: 'success', output: 'HTTP 401' },
    [{ how: 'tool_ended', id: '1', name: null, denied: false }],
  ],
  [
    { type: 'tool_result', tool_id: '1', status: 'error', error: { type: 'policy_violation', message: 'no' } },
    [{ how: 'tool_ended', id: '1', name: null, denied: true }],
  ],
  [
    {
      type: 'tool_result',
      tool_id: '1',
      status: 'error',
      error: { type: 'policy_violation', message: 'Tool execution blocked: this path\n is secret' },
    },
    [{ how: 'tool_ended', id: '1', name: null, denied: true, by: 'a hook: this path is secret' }],
  ],
  [
    {
      type: 'tool_result',
      tool_id: '1',
      status: 'error',
      error: { type: 'invalid_tool_params', message: 'Path not in workspace: "/etc"' },
    },
    [{ how: 'tool_ended', id: '1', name: null, denied: true, rule: 'outside the workspace' }],
  ],
  ...(
    [
      ['run_shell_command', true],
      ['mcp_db_query', true],
      ['frobnicate', false],
    ] as const
  ).map(([name, denied]): (typeof STREAM)[number] => [
    {
      type: 'tool_result',
      tool_id: '1',
      status: 'error',
      error: { type: 'tool_not_registered', message: `Tool "${name}" not found. Did you mean one of: "glob"?` },
    },
    [{ how: 'tool_ended', id: '1', name: null, denied }],
  ]),
  [
    { type: 'tool_result', tool_id: '1', status: 'error', error: { type: 'file_not_found', message: 'no such file' } },
    [{ how: 'tool_ended', id: '1', name: null, denied: false }],
  ],
  [
    { type: 'tool_result', tool_id: '1', status: 'error', error: { type: 'stop_execution', message: 'enough' } },
    [
      { how: 'tool_ended', id: '1', name: null, denied: false },
      { how: 'stopped', failure: { message: 'enough', type: 'stop_execution' } },
    ],
  ],
  [
    { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' },
    [{ how: 'stopped', failure: { message: 'Loop detected, stopping execution' } }],
  ],
  [
    { type: 'error', severity: 'error', message: 'Maximum session turns exceeded' },
    [{ how: 'stopped', failure: { message: 'Maximum session turns exceeded' } }],
  ],
  [
    { type: 'error', severity: 'warning', message: 'Agent execution blocked: by a hook' },
    [{ how: 'stopped', failure: { message: 'Agent execution blocked: by a hook' }, unless: 'answered_later' }],
  ],
  [{ type: 'error', severity: 'warning', message: 'a little thing' }, [{ how: 'warned', message: 'a little thing' }]],
  [
    { type: 'error', severity: 'error', message: 'Model stream ended without a finish reason.' },
    [{ how: 'erred', failure: { message: 'Model stream ended without a finish reason.' } }],
  ],
  [
    { type: 'result', status: 'success', stats: { total_tokens: 18, input_tokens: 11, output_tokens: 7, cached: 2 } },
    [
      { how: 'counted', usage: { total_tokens: 18, input_tokens: 11, cached_tokens: 2, output_tokens: 7 } },
      { how: 'completed' },
    ],
  ],
];

test('each line of the stream is read as its facts', () => {
  for (const [line, events] of STREAM) assert.equal(readEvent(JSON.stringify(line)), events);
});

const NO_STATS = { total_tokens: null, input_tokens: null, cached_tokens: null, output_tokens: null };
const failed = (message: string, type = 'unknown') =>
  readEvent(JSON.stringify({ type: 'result', status: 'error', error: { type, message } }));

test('an API error is taken out of its frame, with status, code and details', () => {
  const json = '{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}';
  assert.equal(failed(`[API Error: ${json}]`), [
    { how: 'counted', usage: NO_STATS },
    { how: 'failed', failure: { message: 'API key not valid.', status: 400, code: 'INVALID_ARGUMENT', details: json } },
  ]);
});

test('the reason of the ErrorInfo is more telling than the status word', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
  const json = JSON.stringify({ error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT', details } });
  assert.equal(failed(`[API Error: ${json}]`)[1], {
    how: 'failed',
    failure: { message: 'm', status: 400, code: 'API_KEY_INVALID', details: json },
  });
});

test('the advice that only a 429 gets tells the status which the text has lost', () => {
  const advice = '\nPlease wait and try again later. To increase your limits, request a quota increase through Vertex';
  assert.equal(failed(`[API Error: The service is busy.]${advice}`)[1], {
    how: 'failed',
    failure: { message: 'The service is busy.', status: 429 },
  });
});

test("the CLI's own type is kept, a nameless one is not", () => {
  assert.equal(failed('Reached max session turns.', 'FatalTurnLimitedError')[1], {
    how: 'failed',
    failure: { message: 'Reached max session turns.', type: 'FatalTurnLimitedError' },
  });
  assert.equal(failed('Some text.', 'Error')[1], { how: 'failed', failure: { message: 'Some text.' } });
});

const ON_STDERR: [line: string, events: EngineEvent[]][] = [
  [
    'Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}',
    [
      {
        how: 'retrying',
        failure: {
          message: 'busy',
          status: 503,
          code: 'UNAVAILABLE',
          type: 'ApiError',
          details: '{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}',
        },
      },
    ],
  ],
  [
    'Attempt 1 failed. Retrying with backoff... Error: exception TypeError: fetch failed sending request',
    [
      {
        how: 'retrying',
        failure: { message: 'fetch failed sending request', type: 'TypeError' },
      },
    ],
  ],
  [
    'Attempt 2 failed: Resource has been exhausted (e.g. check quota).',
    [{ how: 'erred', failure: { message: 'Resource has been exhausted (e.g. check quota).' } }],
  ],
  [
    'Suggested retry after 2s.. Retrying after 31547ms...',
    [{ how: 'retrying', failure: { message: 'Suggested retry after 2s' } }],
  ],
  [
    'Attempt 1 failed: The model is overloaded.. Max attempts reached',
    [{ how: 'erred', failure: { message: 'The model is overloaded' } }],
  ],
  ['Suggested retry after 2s.. Max attempts reached', []],
  ['Ripgrep is not available. Falling back to GrepTool.', []],
  [
    'Invalid configuration in /home/u/.gemini/settings.json:',
    [
      {
        how: 'warned',
        message: 'invalid configuration in /home/u/.gemini/settings.json (its stderr names the settings)',
      },
    ],
  ],
  ...[
    ['mcpServers.db', 'db'],
    ['mcpServers.my.db x.args', 'my.db x'],
    ['mcpServers.b.timeout', 'b'],
  ].map(([setting, name]): [string, EngineEvent[]] => {
    const why = `its settings are invalid (Error in: ${setting})`;
    return [`Error in: ${setting}`, [{ how: 'server', name: name!, state: 'pending', why, unlessKnown: true }]];
  }),
  ["    Unrecognized key(s) in object: 'commnd'", []],
  ['Error in: general.maxAttempts', []],
];

const LACKS: [line: string, event: EngineEvent | null][] = [
  [
    'Hook(s) [load-context] failed for event SessionStart. Press F12 to see the debug drawer for more details.',
    { how: 'warned', message: 'the hook load-context failed (SessionStart)' },
  ],
  [
    'Hook(s) [guard] failed for event BeforeTool. Press F12 to see the debug drawer for more details.',
    { how: 'warned', message: 'the hook guard failed or blocked a tool (BeforeTool)' },
  ],
  [
    "Subagent 'generalist' failed: _ApiError: 500",
    { how: 'warned', message: 'the sub-agent generalist failed: _ApiError: 500' },
  ],
  [
    "[LocalAgentExecutor] Blocked call: Unauthorized tool call: 'run_shell_command' is not available to this agent.",
    { how: 'tool_denied', id: '', name: 'run_shell_command' },
  ],
  ["[LocalAgentExecutor] Blocked call: Unauthorized tool call: 'frobnicate' is not available to this agent.", null],
  [
    '[USER] Policy file error in p.toml:',
    { how: 'warned', message: 'the policy file p.toml (USER) was not loaded, its deny rules neither' },
  ],
  [
    'Warning: Skipping extension in /e/foo: Failed to load extension config from /e/foo/gemini-extension.json: Unexpected end',
    {
      how: 'warned',
      message:
        'the extension in /e/foo was not loaded: Failed to load extension config from /e/foo/gemini-extension.json: Unexpected end',
    },
  ],
  [
    'Agent loading error: Failed to load agent from /a.md: Validation failed',
    { how: 'warned', message: 'an agent was not loaded: Failed to load agent from /a.md: Validation failed' },
  ],
  [
    "[ERROR] [ImportProcessor] Failed to import ./rules.md: ENOENT: no such file or directory, access '/p/rules.md'",
    {
      how: 'warned',
      message:
        "./rules.md, which GEMINI.md imports, was not loaded: ENOENT: no such file or directory, access '/p/rules.md'",
    },
  ],
  ['[ERROR] [ImportProcessor] Failed to import types/node: ENOENT: no such file or directory', null],
  [
    'Chat recording disabled: No space left on device. The conversation will continue but will not be saved to disk.',
    {
      how: 'warned',
      message:
        'its session was not saved: No space left on device. The conversation will continue but will not be saved to disk.',
    },
  ],
];
test('what it lacks, and reports on stderr alone, is a warning', () => {
  for (const [line, event] of LACKS) assert.equal(readStderr(line), event === null ? [] : [event], line);
});

test('an answer that a hook blocked gives way to the next one; without another one the call is stopped', () => {
  const blocked = { type: 'error', severity: 'warning', message: 'Agent execution blocked: run the tests' };
  const after = (...lines: object[]) => {
    const capture = createCapture();
    const says = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });
    for (const line of [says('too early'), blocked, ...(lines.length === 0 ? [] : [says('tested')]), ...lines])
      for (const event of readEvent(JSON.stringify(line))) capture.add(event);
    for (const event of readEvent(JSON.stringify({ type: 'result', status: 'success', stats: {} }))) capture.add(event);
    const { completed, answer, failure } = capture.result();
    return [completed, answer, failure?.message];
  };
  assert.equal(after({ type: 'message', role: 'assistant', content: '.', delta: true }), [true, 'tested.', undefined]);
  assert.equal(after(), [false, '', 'Agent execution blocked: run the tests']);
});

test('a server with an invalid setting that connects, before or after that is told, lacks nothing', () => {
  const mistake = readStderr('Error in: mcpServers.db.timeout');
  const connected = createLogReader()(
    "[LOG] Registering notification handlers for server 'db'. Capabilities: { tools: {} }",
  );
  const lacks = (...events: EngineEvent[]) => {
    const capture = createCapture({ servers: ['db'], denied: 'note' });
    for (const event of [...events, { how: 'turn_began' } as const]) capture.add(event, 'stderr');
    return [lackingServers(capture.result().servers).length, capture.unmet()?.code ?? null];
  };
  assert.equal(lacks(...mistake), [1, 'mcp_server_required']);
  for (const events of [
    [...mistake, ...connected],
    [...connected, ...mistake],
  ])
    assert.equal(lacks(...events), [0, null]);
});

test('the telemetry in its log shows how the messages of the agent ended', () => {
  const record = (reason: string, ...role: string[]) => [
    '{',
    '  "attributes": {',
    '    "function_args": "MCP ERROR (db): Error during discovery for MCP server \'db\'",',
    '    "finish_reasons": [',
    // One for each piece of the message.
    '      "stop",',
    `      "${reason}"`,
    '    ],',
    ...role.map((name) => `    "role": "${name}",`),
    '    "http.status_code": 200',
    '  },',
    '}',
  ];
  const read = (lines: string[]) => lines.flatMap(createLogReader());
  const length = { how: 'message_ended', cut: 'the limit of an answer was reached (finish reason length)' };
  assert.equal(read(record('length', 'main')), [length]);
  assert.equal(read(record('length')), [length]);
  assert.equal(read(record('stop', 'main')), [{ how: 'message_ended', cut: null }]);
  assert.equal(read([...record('length', 'main'), ...record('content_filter', 'utility_summarizer')]), [length]);
  const other = { how: 'message_ended', cut: 'the service ended it (finish reason error)' };
  assert.equal(read(record('error', 'main')), [other]);
  // The debug log is in the same file.
  const line = "[2026-01-01T00:00:00Z] [LOG] Error during discovery for MCP server 'db': no";
  assert.equal(read([...record('length', 'main').slice(0, 4), line, '      "length"', '    ],'])[0]?.how, 'server');
});

test('only the end of the last message counts, and only of an answer', () => {
  const warnings = (...events: EngineEvent[]) => {
    const capture = createCapture();
    for (const event of events) capture.add(event);
    return capture.result().warnings;
  };
  const [cut, whole]: EngineEvent[] = [
    { how: 'message_ended', cut: 'why' },
    { how: 'message_ended', cut: null },
  ];
  const said: EngineEvent[] = [{ how: 'said', text: 'x', whole: true, message: null }, { how: 'completed' }];
  assert.equal(warnings(cut!, ...said), ['the answer may be incomplete: why']);
  assert.equal(warnings(...said, cut!), ['the answer may be incomplete: why']);
  assert.equal(warnings(cut!, whole!, ...said), []);
  assert.equal(warnings(cut!), []);
});

test('stderr is read for announced retries and invalid settings alone', () => {
  for (const [line, events] of ON_STDERR) assert.equal(readStderr(line), events, line);
});

test('what is no event is nothing', () => {
  for (const line of [
    '',
    'plain text',
    '{"type":',
    '[]',
    '{}',
    '{"type":"brand_new"}',
    '{"type":7}',
    'null',
    '{"type":"constructor"}',
  ])
    assert.equal(readEvent(line), [], line);
});

test('what another program of the run tries again is no retry of the service', () => {
  assert.equal(readStderr('Upload to the index broke. Retrying after 500ms...'), []);
  assert.equal(
    readStderr('The model is overloaded. Retrying after 500ms...').map(({ how }) => how),
    ['retrying'],
  );
});

test.run();
