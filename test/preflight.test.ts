// The report over the whole machine: a row for each check, with what to do about it.

import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckFinding } from '../policies/facts/finding.ts';
import { type PreflightOptions, preflight } from '../preflight.ts';
import { TestRig } from './rig/test-rig.ts';

const test = suite('preflight');
let rig: TestRig;
test.before.each(async () => {
  rig = await TestRig.open();
});
test.after.each(() => rig.dispose());

/** The findings without those that are fine, as one line each. */
async function look(options: PreflightOptions = {}): Promise<string[]> {
  const environment = { ...rig.env, CODEX_API_KEY: 'k', GEMINI_API_KEY: 'k', GH_TOKEN: 'k', ...options.environment };
  const report = await preflight({
    cwd: rig.project,
    depth: 'quick',
    uid: 0,
    tools: ['gemini'],
    ...options,
    environment,
  });
  assert.is(report.ok, !report.findings.some(({ status }) => status === 'fail'));
  return report.findings.filter(({ status, check }) => status !== 'ok' && check !== 'escapes').map(lineOf);
}

const lineOf = ({ status, check, found, fix }: CheckFinding) =>
  `${status} ${check}: ${found}${fix === null ? '' : ` → ${fix}`}`.replaceAll(rig.root, '~');

test('a machine that is ready says so, with what was found', async () => {
  rig.write('.git/HEAD', '');
  const environment = { ...rig.env, CODEX_API_KEY: 'k', GEMINI_API_KEY: 'k', GH_TOKEN: 'k', ANTHROPIC_API_KEY: 'k' };
  const { ok, findings } = await preflight({ cwd: rig.project, environment, nodeVersion: '22.1.0', uid: 0 });
  const told = findings.filter(({ check }) => !['git', 'disk space', 'escapes'].includes(check)).map(lineOf);
  assert.is(ok, true);
  assert.equal(told, [
    'ok node: 22.1.0',
    'ok state folder: ~/project/.tmp',
    'ok gemini command: ~/bin/gemini',
    'ok gemini version: 0.61.0 (tested)',
    'ok gemini sign-in: by GEMINI_API_KEY',
    'ok copilot command: ~/bin/copilot',
    'ok copilot version: 1.0.102 (tested)',
    'ok copilot sign-in: by GH_TOKEN',
    'ok codex command: ~/bin/codex',
    'ok codex version: 0.169.0 (tested)',
    'ok codex sign-in: by CODEX_API_KEY',
    'ok claude command: ~/bin/claude',
    'ok claude version: 2.1.330 (tested)',
    'ok claude sign-in: by ANTHROPIC_API_KEY',
  ]);
});

test('whom the project tells of an end: what that lacks is a warning', async () => {
  const row = { on: ['done'], format: 'json', timeout_ms: 1000 } as const;
  const https = 'https://hooks.example.com/T0/hidden';
  const notifiers = [
    { ...row, webhook: https },
    { ...row, webhook: https, secret_env: 'SIGN' },
    { ...row, webhook_env: 'HOOK' },
    { ...row, webhook: 'http://hooks.example.com/' },
    { ...row, command: ['sh', '-c', 'true'] },
    { ...row, command: ['./tell.sh'] },
  ];
  assert.equal(
    (await look({ notifiers })).filter((line) => line.includes('notify')),
    [
      'warn notify 2: webhook to hooks.example.com: $SIGN is not set → export SIGN=…',
      'warn notify 3: webhook of $HOOK: $HOOK is not set → export HOOK=…',
      'warn notify 4: webhook to hooks.example.com: it goes over the network in clear; say https → fix notify[3].webhook of tollgate.yaml',
      'warn notify 6: command ./tell.sh is not found → fix notify[5].command of tollgate.yaml',
    ],
  );
});

test('an old Node', async () => {
  assert.equal(await look({ nodeVersion: '20.18.3' }), [
    'fail node: 20.18.3 is older than 20.19.0 → install Node 20.19 or newer',
  ]);
});

test('a CLI that is missing', async () => {
  rig.uninstall('gemini');
  assert.equal(await look(), ['fail gemini command: gemini is not found → npm install -g @google/gemini-cli@0.61.0']);
});

test('a CLI that is installed but not on the PATH', async () => {
  const environment = { PATH: '/usr/bin:/bin', npm_config_prefix: rig.root };
  assert.equal(await look({ environment }), [
    'fail gemini command: ~/bin/gemini is not on the PATH → export PATH="~/bin:$PATH"',
  ]);
});

