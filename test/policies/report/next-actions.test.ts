// What is to be done next where it depends on more than the reason: whole lists. Each reason by itself has its summary in test/loops/reason-summaries.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorClass } from '../../../policies/facts/classes.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import type { BuiltIn, OwnTool } from '../../../policies/facts/tools.ts';
import { nextActions } from '../../../policies/report/next-actions.ts';
import { modelsIn } from '../../../policies/report/request-actions.ts';
import type { Situation } from '../../../policies/report/situation.ts';
import { FAILURE_REASONS } from '../../../policies/verdict/reasons.ts';

const AT = '2026-01-02T03:00:00.000Z';
const PLACE = '/p/.tmp/task/fix/manifest.yaml:7';

type Known = Partial<Omit<Situation, 'verdict'>> & { text?: string; retryAt?: string };
const situation = (
  errorClass: ErrorClass | null,
  reason: string,
  { text, retryAt, ...known }: Known = {},
): Situation => ({
  verdict: {
    class: errorClass,
    reason,
    evidence: text === undefined ? null : { source: 'failure', text, rule: 'any' },
    retry_at: retryAt ?? null,
  },
  called: { launcher: 'tollgate', verb: 'run', word: 'fix', trusts: false },
  tool: 'codex',
  ...known,
});

const OWN = 'mine' as OwnTool;
const AGAIN = 'call codex again: `tollgate run fix`';
const THEN = `then ${AGAIN}`;
const LATER = `no sooner than 5 minutes after the failure, ${AGAIN}`;
const checks = (tool: string, flags = '') =>
  `check the installation and the sign-in of ${tool}, without a paid call: \`tollgate preflight --tools ${tool}${flags}\``;
const CHECK = checks('codex');
const key = (by: string): Known => ({ key: { how: 'signed_in', by } });

