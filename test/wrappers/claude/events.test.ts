// What claude's event stream tells: the answer with all its pieces, what is not the answer, what is tried again, and what it cost.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineEvent } from '../../../policies/facts/engine-event.ts';
import { classify } from '../../../policies/verdict/classify.ts';
import { createCapture } from '../../../wrappers/capture.ts';
import { readEvent, readLog } from '../../../wrappers/claude/events.ts';

const NOW = new Date('2026-11-23T00:00:00.000Z');

const read = (...events: object[]): EngineEvent[] => events.flatMap((event) => readEvent(JSON.stringify(event)));

function captured(...events: object[]) {
  const capture = createCapture();
  for (const event of read(...events)) capture.add(event);
  return capture.result();
}

const says = (text: string, more: object = {}, id = 'msg_1') => ({
  type: 'assistant',
  message: { id, model: 'm', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
  ...more,
});
const calls = (id: string, name: string) => ({
  type: 'assistant',
  message: { id: 'msg_0', model: 'm', content: [{ type: 'tool_use', id, name, input: {} }] },
});
const results = (id: string, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
  ...more,
});
const goesOn = (text: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text }] },
  isSynthetic: true,
});
const MODEL = { inputTokens: 11, outputTokens: 7, cacheReadInputTokens: 5, costUSD: 0.25, costBasis: 'list' };
const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'the last piece alone',
  terminal_reason: 'completed',
  result_index: 0,
  model_usage_since_last_result: { m: MODEL },
  ...more,
});

test('the answer is what was said after the last tool', () => {
  const { answer, completed, tools } = captured(
    says('I look.'),
    calls('t1', 'Agent'),
    results('t1'),
    says('Done.'),
    result(),
  );
  assert.equal([answer, completed, tools], ['Done.', true, 1]);
});

for (const whose of [{ parent_tool_use_id: 't1' }, { agent_id: 'a' }])
  test(`no sub-agent says any of the answer, and its tools end none: ${Object.keys(whose)[0]}`, () => {
    const { answer, completed, tools } = captured(
      says('Done.'),
      // One that works in the background continues after the answer.
      says('what the sub-agent says', whose),
      { ...calls('t2', 'Bash'), ...whose },
      results('t2', whose),
      result(),
    );
    assert.equal([answer, completed, tools], ['Done.', true, 0]);
  });

test('an answer that was cut continues where it stopped: all of its pieces are the answer', () => {
  const capture = captured(
    says('The first ha'),
    goesOn('Output token limit hit. Resume directly — no apology.'),
    says('lf, and the second.', {}, 'msg_2'),
    result(),
  );
  assert.equal([capture.answer, capture.completed, capture.retries], ['The first half, and the second.', true, 1]);
});

const AGAIN: [text: string, retries: number][] = [
  ['Your response above was cut off mid-stream. Resume directly from where it stops', 1],
  ['[Your previous response had no visible output. Please continue and produce a user-visible response.]', 1],
  ['Your response above was stopped by a safety classifier — this is not a tool or API error.', 1],
  ['Your tool call was malformed and could not be parsed. Please retry.', 1],
  ['Stop hook feedback:\n[lint]: continue', 0],
  ['[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request.', 1],
];
for (const [text, retries] of AGAIN)
  test(`${text.slice(0, 50)}: ${retries} retries`, () => assert.is(captured(goesOn(text)).retries, retries));

