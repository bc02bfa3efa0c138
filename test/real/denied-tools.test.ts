// A tool that a real CLI denies, and an answer that its service cut: the warnings, and with what one names the tool is allowed.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { startModelApi } from '../rig/model-api.ts';
import { CLIS, RealHome } from './real-home.ts';

const OLDER = path.join(import.meta.dirname, 'older/node_modules');

const command = (words: string) => `tool=${words}`;
const PATCH = `callraw=exec_command:${JSON.stringify({ cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch\nEOF\n" })}`;
const WRITE = `callraw=write_file:${JSON.stringify({ file_path: 'made.txt', content: 'x' })}`;

const CASES: [name: string, tool: BuiltIn, scenario: string, way: string, clis: string][] = [
  ['claude', 'claude', command('touch made.txt'), "--allow-tool 'Bash(touch made.txt)'", CLIS],
  ['claude, two commands', 'claude', command('touch made.txt; touch b.txt'), '--allow-tool Bash', CLIS],
  ['claude, an older one', 'claude', command('sh made.sh'), "--allow-tool 'Bash(sh made.sh)'", OLDER],
  ['copilot', 'copilot', command('touch made.txt'), "--allow-tool 'shell(touch)'", CLIS],
  ['copilot, an older one', 'copilot', command('touch made.txt'), "--allow-tool 'shell(touch)'", OLDER],
  ['codex', 'codex', command('touch made.txt'), '--access write', CLIS],
  ['codex, a file', 'codex', PATCH, '--access write', CLIS],
  ['gemini', 'gemini', WRITE, '--access write', CLIS],
];

async function made(
  tool: BuiltIn,
  scenario: string,
  flags: string[],
  clis: string,
  files: Readonly<Record<string, string>> = {},
) {
  const api = await startModelApi();
  const home = new RealHome(tool, api.url(scenario), clis);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home.home, file)), { recursive: true });
    writeFileSync(path.join(home.home, file), text);
  }
  try {
    const argv = [
      '--prompt-file',
      home.write('prompt.md', 'Do it.\n'),
      '--out',
      'out',
      '--err',
      'err',
      '--result',
      'record',
    ];
    const { code } = await home.start(ADAPTERS[tool].command, [...argv, '--trust-workspace', ...flags]).result;
    const record = JSON.parse(readFileSync(path.join(home.project, 'record'), 'utf8')) as CallRecord;
    return { code, record, requests: api.paid().length, left: home.survivors() };
  } finally {
    await home.dispose();
    await api.close();
  }
}

const wordsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');

for (const [name, tool, scenario, way, clis] of CASES)
  test(`${name}: what is denied is reported with what allows it, and that allows it`, async () => {
    const denied = await made(tool, scenario, [], clis);
    assert.is(denied.code, 0, JSON.stringify(denied.record.verdict));
    const warning = denied.record.warnings.find((one) => one.includes('was denied')) ?? '';
    assert.is(warning.replace(/^the tool \S+ was denied; to allow it: /, ''), way);
    const allowed = await made(tool, scenario, wordsOf(way), clis);
    assert.is(allowed.code, 0, JSON.stringify(allowed.record.verdict));
    assert.equal(allowed.record.denied_tools, []);
    // It is our own decision about the denied tools, which were read above.
    if (name !== tool) return;
    const refused = await made(tool, scenario, ['--fail-on-denied'], clis);
    const { verdict } = refused.record;
    assert.equal([verdict.class, verdict.reason], ['contract_violation', 'tool_denied'], JSON.stringify(verdict));
    assert.ok(refused.requests <= 2);
    assert.equal(refused.left, []);
  });

const hook = (event: string, of: object = { matcher: '.*' }) => ({
  [event]: [{ ...of, hooks: [{ name: 'guard', type: 'command', command: 'echo keep out >&2; exit 2' }] }],
});
const BLOCKED: [what: string, tool: BuiltIn, scenario: string, files: Record<string, string>, warning: RegExp][] = [
  [
    'a rule of codex',
    'codex',
    command('touch made.txt'),
    { '.codex/rules/default.rules': 'prefix_rule(pattern=["touch"], decision="forbidden")\n' },
    /^the tool command_execution was denied by a rule of codex: policy forbids commands starting with `touch`$/,
  ],
  [
    'a rule of codex that wants a prompt',
    'codex',
    command('touch made.txt'),
    { '.codex/rules/default.rules': 'prefix_rule(pattern=["touch"], decision="prompt")\n' },
    /^the tool command_execution was denied by a rule of codex: approval required by policy, /,
  ],
  [
    'a hook of copilot',
    'copilot',
    command('echo made'),
    {
      '.copilot/hooks/guard.json': JSON.stringify({
        version: 1,
        hooks: { preToolUse: [{ type: 'command', bash: 'exit 1' }] },
      }),
    },
    /^the tool bash was denied by a hook: ".*guard\.json" \(hook errored\)$/,
  ],
  [
    'a hook of gemini',
    'gemini',
    WRITE,
    { '.gemini/settings.json': JSON.stringify({ hooksConfig: { enabled: true }, hooks: hook('BeforeTool') }) },
    /^the tool write_file was denied by a hook: keep out$/,
  ],
  [
    'a hook of claude',
    'claude',
    command('touch made.txt'),
    { '.claude/settings.json': JSON.stringify({ hooks: hook('PreToolUse') }) },
    /^the tool Bash was denied by a hook: keep out$/,
  ],
  [
    'a rule of claude',
    'claude',
    command('touch made.txt'),
    { '.claude/settings.json': JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } }) },
    /^the tool Bash was denied; to allow it: take Bash\(touch:\*\) out of what \S+\/\.claude\/settings\.json denies$/,
  ],
];
for (const [what, tool, scenario, files, warning] of BLOCKED)
  test(`${what} denies a tool that the call may use: the warning names it, and no flag`, async () => {
    const { code, record } = await made(tool, scenario, ['--access', 'full'], CLIS, files);
    assert.is(code, 0, JSON.stringify(record.verdict));
    assert.match(record.warnings.find((one) => one.includes('was denied')) ?? '', warning);
    assert.is(record.denied_tools.length, 1);
  });

test('gemini: a hook that fails at the start is a warning', async () => {
  const settings = { hooksConfig: { enabled: true }, hooks: hook('SessionStart', {}) };
  const { code, record } = await made('gemini', 'ok', [], CLIS, { '.gemini/settings.json': JSON.stringify(settings) });
  assert.is(code, 0, JSON.stringify(record.verdict));
  assert.ok(record.warnings.includes('gemini reported: the hook guard failed (SessionStart)'), record.warnings.join());
});

for (const tool of ['gemini', 'copilot'] as const)
  test(`${tool}: an answer that its service cut at the limit is a warning`, async () => {
    const { code, record, left } = await made(tool, 'maxtokens', [], CLIS);
    assert.is(code, 0, JSON.stringify(record.verdict));
    assert.match(record.warnings.join('\n'), 'the answer may be incomplete: the limit of an answer was reached');
    assert.equal(left, []);
  });

test.run();