const ROWS: [why: string, errorClass: ErrorClass, reason: string, known: Known, next: string[]][] = [
  ['the service says when', 'transient', 'rate_limit', { retryAt: AT }, [`not before ${AT}, ${AGAIN}`]],
  ['it does not', 'transient', 'rate_limit', {}, [LATER]],
  [
    'a described CLI whose answer is elsewhere',
    'tooling',
    'no_answer_field',
    { tool: OWN, eventsFile: 'a.raw' },
    [
      'read a.raw, which holds the output',
      'fix output, document or events of tools.mine in tollgate.yaml',
      'then call mine again: `tollgate run fix`',
    ],
  ],
  [
    'a described CLI that is not there',
    'tooling',
    'binary_missing',
    { tool: OWN, packageName: '' },
    [
      'install mine, or fix tools.mine of tollgate.yaml',
      checks('mine', ' --trust-workspace'),
      'then call mine again: `tollgate run fix`',
    ],
  ],
  ['a reason of the project', 'transient', 'vpn_down', {}, [LATER]],
  ["the service's own time-out", 'transient', 'timeout', { ending: 'exited' }, [LATER]],
  [
    'two servers that are named',
    'tooling',
    'mcp_server',
    { text: '2 MCP servers failed to connect: docs, jira.', tool: 'copilot', stderrFile: 'err.txt' },
    [
      'read err.txt',
      'fix or remove the MCP servers docs, jira: `mcpServers` in ~/.copilot/mcp-config.json, or .mcp.json of the project, which needs `--trust-workspace`',
      'then call copilot again: `tollgate run fix`',
    ],
  ],
  [
    'a server that nobody names',
    'tooling',
    'mcp_server',
    { text: 'Streamable HTTP error: Error POSTing to endpoint (HTTP 404)' },
    ['fix or remove the MCP server: `[mcp_servers.…]` in ~/.codex/config.toml', THEN],
  ],
  [
    'a server that asks for a sign-in',
    'auth',
    'mcp_server',
    { text: "MCP server 'docs' requires authentication using: /mcp auth docs", tool: 'gemini' },
    [
      'start `gemini` and type /mcp auth docs (the server asks for it, not the model)',
      'then call gemini again: `tollgate run fix`',
    ],
  ],
  [
    'our deadline, which the manifest sets',
    'transient',
    'timeout',
    { ending: 'timed_out', place: (field) => ({ at: PLACE, unlisted: null, field, value: 300 }) },
    [`if the work needs longer, raise: \`timeout_ms\` in ${PLACE} (now 300)`, AGAIN],
  ],
  [
    'our deadline, which it does not set',
    'transient',
    'timeout',
    { ending: 'timed_out', place: (field) => ({ at: PLACE, unlisted: null, field, value: null }) },
    [`if the work needs longer, set: \`timeout_ms\` in the stage at ${PLACE}`, AGAIN],
  ],
  [
    'no paid call remains',
    'transient',
    'server_error',
    { callsLeft: 0 },
    [
      'ask the user whether this task may pay for more calls: none remains, and each line that asks again needs one',
      'only if the user allows more paid calls: raise the limit: `tollgate budget fix --set 15`',
      LATER,
    ],
  ],
  [
    'the budget itself',
    'quota',
    'budget',
    { callsLeft: 0 },
    [
      'ask the user whether this task may pay for more calls: its budget is used up',
      'only if the user allows more paid calls: raise the limit: `tollgate budget fix --set 15`',
      'then continue: `tollgate run fix`',
    ],
  ],
  ["a login of the CLI's own", 'auth', 'bad_key', {}, ['start `codex login`', CHECK, AGAIN]],
  [
    'a key in the environment',
    'auth',
    'bad_key',
    key('CODEX_API_KEY'),
    ['set a valid key or token in CODEX_API_KEY: codex used its value, and the service refused it', CHECK, AGAIN],
  ],
  [
    'a key in the environment, and a CLI that requests a sign-in',
    'auth',
    'not_signed_in',
    key('CODEX_API_KEY'),
    ['set a valid key or token in CODEX_API_KEY: codex requested a sign-in although it is set', CHECK, AGAIN],
  ],
  [
    "a key of a provider of one's own",
    'auth',
    'bad_credentials',
    key('TEST_KEY (provider "corp")'),
    [
      'set a valid key or token in TEST_KEY (provider "corp"): codex used its value, and the service refused it',
      CHECK,
      AGAIN,
    ],
  ],
  [
    'a provider that names no key',
    'auth',
    'bad_credentials',
    key('provider "corp", which names no key'),
    [
      'codex used its provider "corp", which names no key: name a variable in its `env_key` (config.toml), and set that variable',
      CHECK,
      AGAIN,
    ],
  ],
  [
    'the variable that the CLI asks for',
    'auth',
    'bad_key',
    { text: 'Missing environment variable: `TEST_KEY`.' },
    ['set TEST_KEY, which codex is configured to read its key from', CHECK, AGAIN],
  ],
  [
    'nobody is signed in',
    'auth',
    'not_signed_in',
    { key: { how: 'signed_out', because: 'no key is set', fix: 'run `codex login`' } },
    ['run `codex login`', 'note: no key is set', CHECK, AGAIN],
  ],
  [
    "an account of a provider of one's own",
    'auth',
    'not_authorised',
    key('TEST_KEY (provider "corp")'),
    [
      'the key is valid but lacks the permission: grant it at the provider (TEST_KEY (provider "corp")), or set the key of another account there',
      'or set a model or a tool that the account may use',
      AGAIN,
    ],
  ],
  ['a batch that paused for a refused key', 'auth', 'paused', {}, ['start `codex login`', CHECK, AGAIN]],
  [
    'a quota with its reset',
    'quota',
    'plan',
    { retryAt: AT },
    [
      `not before ${AT}, ${AGAIN}`,
      'or let the run wait for the reset, at most 24 hours: `tollgate run fix --wait-for-reset 24h`',
      'or use another CLI than codex for the stage (`tool`, or `fallback`), or raise the plan',
    ],
  ],
  [
    'a quota that is reset after days',
    'quota',
    'plan',
    { retryAt: '2026-12-04T10:30:00.000Z', startedAt: '2026-11-30T10:00:00.000Z' },
    [
      `not before 2026-12-04T10:30:00.000Z, ${AGAIN}`,
      'or let the run wait for the reset, at most 97 hours: `tollgate run fix --wait-for-reset 97h`',
      'or use another CLI than codex for the stage (`tool`, or `fallback`), or raise the plan',
    ],
  ],
  [
    'models that the service names',
    'tooling',
    'model_not_found',
    {
      text: 'Unknown model "nope". Available models: gpt-6-sol, gpt-6-luna and o4-mini.',
      place: (field) => ({ at: PLACE, unlisted: null, field, value: 'nope' }),
    },
    [
      `name a model that exists: \`model\` in ${PLACE} (now nope)`,
      'choose among the models that codex named: gpt-6-sol, gpt-6-luna, o4-mini',
      AGAIN,
    ],
  ],
  [
    'a model that nobody named',
    'tooling',
    'model_not_found',
    { place: (field) => ({ at: PLACE, unlisted: null, field, value: null }) },
    [
      `name a model that exists, since the CLI's own choice does not: \`model\` in the stage at ${PLACE}`,
      'list the models that it knows with codex debug models (its catalogue, without a paid call)',
      AGAIN,
    ],
  ],
  [
    'a prompt that is large',
    'prompt_too_large',
    'over_limit',
    { promptChars: 900_000, largeParts: ['a.log is 800,000 of 900,000 characters: attach less of it'] },
    [
      'a.log is 800,000 of 900,000 characters: attach less of it',
      'attach less, or split the task into smaller ones',
      THEN,
    ],
  ],
  [
    'a small prompt in a long session',
    'prompt_too_large',
    'over_limit',
    { promptChars: 1234, resumed: true },
    [
      'note: the prompt itself (1234 characters) is not too large; the history of its session, or what codex adds by itself is',
      'call codex again in a fresh session: `tollgate run fix`',
      'if it fails the same way again, shorten what codex adds by itself (AGENTS.md files, skills and MCP servers)',
      'or name a model with a larger context: `model` of the stage in the manifest',
    ],
  ],
  [
    'a small prompt in a session that the manifest names',
    'prompt_too_large',
    'over_limit',
    { promptChars: 1234, resumed: true, namesSession: true },
    [
      'note: the prompt itself (1234 characters) is not too large; the history of its session, or what codex adds by itself is',
      'remove meta.session_id from the manifest, then call codex again in a fresh session: `tollgate run fix`',
      'if it fails the same way again, shorten what codex adds by itself (AGENTS.md files, skills and MCP servers)',
      'or name a model with a larger context: `model` of the stage in the manifest',
    ],
  ],
  [
    'an unknown failure with words on stderr',
    'unknown',
    'unmatched',
    { stderrFile: '/p/outputs/x.err' },
    [
      'read /p/outputs/x.err, the whole of what codex said on stderr',
      `fix what the evidence names, if anything, then ${AGAIN}`,
      'to classify it next time, add a rule for its text to tollgate.yaml; see: `tollgate triage --help`',
    ],
  ],
  [
    'a history that the service refuses',
    'tooling',
    'broken_history',
    { sessionId: 's-1' },
    [
      'repair the session, or remove its last step, without a paid call: `tollgate recover s-1 --choose clear`',
      'or call codex again in a fresh session: `tollgate run fix`',
    ],
  ],
];
for (const [why, errorClass, reason, known, next] of ROWS)
  test(`${errorClass} (${reason}): ${why}`, () => {
    assert.equal(nextActions(situation(errorClass, reason, known)).map(actionLine), next);
  });

