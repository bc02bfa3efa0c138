// What the agent worked without: an MCP server that did not serve, and a tool that was denied. A warning, or a failure where it is required.

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TasksStatus } from '../../loops/report/status.ts';
import { isLack } from '../../policies/facts/requirements.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { FakeCall, FakeCommand } from '../rig/fake-call.ts';
import { SESSION, STREAMS, type Stream, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('lacks');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const lines = (...facts: object[]) => facts.map((fact) => JSON.stringify(fact));
const copilot = (type: string, data: object) => ({ type, data, id: SESSION });
const init = (...servers: [name: string, status: string][]) => ({
  type: 'system',
  subtype: 'init',
  session_id: SESSION,
  model: 'm',
  mcp_servers: servers.map(([name, status]) => ({ name, status })),
});

/** A server named `tickets` that did not start, in the words of each CLI, before its first request. */
const FAILED: Record<BuiltIn, FakeCommand[]> = {
  claude: [write(lines(init(['db', 'connected'], ['tickets', 'failed'])))],
  copilot: [
    write(
      lines(
        copilot('session.mcp_server_status_changed', { serverName: 'tickets', status: 'pending' }),
        copilot('session.mcp_servers_loaded', {
          servers: [{ name: 'tickets', status: 'failed', error: 'no such file' }],
        }),
      ),
    ),
  ],
  codex: [
    {
      do: 'write',
      to: 'stderr',
      text: '2026-01-01T00:00:00Z  WARN codex_mcp::rmcp_client: MCP server startup failed server_name="tickets" error=No such file or directory (os error 2)\n',
    },
  ],
  gemini: [
    {
      do: 'write',
      to: 'stderr',
      text: "Error during discovery for MCP server 'tickets': spawn /no/such/program ENOENT\n",
    },
  ],
};

const answered = (tool: BuiltIn): FakeCommand[] => [
  write([...STREAMS[tool].opens(SESSION), ...STREAMS[tool].says('All good.'), ...STREAMS[tool].succeeds(SESSION)]),
  { do: 'exit', code: 0 },
];

/** Where its files are looked at before a start. */
function configure(rig: TestRig, tool: BuiltIn): void {
  if (tool === 'codex') rig.write('.codex/config.toml', '[mcp_servers.tickets]\ncommand = "none"\n');
  if (tool === 'gemini') rig.write('.gemini/settings.json', '{"mcpServers": {"tickets": {"command": "none"}}}');
}

test('a required server that serves is no failure, nor one that another name requires', async ({ rig }) => {
  rig.answer(() => [write(lines(init(['tickets', 'connected'], ['other', 'failed']))), ...answered('claude')]);
  const { code, record } = await runWrapper(rig, 'claude', ['--trust-workspace', '--require-mcp', 'tickets']).ended();
  assert.is(code, 0, JSON.stringify(record.verdict));
});

for (const tool of ['claude', 'copilot', 'codex', 'gemini'] as const)
  test(`${tool}: a required server that is not configured is a failure`, async ({ rig }) => {
    const first =
      tool === 'claude' ? [init(['db', 'connected'])] : tool === 'copilot' ? [copilot('user.message', {})] : [];
    rig.answer(() => [write(lines(...first)), ...answered(tool)]);
    const { record } = await runWrapper(rig, tool, ['--trust-workspace', '--require-mcp', 'tickets']).ended();
    assert.equal(
      [record.verdict.class, record.verdict.reason],
      ['tooling', 'mcp_server'],
      JSON.stringify(record.verdict),
    );
    if (tool === 'codex' || tool === 'gemini') assert.is(record.ending, 'not_started');
  });

test('before its first request the CLI is ended', async ({ rig }) => {
  rig.answer(() => [...FAILED.claude, { do: 'hang' }]);
  const { record } = await runWrapper(rig, 'claude', ['--trust-workspace', '--require-mcp', 'tickets']).ended();
  assert.is(record.ending, 'requirement_unmet');
  assert.is(record.verdict.reason, 'mcp_server');
  assert.equal([record.usage.api_requests, record.tool_calls], [null, 0]);
});

test('each state of a server that CLIs name; one that was pending and then answered is no lack', async ({ rig }) => {
  const states = ['needs-auth', 'pending', 'disconnected', 'a-new-word', 'connected', 'disabled'];
  const called = {
    type: 'assistant',
    message: { id: 'm', content: [{ type: 'tool_use', id: 't1', name: 'mcp__late__look', input: {} }] },
  };
  const result = {
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a ticket', is_error: false }],
    },
  };
  const servers = states.map((state): [string, string] => [`of-${state}`, state]);
  rig.answer(() => [write(lines(init(...servers, ['late', 'pending']), called, result)), ...answered('claude')]);
  const { record } = await runWrapper(rig, 'claude', ['--trust-workspace']).ended();
  assert.equal(record.warnings, [
    ...[
      'MCP server "of-needs-auth" needs a sign-in',
      'MCP server "of-pending" was not connected when the first request was made',
      'MCP server "of-disconnected" ended during the call',
      'MCP server "of-a-new-word" failed',
    ].map((lack) => `${lack}; the agent worked without it`),
  ]);
});

