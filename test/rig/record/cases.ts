// Lists what is recorded of each CLI: the scenarios, and the calls that fail for a special reason.

import type { BuiltIn } from '../../../policies/facts/tools.ts';
import type { CallRequest } from '../../../wrappers/adapter.ts';
import type { RouteName } from '../../real/routes.ts';
import { SCENARIO_NAMES } from '../model-api/scenario.ts';

export interface RecordedCase {
  name: string;
  tool: BuiltIn;
  scenario: string;
  route: RouteName;
  request: Partial<CallRequest>;
  prompt: string;
  /** Further flags, after all others. */
  flags: string[];
  /** `text` is what a user sees who calls the CLI without its JSON flag. */
  output: 'events' | 'text';
  credentials: 'given' | 'missing';
  /** Files of the home folder. */
  home: Record<string, string>;
  /** The scenarios of the first requests, in order; the case's own scenario follows. */
  script: string[];
  /** The replacement for the API's address. */
  address: 'api' | 'refused' | 'unknown_host';
  /** The recorder ends what runs longer; the capture records that. */
  limitMs: number;
}

export function recordedCases(tool: BuiltIn): RecordedCase[] {
  const plain: Case[] = SCENARIO_NAMES.filter((name) => !FOR_SIGNALS.includes(name)).map((scenario) => ({
    name: scenario,
    scenario,
  }));
  const retried: Case[] = RETRIED[tool].map((scenario) => ({
    name: `${scenario}.retries`,
    scenario,
    request: { innerRetries: 'allow' },
    limitMs: 20_000,
  }));
  const texts: Case[] = IN_TEXT.map((scenario) => ({ name: `${scenario}.text`, scenario, output: 'text' }));
  return [...plain, ...retried, ...texts, ...SPECIAL, ...OWN[tool]].map((given) => ({
    ...DEFAULTS,
    limitMs: ENDLESS[given.scenario ?? 'ok'] ?? DEFAULTS.limitMs,
    ...given,
    tool,
    route: given.route ?? tool,
  }));
}

type Case = Partial<RecordedCase> & { name: string };

const DEFAULTS: Omit<RecordedCase, 'name' | 'tool' | 'route'> = {
  scenario: 'ok',
  request: {},
  prompt: 'Say hello.\n',
  flags: [],
  output: 'events',
  credentials: 'given',
  home: {},
  script: [],
  address: 'api',
  limitMs: 75_000,
};

/** The reactions of a CLI to a signal: the recorder does not send one, but the real suite does. */
const FOR_SIGNALS = ['stalls', 'tool-then-stalls'];

/** They never end by themselves. */
const ENDLESS: Record<string, number> = { slow: 6_000, slowstream: 6_000, toolsleep: 6_000, toolloop: 3_000 };

/** The scenarios in which the bare CLI calls the model again; copilot always does, since its retries cannot be turned off. */
const RETRIED: Record<BuiltIn, string[]> = {
  gemini: [
    'empty',
    'nodone',
    'reset',
    'resetearly',
    'html502',
    '408',
    '429',
    '429plain',
    '429long',
    '500',
    '503',
    '529',
  ],
  codex: [
    'nodone',
    'garbage',
    'reset',
    'resetearly',
    'html502',
    '401',
    '403',
    '429',
    '500',
    '503',
    '529',
    'ratelimit-event',
  ],
  copilot: [],
  claude: [
    'empty',
    'maxtokens',
    'nodone',
    'garbage',
    'reset',
    'resetearly',
    '401',
    '429',
    '500',
    '503',
    '529',
    'safety',
  ],
};

/** Failures as users paste them into a report. */
const IN_TEXT = [
  'ok',
  'empty',
  'nodone',
  'garbage',
  'reset',
  'resetearly',
  'html502',
  '400key',
  '401',
  '403',
  '404',
  '429',
  '429plain',
  '429daily',
  '500',
  '503',
  '529',
  'toolong',
  'mismatch',
  'tool',
  'tool-then-400',
  'tool-then-500',
];

const UNKNOWN_SESSION = '11111111-2222-4333-8444-555555555555';