test('a success needs nothing', () => {
  assert.equal(nextActions(situation(null, 'any')), []);
});

test('each CLI is signed in to in its own way', () => {
  const first = (tool: BuiltIn) => nextActions({ ...situation('auth', 'bad_credentials'), tool })[0]!.text;
  assert.equal(
    [first('gemini'), first('copilot'), first('codex')],
    [
      'start `gemini` and sign in, or set GEMINI_API_KEY',
      'start `copilot` and type /login, or set COPILOT_GITHUB_TOKEN',
      'start `codex login`',
    ],
  );
  const own = { ...situation('auth', 'bad_key', key('COPILOT_PROVIDER_BASE_URL')), tool: 'copilot' } as const;
  assert.is(
    nextActions(own)[0]!.text,
    'copilot was refused by the provider of COPILOT_PROVIDER_BASE_URL: set a valid COPILOT_PROVIDER_API_KEY (or COPILOT_PROVIDER_BEARER_TOKEN)',
  );
  for (const [cloud, login] of [
    ['BEDROCK', 'aws sso login'],
    ['VERTEX', 'gcloud auth application-default login'],
    ['FOUNDRY', 'az login'],
  ] as const) {
    const used = { ...situation('auth', 'not_signed_in', key(`CLAUDE_CODE_USE_${cloud}`)), tool: 'claude' } as const;
    assert.match(nextActions(used)[0]!.text, login);
  }
});