/** A server that dies while one of its tools is called. */
const DIED: Record<BuiltIn, object[]> = {
  claude: [
    init(['docs', 'connected']),
    {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 't1', name: 'mcp__docs__look', input: {} }] },
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Connection closed', is_error: true }],
      },
    },
  ],
  copilot: [
    copilot('session.mcp_servers_loaded', { servers: [{ name: 'docs', status: 'connected' }] }),
    copilot('tool.execution_start', { toolCallId: 't1', toolName: 'docs-look', mcpServerName: 'docs' }),
    copilot('tool.execution_complete', {
      toolCallId: 't1',
      success: false,
      error: {
        code: 'failure',
        message: "MCP server 'docs': MCP request failed: MCP transport closed before the tool responded",
      },
    }),
  ],
  codex: [
    { type: 'item.started', item: { id: 'i1', type: 'mcp_tool_call', server: 'docs', tool: 'look' } },
    {
      type: 'item.completed',
      item: {
        id: 'i1',
        type: 'mcp_tool_call',
        server: 'docs',
        tool: 'look',
        status: 'failed',
        error: { message: 'tool call error: tool call failed for `docs/look`\n\nCaused by:\n    Transport closed' },
      },
    },
  ],
  gemini: [
    { type: 'tool_use', tool_name: 'mcp_docs_look', tool_id: 't1', parameters: {} },
    {
      type: 'tool_result',
      tool_id: 't1',
      status: 'error',
      output: 'x',
      error: { type: 'mcp_tool_error', message: 'MCP error -32000: Connection closed' },
    },
  ],
};
/** Denied tools in the words of each CLI, and what allows them. */
const DENIED: Record<BuiltIn, { facts: object[]; tool: string; ways: string[] }> = {
  claude: {
    facts: [
      {
        type: 'assistant',
        message: { id: 'm', content: [{ type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'a | b' } }] },
      },
      { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't2' },
    ],
    tool: 'Bash',
    ways: ['--allow-tool Bash', "--allow-tool 'Bash(git push)'"],
  },
  copilot: {
    facts: [
      copilot('tool.execution_start', {
        toolCallId: '2',
        toolName: 'bash',
        arguments: { command: 'git push origin a' },
      }),
      copilot('tool.execution_complete', { toolCallId: '2', success: false, error: { code: 'denied', message: 'no' } }),
    ],
    tool: 'bash',
    ways: ["--allow-tool 'shell(git push)'"],
  },
  codex: {
    facts: [
      {
        type: 'item.completed',
        item: {
          id: '1',
          type: 'command_execution',
          status: 'failed',
          exit_code: 1,
          aggregated_output: "touch: cannot touch 'a': Read-only file system\n",
        },
      },
    ],
    tool: 'command_execution',
    ways: ['--access write'],
  },
  gemini: {
    facts: [
      { type: 'tool_use', tool_name: 'write_file', tool_id: '2', parameters: {} },
      { type: 'tool_result', tool_id: '2', status: 'error', error: { type: 'tool_not_registered', message: 'no' } },
    ],
    tool: 'write_file',
    ways: ['--access write'],
  },
};
/** By codex itself, before its sandbox. */
const DECLINED = {
  type: 'item.completed',
  item: { id: '1', type: 'command_execution', status: 'declined', exit_code: null, aggregated_output: '' },
};

/** Claude's end of a call also lists what was denied. */
const denials = [{ tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'git push' } }];
const answeredDenied: FakeCommand[] = [
  write([
    ...STREAMS.claude.says('All good.'),
    ...lines({
      ...{ type: 'result', subtype: 'success', is_error: false, result: 'All good.', session_id: SESSION },
      permission_denials: denials,
    }),
  ]),
  { do: 'exit', code: 0 },
];