test('`is_error` decides, and not `subtype`', () => {
  const { completed, failure } = captured(
    says('API Error: 500', { message: { model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 500' }] } }),
    result({ is_error: true, result: 'API Error: 500 Internal server error.', api_error_status: 500 }),
  );
  assert.is(completed, false);
  assert.equal([failure?.status, failure?.message], [500, 'API Error: 500 Internal server error.']);
});

test('a turn that was aborted is no success, whatever its result says', () => {
  const { completed, failure } = captured(says('half'), result({ terminal_reason: 'aborted_streaming' }));
  assert.equal([completed, failure?.message], [false, 'the turn was aborted (aborted_streaming)']);
});

test('a prompt that a hook stopped, and a run that it ended, are no success', () => {
  const blocked = { type: 'system', subtype: 'informational', content: 'blocked by hook', prevent_continuation: true };
  for (const events of [
    [blocked, result({ terminal_reason: undefined, result: 'blocked by hook' })],
    [says('half'), result({ terminal_reason: 'hook_stopped' })],
  ]) {
    const { completed, failure } = captured(...events);
    assert.equal([completed, failure?.code], [false, 'hook_stopped']);
  }
});

test('a denied tool is told by its name', () => {
  const meta = [{ id: 't1', permission_decision: { decision: 'reject', source: 'config' } }];
  assert.equal(captured(calls('t1', 'Bash'), results('t1', { tool_result_meta: meta })).denials, [
    { tool: 'Bash', rule: null },
  ]);
  assert.equal(captured(calls('t1', 'Bash'), results('t1')).denials, []);
});

const limited = (more: object) => ({ type: 'rate_limit_event', rate_limit_info: { resetsAt: 1795413497, ...more } });

test('a limit of the plan is a quota, until the time that its own event tells', () => {
  const { failure, errors } = captured(
    limited({ status: 'rejected', rateLimitType: 'five_hour' }),
    result({
      is_error: true,
      result: "You've hit your 5-hour limit",
      api_error_status: 429,
      api_error: 'usage_limit_reached',
    }),
  );
  const verdict = classify(
    {
      ...{ tool: 'claude', ending: 'exited', exitCode: 1, signal: null, completed: false, answerChars: 0 },
      ...{ failure, errors, retried: null, stderr: [], remarks: [], obstacle: null, tokens: 0 },
    },
    { now: NOW, timeZone: 'UTC' },
  );
  assert.equal([verdict.class, verdict.reason, verdict.retry_at], ['quota', 'plan', '2026-11-23T05:58:17.000Z']);
});

test('a limit that is only told of is no error', () => {
  assert.equal(captured(limited({ status: 'allowed' })).errors, []);
});

test('what is counted is of this call alone, and a model without a price costs nobody knows what', () => {
  const usageOf = (model: object) => captured(result({ model_usage_since_last_result: { m: model } })).usage;
  const { input_tokens, cached_tokens, output_tokens, total_tokens, usd } = usageOf(MODEL);
  assert.equal([input_tokens, cached_tokens, output_tokens, total_tokens, usd], [16, 5, 7, 23, 0.25]);
  assert.is(usageOf({ ...MODEL, costBasis: 'unknown' }).usd, null);
});

test('a later result counts on top of the one before it', () => {
  const counts = (model: object, index: number) =>
    result({ model_usage_since_last_result: { m: model }, result_index: index });
  const { input_tokens, cached_tokens, output_tokens, usd } = captured(counts(MODEL, 0), counts(MODEL, 1)).usage;
  assert.equal([input_tokens, cached_tokens, output_tokens, usd], [32, 10, 14, 0.5]);
  assert.is(captured(counts(MODEL, 0), counts({ ...MODEL, costBasis: 'unknown' }, 1)).usage.usd, null);
});

test('a structured answer is what its tool was given, and words in its place are asked for anew', () => {
  const schema = { structured_output: { name: 'x' }, result: '{"name":"x"}' };
  const told = captured(says('I look.'), calls('t1', 'StructuredOutput'), results('t1'), result(schema));
  assert.equal([told.answer, told.completed], ['{"name":"x"}', true]);
  const words = captured(says('x'), goesOn('[structured-output-enforce] You MUST call the StructuredOutput tool.'));
  assert.equal([words.completed, words.retries], [false, 1]);
  const failed = { is_error: true, subtype: 'error_max_structured_output_retries', result: undefined };
  const errors = ['Failed to provide valid structured output after 1 attempts'];
  const { failure } = captured(calls('t1', 'StructuredOutput'), results('t1'), result({ ...failed, errors }));
  assert.equal([failure?.code, failure?.message], [failed.subtype, errors[0]]);
});

test('a cost of which a part is not known is not known, whichever part comes first', () => {
  const [priced, unpriced] = ['list', 'unknown'].map((costBasis) => ({ m: { ...MODEL, costBasis } }));
  const usd = (...results: (object | undefined)[]) =>
    captured(...results.map((one, at) => result({ model_usage_since_last_result: one, result_index: at }))).usage.usd;
  assert.equal(
    [usd(priced, priced), usd(unpriced, priced), usd(priced, unpriced), usd(unpriced)],
    [0.5, null, null, null],
  );
  assert.is(usd({ ...unpriced, n: { ...MODEL } }), null);
});

test('what claude warns of on its own is a warning', () => {
  const warning = { type: 'system', subtype: 'informational', content: 'A hook blocked the turn.', level: 'warning' };
  assert.equal(captured(warning, says('Done.'), result()).warnings, ['A hook blocked the turn.']);
});

const hookEnds = (name: string, exit_code: number, stderr: string, outcome = 'error') => ({
  ...{ type: 'system', subtype: 'hook_response', hook_id: 'h', hook_name: name, hook_event: name.split(':')[0] },
  ...{ output: stderr, stdout: '', stderr, exit_code, outcome },
});
const HOOKS: [what: string, events: object[], warnings: string[]][] = [
  [
    'one that is missing',
    [hookEnds('SessionStart:startup', 127, '/bin/sh: 1: /nonexistent/x: not found\n')],
    ['the hook SessionStart:startup failed: /bin/sh: 1: /nonexistent/x: not found'],
  ],
  ['one without words', [hookEnds('UserPromptSubmit', 1, '')], ['the hook UserPromptSubmit failed: exit code 1']],
  [
    'one over its time',
    [hookEnds('PostToolUse:Bash', 1, '', 'cancelled')],
    ['the hook PostToolUse:Bash failed: it did not finish'],
  ],
  [
    'one that cannot block',
    [hookEnds('SessionStart:startup', 2, 'boom\n')],
    ['the hook SessionStart:startup failed: boom'],
  ],
  ['one that blocks', [hookEnds('PostToolUse:Bash', 2, 'boom\n'), hookEnds('Stop', 2, 'go on')], []],
  ['one that works', [hookEnds('SessionStart:startup', 0, '', 'success')], []],
];
for (const [what, events, warnings] of HOOKS)
  test(`a hook that fails is a warning: ${what}`, () =>
    assert.equal(captured(...events, says('Done.'), result()).warnings, warnings));

test('a hook that fails is one warning, whatever else is told of it', () => {
  const [stopNote, toolNote] = [
    'stop hook problem · ctrl+o to see',
    "A hook gave no usable answer, so it didn't check this action.",
  ];
  const notes = [
    { type: 'system', subtype: 'notification', key: 'stop-hook-error', text: stopNote, priority: 'immediate' },
    { type: 'system', subtype: 'informational', content: toolNote, level: 'warning', tag: 'hook_no_verdict' },
  ];
  const ends = [hookEnds('Stop', 1, 'boom\n'), hookEnds('PreToolUse:Bash', 127, 'not found')];
  assert.equal(captured(...ends, ...notes, says('Done.'), result()).warnings, [
    'the hook Stop failed: boom',
    'the hook PreToolUse:Bash failed: not found',
  ]);
  assert.equal(captured(...notes, says('Done.'), result()).warnings, [stopNote, toolNote]);
});

test('what a success lacks is a warning: its own model, the rest of the answer, the work of sub-agents, a blocked tool', () => {
  const fallback = {
    type: 'system',
    subtype: 'model_fallback',
    trigger: 'overloaded',
    original_model: 'm',
    fallback_model: 'n',
  };
  const { model, warnings } = captured(fallback, says('Done.'), result());
  assert.equal([model, warnings], ['n', ['the model n answered instead of m (overloaded)']]);

  const lacking = (more: object) => {
    const { completed, warnings } = captured(says('Done.'), result(more));
    assert.ok(completed);
    return warnings;
  };
  assert.equal(lacking({ stop_reason: 'end_turn' }), []);
  assert.equal(lacking({ stop_reason: 'tool_use', structured_output: {} }), []);
  assert.equal(lacking({ stop_reason: 'tool_use' }), [
    'the answer may be incomplete: the run ended at a tool call (stop_reason tool_use)',
  ]);
  for (const stop_reason of ['max_tokens', 'model_context_window_exceeded', 'pause_turn', 'refusal'])
    assert.match(lacking({ stop_reason })[0]!, 'the answer may be incomplete: ');
  const killed = { parent: 0, user: 0, system: 0 };
  assert.equal(lacking({ subagent_stats: { spawned: 2, completed: 2, failed: 0, killed } }), []);
  assert.equal(lacking({ subagent_stats: { spawned: 4, completed: 1, failed: 1, killed: { ...killed, system: 1 } } }), [
    'sub-agents that had not finished at the end of the run: 1',
    'sub-agents that failed or were ended: 2',
  ]);

  const content = 'PreToolUse:Bash hook error: [check.sh]: no pushes today\n';
  const blocked = { type: 'tool_result', tool_use_id: 't1', is_error: true, content };
  const byHook = { type: 'user', message: { role: 'user', content: [blocked] } };
  const early = { type: 'system', subtype: 'permission_denied', tool_use_id: 't1', tool_name: 'Bash' };
  for (const before of [[], [early]]) {
    const seen = captured(calls('t1', 'Bash'), ...before, byHook, says('Done.'), result());
    assert.equal(seen.denials, [{ tool: 'Bash', rule: null, by: 'a hook: no pushes today' }]);
  }
});

test('a hook that asks denies, a lost transcript is a warning, and older versions sum up their models', () => {
  const asked = { type: 'system', subtype: 'permission_denied', tool_use_id: 't1', tool_name: 'Bash' };
  const lost = { type: 'system', subtype: 'session_writes_lost', error_code: 'ENOSPC', lost: ['transcript'] };
  const reason = { decision_reason_type: 'hook', decision_reason: 'ask first' };
  const modelUsage = { m: { inputTokens: 11, outputTokens: 7, costUSD: 0.5 } };
  const seen = captured(
    calls('t1', 'Bash'),
    { ...asked, ...reason },
    says('Done.'),
    result({ modelUsage, model_usage_since_last_result: undefined }),
    lost,
  );
  assert.equal(seen.denials, [{ tool: 'Bash', rule: null, by: 'a hook: ask first' }]);
  assert.equal(seen.warnings, ['its session was not saved whole (ENOSPC): transcript']);
  assert.equal([seen.usage.output_tokens, seen.usage.usd], [7, 0.5]);
  const unnamed = { model_usage_since_last_result: undefined, modelUsage: {}, total_cost_usd: 0.01 };
  const used = { input_tokens: 10, cache_read_input_tokens: 2, output_tokens: 5 };
  const { usage } = captured(says('Done.'), result({ ...unnamed, usage: used }));
  assert.equal([usage.input_tokens, usage.cached_tokens, usage.total_tokens, usage.usd], [12, 2, 17, 0.01]);
  const none = captured(says('Done.'), result({ ...unnamed, usage: { input_tokens: 0, output_tokens: 0 } }));
  assert.equal([none.usage.total_tokens, none.usage.usd], [null, null]);
});

test('its debug log is read for what it ignores, and for a server whose tools it could not list', () => {
  const told = (text: string) => readLog(`2026-11-30T12:49:41.000Z ${text}`);
  const skipped =
    'Invalid setting skipped without dialog (automated session): /p/.claude/settings.json: model: Expected string';
  assert.equal(told(`[ERROR] ${skipped}`), [
    {
      how: 'warned',
      message:
        'an invalid setting, which may cost its whole file with the deny rules: /p/.claude/settings.json: model: Expected string',
    },
  ]);
  assert.equal(told('[ERROR] MCP server "my db" Failed to fetch tools: Connection closed'), [
    { how: 'server', name: 'my db', state: 'failed', why: 'it listed no tools: Connection closed', final: true },
  ]);
  assert.equal(told('[ERROR] MCP config errors for /p/.mcp.json: ["Does not adhere to the schema"]'), [
    { how: 'warned', message: 'the MCP servers of /p/.mcp.json did not start: ["Does not adhere to the schema"]' },
  ]);
  for (const text of [
    `[DEBUG] ${skipped}`,
    '[ERROR] MCP config errors for /p/.mcp.json: ["MCP config is not a valid JSON"]',
    '[ERROR] MCP config errors for /p/.mcp.json: ["Invalid input: expected record, received undefined"]',
    '[ERROR] Failed to save config with lock',
  ])
    assert.equal(told(text), [], text);
});

test('a server whose tools it could not list failed, whether its init comes before or after; not if a tool answers', () => {
  const init = { type: 'system', subtype: 'init', mcp_servers: [{ name: 'db', status: 'connected' }] };
  const failed = readLog('x [ERROR] MCP server "db" Failed to fetch tools: Connection closed');
  const connected = readEvent(JSON.stringify(init));
  const states = (...events: EngineEvent[]) => {
    const capture = createCapture();
    for (const event of events) capture.add(event);
    return capture.result().servers.map(({ state }) => state);
  };
  assert.equal(states(...failed, ...connected), ['failed']);
  assert.equal(states(...connected, ...failed), ['failed']);
  const ended: EngineEvent = { how: 'tool_ended', id: '1', name: null, denied: false };
  assert.equal(states(...failed, { how: 'tool_began', id: '1', name: 'mcp__db__q', server: 'db' }, ended), [
    'connected',
  ]);
});

test.run();