test('a temporary folder that does not exist is made, and a disk gets space', () => {
  const first = (text: string) => nextActions(situation('tooling', 'disk', { text }))[0]!.text;
  assert.equal(
    [
      first("the call could not be prepared (ENOENT: no such file or directory, mkdtemp '/no/tmp/tg-183f59ac-XXXXXX')"),
      first("the call could not be prepared (ENOSPC: no space left on device, mkdtemp '/tmp/tg-183f59ac-XXXXXX')"),
    ],
    [
      'make the folder that TMPDIR names (mkdir -p /no/tmp), or unset TMPDIR',
      'free space on the disk that the evidence names, or make it writable',
    ],
  );
});

test('a caller who named the model names another one', () => {
  const wrapper = { command: 'claude_headless', given: 'hi --model opus-x' };
  const called = { launcher: 'tollgate', verb: 'run', word: '', trusts: false, wrapper } as const;
  const actions = (namesModel: boolean) =>
    nextActions(situation('tooling', 'model_not_found', { tool: 'claude', called, namesModel })).map(actionLine);
  assert.is(actions(true)[0], 'name a model that exists: `--model`');
  assert.is(actions(true).at(-1), 'then call claude again with it');
  assert.match(actions(false)[0]!, "since the CLI's own choice does not");
  assert.match(actions(false).at(-1)!, 'claude_headless hi');
});

test('a mistake of configuration is corrected where it is', () => {
  const first = (tool: BuiltIn, text: string, rule = 'setup-config', more: Known = {}) => {
    const failed = situation('tooling', 'config', { tool, text, ...more });
    const verdict = { ...failed.verdict, evidence: { source: 'stderr' as const, text, rule } };
    return nextActions({ ...failed, verdict })[0]!.text;
  };
  assert.equal(
    [
      first('claude', 'API Error: Invalid URL', 'setup-address'),
      first('codex', 'stream disconnected before completion: builder error', 'setup-address'),
      first('codex', 'Error loading rules: /home/u/.codex/rules/default.rules:1: starlark error: x'),
      first('codex', 'Error loading config.toml: invalid type'),
      first('copilot', 'Invalid wire API format: "x". Must be one of: completions, responses'),
      first('copilot', 'Invalid COPILOT_PROVIDER_MAX_PROMPT_TOKENS: must be a positive integer.'),
      first('claude', 'Must provide one of … or the `ANTHROPIC_FOUNDRY_RESOURCE` environment variable'),
      first('codex', 'CODEX_HOME points to "/x", but that path does not exist'),
      first('codex', 'x', 'refused-config', {
        key: { how: 'signed_out', because: 'x', fix: 'run `mkdir -p /x`, or unset CODEX_HOME', config: true },
      }),
    ],
    [
      'correct ANTHROPIC_BASE_URL (in the environment, or in `env` of its settings): it begins with https://',
      'correct `base_url` of the provider in ~/.codex/config.toml: it begins with https://',
      'correct /home/u/.codex/rules/default.rules as the evidence says',
      'fix the settings of codex: ~/.codex/config.toml (and .codex/config.toml of the project)',
      'correct COPILOT_PROVIDER_WIRE_API as the evidence says, or unset it',
      'correct COPILOT_PROVIDER_MAX_PROMPT_TOKENS as the evidence says',
      'correct ANTHROPIC_FOUNDRY_RESOURCE as the evidence says',
      'correct CODEX_HOME as the evidence says',
      'run `mkdir -p /x`, or unset CODEX_HOME',
    ],
  );
});