for (const tool of ['claude', 'copilot', 'codex', 'gemini'] as const)
  test(`${tool}: a server that failed, one that died and a denied tool are warnings, in the record and on stderr`, async ({
    rig,
  }) => {
    const { facts, tool: denied, ways } = DENIED[tool];
    const end = tool === 'claude' ? answeredDenied : answered(tool);
    rig.answer(() => [...FAILED[tool], write(lines(...DIED[tool], ...facts)), ...end]);
    const { code, record, said } = await runWrapper(rig, tool, ['--trust-workspace']).ended();
    assert.is(code, 0, said);
    const all = record.warnings.join('\n');
    assert.match(all, /^MCP server "tickets" failed.*; the agent worked without it$/m);
    assert.match(all, /^MCP server "docs" ended during the call: .*closed.*; the agent worked without it$/im);
    assert.equal(record.denied_tools, [denied]);
    assert.equal(
      record.warnings.filter((warning) => warning.startsWith('the tool')),
      ways.map((way) => `the tool ${denied} was denied; to allow it: ${way}`),
    );
    for (const warning of record.warnings.filter(isLack)) assert.match(said, `warning: ${warning}`);
  });

/** What a success of claude lacks beside its tools: the events before its answer, the fields of its result, the warning. */
const LACKING: [what: string, facts: object[], result: object, warning: string][] = [
  [
    'a cut answer',
    [],
    { stop_reason: 'max_tokens' },
    'claude reported: the answer may be incomplete: the limit of an answer was reached',
  ],
  [
    'sub-agents without an end',
    [],
    { subagent_stats: { spawned: 1, completed: 0, failed: 0 } },
    'claude reported: sub-agents that had not finished at the end of the run: 1',
  ],
  [
    'another model',
    [{ type: 'system', subtype: 'model_fallback', original_model: 'm', fallback_model: 'n' }],
    {},
    'claude reported: the model n answered instead of m',
  ],
  [
    'a hook that failed',
    [
      {
        ...{ type: 'system', subtype: 'hook_response', hook_name: 'SessionStart:startup', hook_event: 'SessionStart' },
        ...{ stderr: '/bin/sh: 1: /nonexistent/x: not found\n', exit_code: 127, outcome: 'error' },
      },
    ],
    {},
    'claude reported: the hook SessionStart:startup failed: /bin/sh: 1: /nonexistent/x: not found',
  ],
];
for (const [what, facts, result, warning] of LACKING)
  test(`claude: ${what} is a warning on stderr and in the summary`, async ({ rig }) => {
    const end = { type: 'result', subtype: 'success', is_error: false, result: 'All good.', session_id: SESSION };
    rig.answer(() => [
      write([...lines(init(), ...facts), ...STREAMS.claude.says('All good.'), ...lines({ ...end, ...result })]),
    ]);
    const { code, record, said } = await runWrapper(rig, 'claude', ['--trust-workspace']).ended();
    assert.is(code, 0, said);
    assert.ok(record.warnings.some((one) => one.startsWith(warning)));
    assert.match(said, `claude_headless: warning: ${warning}`);
    const task = makeTask(rig, { stages: [{ tool: 'claude', role: 'brief', ...ANY_ANSWER }] });
    const ran = await task.run('--trust-workspace');
    assert.match(ran.said, `stage claude_brief: warning: ${warning}`);
    assert.match(ran.summary, warning);
  });

test('copilot: a sub-agent that failed is a warning on stderr', async ({ rig }) => {
  const data = { toolCallId: '1', agentName: 'general-purpose', error: '400 Incorrect API key provided' };
  rig.answer(() => [write(lines({ ...copilot('subagent.failed', data), agentId: 'x' })), ...answered('copilot')]);
  const { code, said } = await runWrapper(rig, 'copilot', ['--trust-workspace']).ended();
  assert.is(code, 0, said);
  assert.match(said, 'warning: copilot reported: the sub-agent general-purpose failed: 400 Incorrect API key provided');
});

/** What the real CLI prints of a setting that it does not know. */
const MISTAKE: FakeCommand = {
  do: 'write',
  to: 'stderr',
  text: `Invalid configuration in /home/u/.gemini/settings.json:

Error in: mcpServers.tickets
    Unrecognized key(s) in object: 'commnd'

Please fix the configuration.
See: https://geminicli.com/docs/reference/configuration/
`,
};