test('a program that comes with the project is started in a trusted folder alone, and never with a key', async () => {
  rig.write('.git/HEAD', '');
  rig.uninstall('gemini');
  const log = path.join(rig.root, 'started');
  const script = `#!/bin/sh\necho "$0 $GEMINI_API_KEY$MY_TOKEN" >> '${log}'\necho 0.61.0\n`;
  for (const name of ['gemini', 'git', 'bash', 'df']) {
    const text = name === 'bash' ? script.replace('echo 0.61.0', 'exec /bin/bash "$@"') : script;
    rig.write(`node_modules/.bin/${name}`, text);
    chmodSync(path.join(rig.project, 'node_modules/.bin', name), 0o755);
  }
  const bin = path.join(rig.project, 'node_modules/.bin');
  for (const PATH of [`${bin}:/usr/bin:/bin`, '/usr/bin:/bin']) {
    const environment = { PATH, MY_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' };
    const untrusted = await look({ environment, depth: 'full', trustWorkspace: false });
    assert.is(existsSync(log), false, untrusted.join('\n'));
    assert.match(untrusted.join('\n'), 'gemini comes with the project, and was not started to ask for its version');
    await look({ environment, depth: 'full', trustWorkspace: true });
    assert.match(readFileSync(log, 'utf8'), /gemini \n/);
    assert.not.match(readFileSync(log, 'utf8'), 'ghp_');
    rmSync(log);
  }
});

test('a program that comes with an untrusted project, which a call refuses to start, is not ready', async () => {
  rig.write('.git/HEAD', '');
  rig.uninstall('claude');
  rig.write('node_modules/.bin/claude', '#!/bin/sh\necho 2.1.330\n');
  chmodSync(path.join(rig.project, 'node_modules/.bin/claude'), 0o755);
  rig.env.PATH = `${path.join(rig.project, 'node_modules/.bin')}:${rig.env.PATH}`;
  rig.env.ANTHROPIC_API_KEY = 'key-of-the-test-0001';
  rig.write('../home/.claude.json', '{}');
  const prompt = rig.write('p.md', 'hello');
  const files = ['--out', path.join(rig.project, 'out.md'), '--err', path.join(rig.project, 'out.err')];
  const called = await rig.run('claude_headless', ['--prompt-file', prompt, ...files]);
  const [, told] = /: tooling \(untrusted\): (.*)\n/.exec(called.stderr)!;
  const found = async (...flags: string[]) => {
    const { code, stdout } = await rig.run('preflight', ['--tools=claude', '--json', ...flags]);
    const trust = JSON.parse(stdout).findings.find(({ check }: CheckFinding) => check === 'claude trust');
    return { code, trust };
  };
  const { code, trust } = await found();
  assert.equal([code, trust.status, `${trust.found}: ${trust.fix}`], [1, 'fail', told]);
  assert.equal(await found('--trust-workspace'), { code: 0, trust: undefined });
});

test('settings that claude would ignore fail, and files of MCP servers that are not JSON are warnings', async () => {
  const limits = async () => (await look({ tools: ['claude', 'copilot'] })).filter((line) => / limits: /.test(line));
  assert.equal(await limits(), []);
  for (const file of ['.mcp.json', '../home/.copilot/mcp-config.json']) rig.write(file, '{');
  const lost = 'is not a JSON object, so that its MCP servers do not start → correct';
  const [claude, copilot] = ['~/project/.mcp.json', '~/home/.copilot/mcp-config.json'];
  assert.equal(await limits(), [
    `warn claude limits: ${claude} ${lost} ${claude}`,
    `warn copilot limits: ${copilot} ${lost} ${copilot}`,
  ]);
  rig.write('.claude/settings.json', '{');
  const [first] = await limits();
  assert.match(
    first!,
    'fail claude limits: ~/project/.claude/settings.json is not a JSON object, and claude would ignore it',
  );
});

test('a CLI that is newer than what was tested', async () => {
  rig.install('codex', { version: '0.172.1' });
  rig.write('.git/HEAD', '');
  assert.equal(await look({ tools: ['codex'] }), [
    'warn codex version: 0.172.1 is newer than the tested ones (from 0.137.0 up to, but not including, 0.172.0; last 0.171.0) → npm install -g @openai/codex@0.171.0',
  ]);
});

test('a CLI that is older than some of what the calls use, and tested all the same', async () => {
  rig.install('copilot', { version: '1.0.75' });
  assert.equal(await look({ tools: ['copilot'] }), [
    'note copilot version: 1.0.75 (tested); it lacks --usage-output-file (since 1.0.81; its tokens are not counted), session.mcp_server_tools_loaded (since 1.0.102; an MCP server whose tools cannot be listed may count as connected) → npm install -g @github/copilot@1.0.102',
  ]);
});

test('a CLI that is older than all that were tested', async () => {
  rig.install('copilot', { version: '1.0.58' });
  assert.equal(await look({ tools: ['copilot'] }), [
    'warn copilot version: 1.0.58 is older than the tested ones (from 1.0.75 up to, but not including, 1.1.0; last 1.0.102); it lacks --usage-output-file (since 1.0.81; its tokens are not counted), model.call_start (since 1.0.73; its requests are not counted), assistant.turn_retry (since 1.0.73; a retry is known by other events), session.mcp_server_tools_loaded (since 1.0.102; an MCP server whose tools cannot be listed may count as connected) → npm install -g @github/copilot@1.0.102',
  ]);
});

/** A binary that belongs to no package, as Homebrew installs one. */
function replaceGemini(script: string): void {
  rig.uninstall('gemini');
  writeFileSync(path.join(rig.bin, 'gemini'), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(rig.bin, 'gemini'), 0o755);
}

test('a binary of no package is asked for its version, unless nothing may be started', async () => {
  replaceGemini('echo "gemini 0.44.3"');
  assert.equal(await look({ depth: 'full' }), [
    'warn gemini version: 0.44.3 is older than the tested ones (from 0.45.2 up to, but not including, 0.62.0; last 0.61.0) → npm install -g @google/gemini-cli@0.61.0',
  ]);
  assert.equal(await look({ depth: 'quick' }), [
    'note gemini version: not known without starting it → run tollgate preflight without --quick',
  ]);
});

test('a binary that reports no version', async () => {
  replaceGemini('echo broken >&2; exit 3');
  assert.equal(await look({ depth: 'full' }), [
    'fail gemini version: `~/bin/gemini --version` reports no version → npm install -g @google/gemini-cli@0.61.0',
  ]);
});

test('quick starts no process: every program on the PATH would leave a trace', async () => {
  for (const name of ['gemini', 'git', 'sh', 'bash', 'df'])
    rig.write(`../bin/${name}`, `#!/bin/sh\necho ${name} >> ${rig.root}/trace\n`);
  for (const name of ['gemini', 'git', 'sh', 'bash', 'df']) chmodSync(path.join(rig.bin, name), 0o755);
  await look({ environment: { PATH: rig.bin } });
  assert.throws(() => chmodSync(path.join(rig.root, 'trace'), 0o600), /ENOENT/);
});

test('no git', async () => {
  symlinkSync(process.execPath, path.join(rig.bin, 'node'));
  assert.equal(await look({ environment: { PATH: rig.bin } }), [
    'warn git: git is not on the PATH: changes of a CLI in the tree cannot be detected → install git',
  ]);
});

test('proxies are named without their passwords', async () => {
  const environment = { HTTPS_PROXY: 'http://me:secret@proxy.lan:3128', http_proxy: 'me:secret@plain.lan:80' };
  assert.equal(await look({ environment }), [
    'note proxy: calls go through HTTPS_PROXY (proxy.lan:3128), http_proxy (plain.lan:80)',
  ]);
});

test('extra certificates: their price, or that they are not there', async () => {
  const file = rig.write('ca.pem', '');
  const look20 = (NODE_EXTRA_CA_CERTS: string) =>
    look({ nodeVersion: '20.20.2', environment: { NODE_EXTRA_CA_CERTS } });
  assert.equal(await look20(file), [
    'note certificates: NODE_EXTRA_CA_CERTS=~/project/ca.pem can add 50 ms to the start of every Node 20.20.2 process → name a file with only the certificates you need, or use Node 22 or newer',
  ]);
  assert.equal(await look20('/none.pem'), [
    'warn certificates: NODE_EXTRA_CA_CERTS names /none.pem, which is not there → unset it, or put the file there',
  ]);
});

test('a server that gemini does not start hides nothing else, and one that is excluded is not told of', async () => {
  const home = (text: string) => rig.write('../home/.gemini/settings.json', text);
  const limits = async () => (await look({ tools: ['gemini'], uid: 1000 })).filter((line) => / limits: /.test(line));
  home('{"mcpServers": {"db": {}}}');
  const [both] = await limits();
  assert.match(
    both!,
    /^warn gemini limits: MCP server "db" does not start: .*; only root can turn its own retries off; /,
  );
  assert.match(both!, '→ correct the settings of db; let an administrator set general.maxAttempts');
  home('{"mcpServers": {"db": {}}, "mcp": {"excluded": ["db"]}}');
  assert.match((await limits())[0]!, /^note gemini limits: only root can/);
});

test('what only gemini and only codex need to be told', async () => {
  assert.equal(await look({ tools: ['gemini', 'codex'], uid: 1000 }), [
    'note gemini limits: only root can turn its own retries off; those that it announces are cut instead → let an administrator set general.maxAttempts to 1 in its system settings',
    'warn codex trust: codex refuses to start in ~/project, which is in no git repository → if you trust it, add --trust-workspace, or run `tollgate trust` in that folder once',
  ]);
});

test('a $TMPDIR that is missing is one finding, also for a CLI behind a prefix', async () => {
  const TMPDIR = path.join(rig.root, 'none');
  const more = { depth: 'full', prefixes: { gemini: ['env'] }, environment: { TMPDIR } } as const;
  const found = (await look(more)).filter((line) => line.includes('none'));
  assert.equal(found, [
    'fail $TMPDIR: ~/none cannot be written: ENOENT → make it a folder that you may write (mkdir -p ~/none), or unset TMPDIR',
  ]);
});

test('state that cannot be kept', async () => {
  const environment = { TOLLGATE_STATE: rig.write('file', '') };
  assert.equal(await look({ environment }), [
    'fail state folder: ~/project/file is a file, but state is kept in the folder ~/project/file → point TOLLGATE_STATE at a folder on a local disk that you may write',
  ]);
});

test.run();