/** The same for all CLIs. */
const SPECIAL: Case[] = [
  { name: 'conn-refused', address: 'refused', limitMs: 15_000 },
  { name: 'dns-fail', address: 'unknown_host', limitMs: 15_000 },
  { name: 'captive-portal', scenario: 'html=200' },
  { name: '500-no-body', scenario: 'status=500' },
  { name: '400-no-body', scenario: 'status=400' },
  { name: 'proxy-407', scenario: 'status=407' },
  { name: 'proxy-403-page', scenario: 'html=403' },
  { name: 'no-credentials', credentials: 'missing', limitMs: 15_000 },
  { name: 'untrusted', request: { trustWorkspace: false } },
  { name: 'resume-unknown', request: { resumeSession: UNKNOWN_SESSION } },
  { name: 'bad-flag', flags: ['--no-such-flag'] },
  { name: 'blank-prompt', prompt: ' \n' },
  { name: 'empty-prompt', prompt: '' },
  { name: 'giant-prompt', prompt: 'word '.repeat(1_048_576) },
  { name: 'tool-denied', scenario: 'tool', request: { access: 'read' } },
  { name: 'tool-exit-3', scenario: 'tool=exit 3' },
  { name: 'tool-unknown', scenario: 'callraw=no_such_tool:{}' },
  {
    name: 'tool-outside',
    scenario: 'tool=echo x > ../outside.txt',
    request: { access: 'write' },
  },
];

const SCHEMA = JSON.stringify({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
const structured = (schema: string) => ({ request: { own: { 'json-schema': schema } } });
const hook = (event: string, command: string) => ({
  home: {
    '.claude/settings.json': JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] } }),
  },
});
const AGENT = 'callraw=Agent:{"description":"look","prompt":"Look.","subagent_type":"general-purpose"}';

const OWN: Record<BuiltIn, Case[]> = {
  gemini: [
    { name: 'by-key-ok', route: 'gemini by key' },
    { name: 'by-key-401', route: 'gemini by key', scenario: '401' },
    { name: 'max-turns', scenario: 'toolloop', request: { maxTurns: 2 }, limitMs: 30_000 },
    {
      name: 'write-outside',
      scenario: 'callraw=write_file:{"file_path":"../outside.txt","content":"x"}',
    },
    { name: 'bad-approval-mode', flags: ['--approval-mode', 'nope'] },
  ],
  codex: [
    { name: 'by-key-ok', route: 'codex by key' },
    { name: 'by-key-500', route: 'codex by key', scenario: '500' },
    { name: 'by-key-no-credentials', route: 'codex by key', credentials: 'missing', limitMs: 15_000 },
    { name: 'bad-sandbox', flags: ['--sandbox', 'nope'] },
  ],
  copilot: [
    { name: 'by-responses-ok', route: 'copilot by responses' },
    { name: 'by-responses-toolong', route: 'copilot by responses', scenario: 'toolong' },
    { name: 'by-messages-ok', route: 'copilot by messages' },
    { name: 'by-messages-401', route: 'copilot by messages', scenario: '401' },
    { name: 'by-messages-529', route: 'copilot by messages', scenario: '529' },
    { name: 'by-messages-toolong', route: 'copilot by messages', scenario: 'toolong' },
    { name: 'tool-denied-by-rule', scenario: 'tool', request: { own: { 'deny-tool': ['shell'] } } },
  ],
  claude: [
    { name: 'by-login-401', route: 'claude by login', scenario: '401' },
    { name: 'by-login-429', route: 'claude by login', scenario: '429' },
    { name: 'max-turns', scenario: 'toolloop', request: { maxTurns: 2 }, limitMs: 30_000 },
    { name: 'bad-permission-mode', flags: ['--permission-mode', 'nope'] },
    { name: 'bad-mcp-config', flags: ['--mcp-config', '/nowhere/mcp.json'] },
    { name: 'unknown-model', request: { model: 'no-such-model' }, scenario: '404' },
    {
      name: 'tool-denied-by-rule',
      scenario: 'callraw=Bash:{"command":"echo tool-ran-ok"}',
      request: { own: { 'deny-tool': ['Bash'] } },
    },
    { name: 'by-login-plan-limit', route: 'claude by login', scenario: 'planlimit=five_hour' },
    { name: 'by-login-plan-limit.text', route: 'claude by login', scenario: 'planlimit=five_hour', output: 'text' },
    { name: 'structured', scenario: 'structured={"name":"x"}', ...structured(SCHEMA) },
    { name: 'structured-misfit', scenario: 'structured={"nome":1}', ...structured(SCHEMA) },
    { name: 'structured-no-schema', scenario: 'ok', ...structured('{"type":"nope"}') },
    { name: 'hook-refuses-tool', scenario: 'tool', ...hook('PreToolUse', 'exit 2') },
    { name: 'hook-refuses-prompt', ...hook('UserPromptSubmit', 'exit 2') },
    { name: 'hook-never-stops', ...hook('Stop', 'exit 2') },
    { name: 'sub-agent', script: [AGENT] },
    { name: 'sub-agent-429', script: [AGENT, '429'] },
    {
      name: 'mcp-dies',
      home: { '.claude.json': JSON.stringify({ mcpServers: { helper: { command: 'false', args: [] } } }) },
    },
    {
      name: 'background-command',
      scenario: 'callraw=Bash:{"command":"tail -f /dev/null","run_in_background":true}',
    },
  ],
};