test('gemini: invalid settings, and a server that has them, are warnings on stderr', async ({ rig }) => {
  rig.answer(() => [MISTAKE, ...answered('gemini')]);
  const { code, record, said } = await runWrapper(rig, 'gemini', ['--trust-workspace']).ended();
  assert.is(code, 0, said);
  const [server, file] = record.warnings;
  assert.match(server!, /^MCP server "tickets" was not connected .*its settings are invalid \(.*worked without it$/);
  assert.match(file!, 'gemini reported: invalid configuration in /home/u/.gemini/settings.json');
  for (const warning of [server, file]) assert.match(said, `warning: ${warning}`);
});

test('gemini: a required server that its settings give nothing to start is refused before anything is paid', async ({
  rig,
}) => {
  rig.write('.gemini/settings.json', '{"mcpServers": {"tickets": {"commnd": "none"}}}');
  rig.answer(() => answered('gemini'));
  const { record } = await runWrapper(rig, 'gemini', ['--trust-workspace', '--require-mcp', 'tickets']).ended();
  assert.equal(
    [record.ending, record.verdict.class, record.verdict.reason],
    ['not_started', 'tooling', 'mcp_server'],
    JSON.stringify(record.verdict),
  );
});

const COPILOT_SERVERS = '../home/.copilot/mcp-config.json';

/** Mistakes that the real CLIs ignore silently. */
const IGNORED: [tool: BuiltIn, file: string, text: string, says: string][] = [
  ['claude', '.mcp.json', '{"mcpServers": {"tickets": {"command": "x"}, }', 'the MCP servers of '],
  ['claude', '.mcp.json', '{"mcpServers": {"tickets": {"comand": "x"}}}', 'MCP server "tickets" failed: its settings'],
  ['copilot', COPILOT_SERVERS, '{"mcpServers": {"tickets": {"command": "x"}, }', 'the MCP servers of '],
  ['copilot', COPILOT_SERVERS, '{"mcpServers": {"tickets": {}}}', 'MCP server "tickets" failed: its'],
  ['gemini', '.gemini/settings.json', '{"mcpServers": {"tickets": {}}}', 'MCP server "tickets" failed: its settings'],
];
for (const [tool, file, text, says] of IGNORED)
  test(`${tool}: ${file} with ${text} is a warning, and a refusal where a server is required`, async ({ rig }) => {
    rig.write(file, text);
    rig.answer(() => answered(tool));
    const call = (...flags: string[]) => runWrapper(rig, tool, ['--trust-workspace', ...flags]).ended();
    const { code, record, said } = await call();
    assert.is(code, 0, said);
    assert.equal(record.warnings.length, 1);
    assert.ok(record.warnings[0]!.startsWith(says), record.warnings[0]);
    assert.match(said, `warning: ${record.warnings[0]}`);
    for (const required of ['all', 'tickets']) {
      const { record, said } = await call('--require-mcp', required);
      assert.equal([record.ending, record.verdict.reason], ['not_started', 'mcp_server'], said);
    }
  });

test('copilot: comments, trailing commas and an empty file are no mistake', async ({ rig }) => {
  rig.answer(() => answered('copilot'));
  for (const text of ['{ // x, }\n"mcpServers": {"db": {"command": "a//b,}", /* , */ }, },}', '', '\ufeff{}']) {
    rig.write(COPILOT_SERVERS, text);
    const { record } = await runWrapper(rig, 'copilot', ['--trust-workspace']).ended();
    assert.equal(record.warnings, [], text);
  }
});

test('claude: a settings file that it would ignore, deny rules and all, is refused before anything is paid', async ({
  rig,
}) => {
  rig.write('.claude/settings.json', '{"permissions": {"deny": ["Bash(rm:*)"],}}');
  rig.answer(() => answered('claude'));
  const { code, record, said } = await runWrapper(rig, 'claude', ['--trust-workspace']).ended();
  assert.is.not(code, 0);
  assert.equal(
    [record.ending, record.verdict.class, record.verdict.reason],
    ['not_started', 'tooling', 'config'],
    JSON.stringify(record.verdict),
  );
  assert.match(said, '.claude/settings.json is not a JSON object, and claude would ignore it');
});

/** The log that the fake was told to write. */
const logOf = ({ report }: FakeCall): string =>
  report.env.GEMINI_TELEMETRY_OUTFILE ?? report.argv.find((word) => word.startsWith('--debug-file='))!.slice(13);

test('gemini: an answer that its service cut is a warning on stderr, unless the user has the telemetry', async ({
  rig,
}) => {
  const text = '{\n    "finish_reasons": [\n      "length"\n    ],\n    "role": "main"\n}\n';
  const asked: (string | undefined)[] = [];
  rig.answer((call) => {
    asked.push(call.report.env.GEMINI_TELEMETRY_OUTFILE);
    return [
      ...(asked.at(-1) === undefined ? [] : [{ do: 'save', file: logOf(call), text } as const]),
      ...answered('gemini'),
    ];
  });
  const { code, record, said } = await runWrapper(rig, 'gemini', ['--trust-workspace']).ended();
  assert.is(code, 0, said);
  const cut =
    'gemini reported: the answer may be incomplete: the limit of an answer was reached (finish reason length)';
  assert.equal(record.warnings, [cut]);
  assert.match(said, `warning: ${cut}`);
  assert.not.ok(existsSync(asked[0]!));
  rig.write('.gemini/settings.json', '{"telemetry": {"enabled": false}}');
  assert.equal((await runWrapper(rig, 'gemini', ['--trust-workspace']).ended()).record.warnings, []);
  assert.is(asked[1], undefined);
});

test('copilot: an answer that its service cut is a warning on stderr, as its session has it', async ({ rig }) => {
  rig.answer(({ report }) => {
    const id = report.argv.find((word) => word.startsWith('--session-id='))!.slice(13);
    const usage = { finishReason: 'length', interactionType: 'conversation-agent' };
    const timestamp = new Date(Date.now() + 1000).toISOString();
    const events = [
      { type: 'session.start', data: { sessionId: id, context: { cwd: report.cwd } }, timestamp },
      { type: 'session.usage_record', id: 'u', data: { usage }, timestamp },
    ];
    const file = path.join(report.env.HOME!, '.copilot/session-state', id, 'events.jsonl');
    mkdirSync(path.dirname(file), { recursive: true });
    return [{ do: 'save', file, text: `${lines(...events).join('\n')}\n` }, ...answered('copilot')];
  });
  const { code, record, said } = await runWrapper(rig, 'copilot', ['--trust-workspace']).ended();
  assert.is(code, 0, said);
  const cut =
    'copilot reported: the answer may be incomplete: the limit of an answer was reached (finish reason length)';
  assert.equal(record.warnings, [cut]);
  assert.match(said, `warning: ${cut}`);
});

test('claude: a server whose tools it could not list is a warning, and a failure where it is required', async ({
  rig,
}) => {
  const text = 'x [ERROR] MCP server "db" Failed to fetch tools: Connection closed\n';
  rig.answer((call) => [
    { do: 'save', file: logOf(call), text },
    write(lines(init(['db', 'connected']))),
    ...answered('claude'),
  ]);
  const { code, record, said } = await runWrapper(rig, 'claude', ['--trust-workspace']).ended();
  assert.is(code, 0, said);
  const lack = 'MCP server "db" failed: it listed no tools: Connection closed; the agent worked without it';
  assert.equal(record.warnings, [lack]);
  const required = await runWrapper(rig, 'claude', ['--trust-workspace', '--require-mcp', 'db']).ended();
  assert.is(required.record.verdict.reason, 'mcp_server');
});

test('codex: a model without metadata is a warning of the record alone, and another model one on stderr', async ({
  rig,
}) => {
  const item = (message: string) => ({ type: 'item.completed', item: { id: '1', type: 'error', message } });
  const notes = ['Model metadata for `m` not found. Defaulting to fallback metadata.', 'rerouted from m to n'];
  rig.answer(() => [write(lines(...notes.map(item))), ...answered('codex')]);
  const { record, said } = await runWrapper(rig, 'codex', ['--trust-workspace']).ended();
  for (const note of notes) assert.ok(record.warnings.includes(`codex reported: ${note}`));
  assert.not.match(said, 'Model metadata');
  assert.match(said, 'run_codex: warning: codex reported: rerouted from m to n');
});

/** Each requirement, and each way in which it is not met. */
const UNMET: [tool: BuiltIn, flags: string[], facts: FakeCommand[], says: string | null, reason: string][] = [
  ['claude', ['--require-mcp', 'tickets'], FAILED.claude, 'required MCP server "tickets" failed', 'mcp_server'],
  ['copilot', ['--require-mcp', 'all'], FAILED.copilot, 'required MCP server "tickets" failed', 'mcp_server'],
  ['codex', ['--require-mcp', 'tickets'], FAILED.codex, 'required MCP server "tickets" failed', 'mcp_server'],
  [
    'gemini',
    ['--require-mcp', 'all'],
    [write(lines(...DIED.gemini))],
    'required MCP server "docs" ended',
    'mcp_server',
  ],
  ['gemini', ['--require-mcp', 'all'], [MISTAKE], 'required MCP server "tickets" was not connected', 'mcp_server'],
  [
    'claude',
    ['--require-mcp', 'slow'],
    [write(lines(init(['slow', 'pending'])))],
    'required MCP server "slow" was not connected',
    'mcp_server',
  ],
  ['claude', ['--fail-on-denied'], [write(lines(init()))], null, 'tool_denied'],
  ['codex', ['--fail-on-denied'], [write(lines(DECLINED))], null, 'tool_denied'],
];
for (const [tool, flags, facts, says, reason] of UNMET)
  test(`${tool}: ${flags.join(' ')} makes it a failure`, async ({ rig }) => {
    configure(rig, tool);
    rig.answer(() => [...facts, ...(tool === 'claude' && reason === 'tool_denied' ? answeredDenied : answered(tool))]);
    const { code, record, said } = await runWrapper(rig, tool, ['--trust-workspace', ...flags]).ended();
    assert.is.not(code, 0);
    const errorClass = reason === 'mcp_server' ? 'tooling' : 'contract_violation';
    assert.equal([record.verdict.class, record.verdict.reason], [errorClass, reason], JSON.stringify(record.verdict));
    if (says !== null) assert.match(said, says);
  });

test('codex: a command that its sandbox stopped is reported by its log', async ({ rig }) => {
  const text =
    '2026-01-01T00:00:00Z  WARN codex_sandboxing::violation: recorded sandbox violation: resource=filesystem backend=linux_sandbox reason=read_only_file_system path=unknown\n';
  rig.answer(() => [{ do: 'write', to: 'stderr', text }, ...answered('codex')]);
  const { code, record } = await runWrapper(rig, 'codex', ['--trust-workspace', '--access', 'write']).ended();
  assert.is(code, 0);
  assert.is(
    record.warnings[0],
    'the tool command_execution was denied; to allow it: --access full, or for a commit --allow-commit',
  );
});

test('codex: a command that a hook of the user blocked is reported by its stderr, without a flag', async ({ rig }) => {
  const text =
    '2026-01-01T00:00:00Z ERROR codex_core::tools::router: error=Command blocked by PreToolUse hook: no pushes. Command: git push\n';
  rig.answer(() => [{ do: 'write', to: 'stderr', text }, ...answered('codex')]);
  const { code, record, said } = await runWrapper(rig, 'codex', ['--trust-workspace']).ended();
  const warning = 'the tool command_execution was denied by a hook: no pushes';
  assert.equal([code, record.denied_tools, record.warnings[0]], [0, ['command_execution'], warning]);
  assert.match(said, `run_codex: warning: ${warning}\n`);
  const refused = await runWrapper(rig, 'codex', ['--trust-workspace', '--fail-on-denied']).ended();
  assert.equal([refused.record.verdict.reason, refused.record.verdict.evidence?.text], ['tool_denied', warning]);
});

for (const [access, exitCode, way] of [
  [[], 128, '--access write --allow-commit'],
  [['--access', 'write'], 0, '--allow-commit'],
  [['--access', 'write', '--allow-commit'], 128, '--access full'],
] as const)
  test(`codex ${access.join(' ')}: a commit that its sandbox stopped (exit ${exitCode}) is reported`, async ({
    rig,
  }) => {
    const said = "fatal: Unable to create '/r/.git/worktrees/a b/index.lock': Read-only file system\nwent on\n";
    const item = { id: '1', type: 'command_execution', command: 'git commit', status: 'completed' };
    const facts = [{ type: 'item.completed', item: { ...item, aggregated_output: said, exit_code: exitCode } }];
    rig.answer(() => [write(lines(...facts)), ...answered('codex')]);
    const { code, record, said: printed } = await runWrapper(rig, 'codex', ['--trust-workspace', ...access]).ended();
    assert.is(code, 0, printed);
    assert.is(record.warnings[0], `the tool command_execution was denied; to allow it: ${way}`);
    assert.match(printed, record.warnings[0]!);
  });

const STOPPED = "fatal: Unable to create '/r/.git/index.lock': Read-only file system\n";

for (const [tool, access, way] of [
  ['claude', [], '--access write --allow-commit'],
  ['copilot', [], '--access write'],
  ['copilot', ['--access', 'write'], null],
  ['gemini', [], '--access full'],
] as const)
  test(`${tool} ${access.join(' ')}: a commit that a wall around it stopped is reported`, async ({ rig }) => {
    const { opens, runsTool }: Stream = STREAMS[tool];
    rig.answer(() => [write([...opens(SESSION), ...runsTool(STOPPED)]), ...answered(tool)]);
    const { code, record, said } = await runWrapper(rig, tool, ['--trust-workspace', ...access]).ended();
    assert.is(code, 0, said);
    assert.equal(record.denied_tools.length, 1);
    const how = way === null ? '' : `; to allow it: ${way}`;
    assert.is(record.warnings[0], `the tool ${record.denied_tools[0]} was denied${how}`);
  });

test('a git folder of another user stops a commit, too', async ({ rig }) => {
  const { opens, runsTool }: Stream = STREAMS.claude;
  const said = STOPPED.replace('Read-only file system', 'Permission denied');
  rig.answer(() => [write([...opens(SESSION), ...runsTool(said)]), ...answered('claude')]);
  const { record } = await runWrapper(rig, 'claude', ['--trust-workspace', '--access', 'write']).ended();
  assert.match(record.warnings[0]!, /^the tool \S+ was denied; to allow it: --allow-commit$/);
});

test('two uses of one tool that were denied for different reasons are both reported', async ({ rig }) => {
  const ran = (id: string, aggregated_output: string) => ({
    type: 'item.completed',
    item: { id, type: 'command_execution', command: 'x', status: 'failed', exit_code: 1, aggregated_output },
  });
  const facts = [ran('1', STOPPED), ran('2', "touch: cannot touch '/etc/a': Read-only file system\n")];
  const log =
    '2026-01-01T00:00:00Z  WARN codex_sandboxing::violation: recorded sandbox violation: resource=filesystem backend=linux_sandbox reason=read_only_file_system path=unknown\n';
  rig.answer(() => [{ do: 'write', to: 'stderr', text: log }, write(lines(...facts)), ...answered('codex')]);
  const { code, record } = await runWrapper(rig, 'codex', ['--trust-workspace', '--access', 'write']).ended();
  assert.is(code, 0);
  assert.equal(record.warnings.slice(0, 2), [
    'the tool command_execution was denied; to allow it: --allow-commit',
    'the tool command_execution was denied; to allow it: --access full, or for a commit --allow-commit',
  ]);
});

for (const [allowed, writable] of [
  [true, true],
  [false, false],
] as const)
  test(`a stage with allow_commit: ${allowed}: codex may${writable ? '' : ' not'} write to the git folder`, async ({
    rig,
  }) => {
    const seen: string[][] = [];
    rig.write('.git/HEAD', 'ref: refs/heads/main\n');
    rig.write('.git/objects/.keep', '');
    rig.write('.git/refs/.keep', '');
    rig.answer((call) => {
      seen.push(call.report.argv);
      return [{ do: 'save', file: 'a.txt', text: 'x\n' }, ...answered('codex')];
    });
    const stage = { tool: 'codex', role: 'impl', ...ANY_ANSWER, ...(allowed ? { allow_commit: true } : {}) };
    const { code, said } = await makeTask(rig, { stages: [stage] }).run('--trust-workspace');
    assert.is(code, 0, said);
    assert.is(seen[0]!.join(' ').includes('.git'), writable, seen[0]!.join(' '));
  });

test('a flag that has no effect is printed, not only recorded', async ({ rig }) => {
  rig.answer(() => answered('gemini'));
  const { said } = await runWrapper(rig, 'gemini', ['--trust-workspace', '--access=write', '--allow-commit']).ended();
  assert.match(said, 'warning: gemini runs no commands with `--access write`, so `--allow-commit` has no effect');
});

test('--allow-commit with read access is refused before anything is charged', async ({ rig }) => {
  const { code, said } = await runWrapper(rig, 'codex', ['--trust-workspace', '--allow-commit']).ended();
  assert.is(code, 2, said);
  assert.match(said, '--allow-commit has no effect with read access: add --access write');
});

test('a stage: both warnings are in the summary, with a field of the manifest, and on stderr', async ({ rig }) => {
  rig.answer(() => [write(lines(init(['tickets', 'failed']))), ...answeredDenied]);
  const stage = { tool: 'claude', role: 'brief', ...ANY_ANSWER };
  const { code, said, summary, report } = await makeTask(rig, { stages: [stage] }).run('--trust-workspace');
  assert.is(code, 0, said);
  const all = [
    'MCP server "tickets" failed; the agent worked without it',
    'the tool Bash was denied; to allow it: `allow_tool: ["Bash(git push)"]` in the stage',
  ];
  for (const one of all) {
    assert.match(summary, `Warning: claude_brief: ${one}`);
    assert.match(said, `stage claude_brief: warning: ${one}`);
    assert.ok(report.stages[0]!.warnings.includes(`claude_brief: ${one}`));
  }
});

test('a stage: requires_mcp and on_denied fail it after one paid call', async ({ rig }) => {
  const seen: string[][] = [];
  rig.answer((call) => {
    seen.push(call.report.argv);
    return [...FAILED.claude, ...answered('claude')];
  });
  const stage = { tool: 'claude', role: 'brief', ...ANY_ANSWER };
  const required = makeTask(rig, { stages: [{ ...stage, requires_mcp: ['tickets'] }] }, 'one');
  const { code, report, summary } = await required.run('--trust-workspace');
  assert.is(code, 1);
  assert.equal([report.failure?.class, report.failure?.reason], ['tooling', 'mcp_server']);
  assert.match(summary, 'required MCP server "tickets" failed');
  assert.is(seen.length, 1);
  const denied = [{ type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't1' }];
  rig.answer((call) => {
    seen.push(call.report.argv);
    return [write(lines(init(), ...denied)), ...answered('claude')];
  });
  const allowed = { ...stage, on_denied: 'fail', allow_tool: ['Bash(git log)'] };
  const ran = await makeTask(rig, { stages: [allowed] }, 'two').run('--trust-workspace');
  assert.is(ran.code, 1);
  assert.equal([ran.report.failure?.class, ran.report.failure?.reason], ['contract_violation', 'tool_denied']);
  assert.is(seen.length, 2);
  assert.ok(seen[1]!.includes('--allowedTools=Bash(git log)'));
  assert.ok(ran.report.next_actions.length > 0);
});

test('a CLI that a project describes: its own fields tell both; without them what is required is refused', async ({
  rig,
}) => {
  const script = [
    'echo \'{"kind":"mcp","name":"tickets"}\'',
    'echo \'{"kind":"denied","tool":"shell"}\'',
    'echo \'{"kind":"answer","text":"All good."}\'',
  ].join('\n');
  rig.write('mine.sh', `#!/bin/sh\ncat > /dev/null\n${script}\n`);
  const row = (more: string) => `tools:
  mine:
    binary: sh
    argv: [mine.sh]
    output: lines
    events:
      - {when: {kind: answer}, answer: text}
${more}`;
  const call = (...flags: string[]) =>
    rig.run('tollgate', [
      ...['call', 'mine', '--prompt-file', 'ask.md', '--out', 'a', '--err', 'e', '--trust-workspace', '--json'],
      ...flags,
    ]);
  rig.write('ask.md', 'Say hello.\n');
  rig.write(
    'tollgate.yaml',
    row('      - {when: {kind: mcp}, server_failed: name}\n      - {when: {kind: denied}, denied: tool}\n'),
  );
  const noted = await call();
  assert.is(noted.code, 0, noted.stderr);
  assert.equal(JSON.parse(noted.stdout).warnings, [
    'MCP server "tickets" failed; the agent worked without it',
    'the tool shell was denied',
  ]);
  assert.is(JSON.parse((await call('--require-mcp', 'tickets')).stdout).verdict.reason, 'mcp_server');
  assert.is(JSON.parse((await call('--fail-on-denied')).stdout).verdict.reason, 'tool_denied');
  rig.write('tollgate.yaml', row(''));
  for (const flags of [['--require-mcp', 'tickets'], ['--fail-on-denied']]) {
    const refused = await call(...flags);
    assert.is(refused.code, 11, refused.stderr);
    assert.match(refused.stderr, 'has no event with');
  }
});

test('what a task that is done lacks is in each later view of it: a run that pays nothing, a batch, status, a wait and each report', async ({
  rig,
}) => {
  rig.answer(() => [...FAILED.claude, ...answeredDenied]);
  const [one] = ['one', 'two'].map((id) =>
    makeTask(rig, { stages: [{ tool: 'claude', role: 'brief', ...ANY_ANSWER }] }, id),
  );
  const tollgate = async (...argv: string[]) => {
    const { code, stdout, stderr } = await rig.run('tollgate', argv);
    assert.is(code, 0, stderr);
    return { stdout, stderr };
  };
  const server = 'claude_brief: MCP server "tickets" failed; the agent worked without it';
  const tool = 'claude_brief: the tool Bash was denied; to allow it: `allow_tool: ["Bash(git push)"]` in the stage';
  const batch = await tollgate('batch', 'one', 'two', '--trust-workspace');
  for (const lack of [server, tool]) {
    assert.match(batch.stdout, `\nWarning: one, two: ${lack}\n`);
    assert.match(batch.stderr, `one: done: ${server}; ${tool} [`);
    assert.match((await one!.run()).summary, `\nWarning: ${lack}\n`);
    for (const argv of [['status'], ['report']]) assert.match((await tollgate(...argv)).stdout, `\nWarning: `);
  }
  for (const [format, text] of [
    ['md', `- Warning: one, two: ${server}`],
    ['junit', `warning: ${server.slice('claude_brief: '.length).replaceAll('"', '&quot;')}`],
    ['html', '<dt>warnings</dt>'],
    ['github', `::warning `],
    ['sarif', 'answer/lacks'],
  ] as const)
    assert.match((await tollgate('report', '--format', format)).stdout, text);
  assert.match(
    (await tollgate('explain', 'one')).stdout,
    `nothing of one has failed, but something is missing: ${server}; ${tool}`,
  );
  const waited = await rig.run('wait_parallel_tasks', ['one', '--json']);
  assert.match(waited.stderr, `; warning: ${server}; warning: ${tool}\n`);
  assert.equal(JSON.parse(waited.stdout).tasks[0].lacks, [server, tool]);
  const { tasks } = JSON.parse((await tollgate('status', '--json')).stdout) as TasksStatus;
  assert.equal(
    tasks.map(({ lacks }) => lacks),
    [
      [server, tool],
      [server, tool],
    ],
  );
  assert.is(rig.calls.length, 2);
});

test.run();
