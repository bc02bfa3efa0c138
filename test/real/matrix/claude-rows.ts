// What claude alone has: structured answers, hooks, sub-agents, MCP servers, background commands, the limits of a plan.

import type { MatrixRow } from './rows.ts';

const hook = (event: string, command: string) => ({
  '.claude/settings.json': JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } }),
});
const server = (command: string, ...args: string[]) => ({
  '.claude.json': JSON.stringify({ mcpServers: { helper: { type: 'stdio', command, args } } }),
});
const SCHEMA = JSON.stringify({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
const structured = { flags: ['--json-schema', SCHEMA] };
const HANGS = 'tail -f /dev/null';
const AGENT = 'callraw=Agent:{"description":"look","prompt":"Look.","subagent_type":"general-purpose"}';

const ROWS: readonly Omit<MatrixRow, 'tools'>[] = [
  { name: 'structured answer', scenario: 'structured={"name":"x"}', class: null, requests: 1, setup: structured },
  {
    name: 'structured answer that does not fit',
    scenario: 'structured={"nome":1}',
    class: 'contract_violation',
    requests: 1,
    setup: structured,
  },
  // It asks on in the moment in which it says so.
  {
    name: 'words for a structured answer',
    scenario: 'ok',
    class: 'contract_violation',
    requests: 2,
    setup: structured,
  },
  {
    name: 'a schema that is none',
    scenario: 'ok',
    class: 'tooling',
    requests: 0,
    setup: { flags: ['--json-schema', '{"type":"nope"}'] },
  },
  {
    name: 'hook that refuses a tool',
    scenario: 'tool',
    class: null,
    requests: 2,
    setup: { home: hook('PreToolUse', 'exit 2') },
  },
  {
    name: 'hook that refuses the prompt',
    scenario: 'ok',
    class: 'tooling',
    requests: 0,
    setup: { home: hook('UserPromptSubmit', 'exit 2') },
  },
  // The user's own hook asks on; claude overrules it at last.
  {
    name: 'hook that never lets it stop',
    scenario: 'ok',
    class: null,
    requests: 9,
    pieces: 9,
    setup: { home: hook('Stop', 'exit 2') },
  },
  {
    name: 'hook that hangs at the start',
    scenario: 'ok',
    class: 'transient',
    exit: 'timeout',
    requests: 0,
    deadline: 'involved',
    setup: { home: hook('SessionStart', HANGS) },
  },
  {
    // After our signal claude mostly gives the hook up and reports success. That is too late to count.
    name: 'hook that hangs at the end',
    scenario: 'ok',
    class: 'transient',
    exit: 'timeout',
    requests: 1,
    deadline: 'involved',
    setup: { home: hook('Stop', HANGS) },
  },
  { name: 'sub-agent', scenario: 'ok', class: null, requests: 3, setup: { script: [AGENT] } },
  {
    name: 'sub-agent that is refused',
    scenario: 'ok',
    class: null,
    requests: 3,
    setup: { script: [AGENT, '429'] },
  },
  { name: 'MCP server that dies', scenario: 'ok', class: null, requests: 1, setup: { home: server('false') } },
  {
    name: 'MCP server that never answers',
    scenario: 'ok',
    class: null,
    requests: 1,
    setup: { home: server('tail', '-f', '/dev/null') },
  },
  {
    name: 'MCP server of a call over its time',
    scenario: 'slow',
    class: 'transient',
    exit: 'timeout',
    requests: 1,
    deadline: 'involved',
    setup: { home: server('tail', '-f', '/dev/null') },
  },
  {
    name: 'command for the background',
    scenario: 'callraw=Bash:{"command":"tail -f /dev/null","run_in_background":true}',
    class: null,
    requests: 2,
  },
  {
    name: 'limit of a plan',
    scenario: 'planlimit=five_hour',
    class: 'quota',
    requests: 1,
    setup: { route: 'claude by login' },
  },
];

export const CLAUDE_ROWS: readonly MatrixRow[] = ROWS.map((row) => ({ ...row, tools: ['claude'] }));