test('an installation is not done again where the machine is the cause, nor a proxy signed in to that forbids', () => {
  const first = (errorClass: ErrorClass, reason: string, text: string, rule = 'any') => {
    const failed = situation(errorClass, reason, { tool: 'gemini', text });
    const verdict = { ...failed.verdict, evidence: { source: 'stderr' as const, text, rule } };
    return nextActions({ ...failed, verdict })[0]!.text;
  };
  const install = (text: string) => first('tooling', 'broken_install', text);
  assert.match(install('No such built-in module: node:sqlite'), /^install a newer Node\.js/);
  assert.not.match(install("bash: line 1: syntax error near unexpected token `newline'"), 'Node.js');
  assert.match(
    install("The requested module 'node:util' does not provide an export named 'styleText'"),
    /^install a newer/,
  );
  assert.match(install("libc.so.6: version `GLIBC_2.38' not found (required by gemini)"), /^use a newer system/);
  assert.match(install('Error relocating /x/gemini: statx: symbol not found'), /^use a newer system/);
  assert.is(install("Cannot find module '@google/gemini-cli-core'"), 'install gemini');
  const proxy = (text: string) => first('auth', 'proxy_auth', text, 'access-proxy');
  assert.match(proxy('Proxy response (403) !== 200 when HTTP Tunneling'), /^ask the administrator of the proxy/);
  assert.match(proxy('tunnel error: proxy authorization required'), /^put the user and the password/);
});

/** test/next-commands executes them, as far as a fake CLI brings a task to where they are told. */
const FORMS =
  /^(?:tollgate run fix(?: --(?:trust-workspace|wait-for-reset 24h|ignore-hold|force|keep-all|redo-all))?|tollgate preflight --tools codex|tollgate budget(?: fix --set \d+)?|tollgate recover s-1 --choose clear|tollgate sessions (?:list|forget fix)|tollgate triage --help|npm install -g codex)$/;

test('no reason puts first what loosens something, and each command is whole', () => {
  for (const reason of FAILURE_REASONS)
    for (const callsLeft of [0, 3]) {
      const actions = nextActions({ ...situation('tooling', reason), callsLeft, tag: 'fix', sessionId: 's-1' });
      assert.is(actions[0]!.changes, null, reason);
      for (const { text, command = '' } of actions) {
        if (command !== '') assert.match(command, FORMS, reason);
        assert.not.match(command, /[<>…]|\b(?:NAME|TAG|TASK|MAX|N)\b|\(/, reason);
        assert.not.match(text, /tollgate [a-z]+ fix/, reason);
      }
    }
});

const TEXTS: [text: string, models: string[]][] = [
  ['Supported models are: a-1, b-2', ['a-1', 'b-2']],
  ["argument '--model' is invalid. Allowed choices are gpt-6, claude-opus-5.", ['gpt-6', 'claude-opus-5']],
  [
    'valid models include ["models/gemini-3-pro","models/gemini-3-flash"]',
    ['models/gemini-3-pro', 'models/gemini-3-flash'],
  ],
  ['model "gpt-66" not found, did you mean "gpt-6"?', ['gpt-6']],
  ['The model `nope` does not exist or you do not have access to it.', []],
  ['No available models. Please try again later.', []],
  ['', []],
];
for (const [text, models] of TEXTS)
  test(`models in ${JSON.stringify(text)}`, () => assert.equal(modelsIn(text), models));

test.run();
