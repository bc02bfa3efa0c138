// How claude is called: its settings go before a project's, nobody's folder is trusted unasked, and no prompt is a command.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRequest } from '../../../wrappers/adapter.ts';
import { serverRules } from '../../../wrappers/claude/overlay.ts';
import { route } from '../../../wrappers/claude/route.ts';
import { CLAUDE } from '../../../wrappers/claude/row.ts';
import { ignores } from '../../../wrappers/claude/settings.ts';

const test = suite<{ home: string }>('claude row');
test.before.each((context) => {
  context.home = mkdtempSync(path.join(tmpdir(), 'home-'));
});
test.after.each(({ home }) => rmSync(home, { recursive: true }));

function requestIn(home: string, more: Partial<CallRequest> = {}): CallRequest {
  const cwd = path.join(home, 'project');
  mkdirSync(cwd, { recursive: true });
  return {
    ...{ model: null, resumeSession: null, newSession: 'NEW', access: 'read', maxTurns: null, own: {} },
    ...{ innerRetries: 'cut', trustWorkspace: false, cwd, environment: { HOME: home } },
    ...more,
  };
}

const save = (home: string, file: string, value: unknown) => {
  mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
  writeFileSync(path.join(home, file), typeof value === 'string' ? value : JSON.stringify(value));
};

const settingsOf = (argv: readonly string[]) =>
  (JSON.parse(argv[argv.indexOf('--settings') + 1]!) as { env: Record<string, string> }).env;

const deniedTo = (request: CallRequest) =>
  CLAUDE.argv(request, [])
    .find((word) => word.startsWith('--disallowedTools='))!
    .split('=')[1]!
    .split(',');

test('its retries are turned down where a project cannot turn them up, or are left alone', ({ home }) => {
  const cut = settingsOf(CLAUDE.overlay(requestIn(home)).argv);
  assert.equal([cut.CLAUDE_CODE_MAX_RETRIES, cut.CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK], ['0', '1']);
  const allowed = settingsOf(CLAUDE.overlay(requestIn(home, { innerRetries: 'allow' })).argv);
  assert.equal([allowed.CLAUDE_CODE_MAX_RETRIES, allowed.CLAUDE_CODE_DISABLE_FILE_MENTIONS], [undefined, '1']);
});

const BETAS = 'CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS';

test('elsewhere than at its service it sends no betas, which it would take back one by one', ({ home }) => {
  const betas = (environment: Record<string, string>, more: Partial<CallRequest> = {}) =>
    settingsOf(CLAUDE.overlay(requestIn(home, { environment: { HOME: home, ...environment }, ...more })).argv)[BETAS];
  const elsewhere = { ANTHROPIC_BASE_URL: 'https://gateway' };
  assert.is(betas({}), undefined);
  assert.is(betas({ ANTHROPIC_BASE_URL: 'https://api.anthropic.com/' }), undefined);
  assert.is(betas(elsewhere), '1');
  assert.is(betas({ CLAUDE_CODE_USE_BEDROCK: '1' }), '1');
  assert.is(betas(elsewhere, { innerRetries: 'allow' }), undefined);
  assert.is(betas({ ...elsewhere, ENABLE_TOOL_SEARCH: 'true' }), undefined);
  save(home, 'project/.claude/settings.json', { env: elsewhere });
  assert.is(betas({}), '1');
});

test('nothing continues after its answer, whatever a project says', ({ home }) => {
  const { argv } = CLAUDE.overlay(requestIn(home, { innerRetries: 'allow' }));
  assert.is(settingsOf(argv).CLAUDE_CODE_DISABLE_BACKGROUND_TASKS, '1');
  for (const access of ['read', 'write', 'full'] as const) {
    const denied = deniedTo(requestIn(home, { access }));
    for (const tool of ['Monitor', 'ScheduleWakeup', 'CronCreate'])
      assert.ok(denied.includes(tool), `${access} ${tool}`);
  }
});

test('who may only read has no tool that edits, whatever the user allows to all calls, but what is allowed to this one', ({
  home,
}) => {
  const edits = (request: CallRequest) => deniedTo(request).filter((tool) => /Edit|Write/.test(tool));
  assert.equal(edits(requestIn(home)), ['Edit', 'Write', 'NotebookEdit']);
  assert.equal(edits(requestIn(home, { own: { 'allow-tool': ['Write(notes/**)'] } })), ['Edit', 'NotebookEdit']);
  assert.equal(edits(requestIn(home, { access: 'write' })), []);
});

test('a tool that the call allows, and that a hook or a rule of the settings denies, has no flag that allows it', ({
  home,
}) => {
  const denial = { tool: 'Bash', rule: 'Bash(git push origin)' };
  const wayOf = (given: string) => CLAUDE.allows(denial, requestIn(home, { own: { 'allow-tool': [given] } }));
  for (const given of ['Bash', 'Bash(git push origin)', 'Bash(git push:*)']) assert.is(wayOf(given), null, given);
  assert.equal(wayOf('Bash(git pull:*)'), { flag: 'allow-tool', value: denial.rule });
});

test('a tool that the call itself denies is allowed without that flag, and one that the settings deny without their rule', ({
  home,
}) => {
  const denial = { tool: 'Bash', rule: 'Bash(git push origin)' };
  const wayOf = (own: object) => CLAUDE.allows(denial, requestIn(home, { own: { 'allow-tool': ['Bash'], ...own } }));
  assert.equal(wayOf({ 'deny-tool': ['Write', 'Bash(git push:*)'] }), { flag: 'deny-tool', value: 'Bash(git push:*)' });
  save(home, '.claude/settings.json', { permissions: { deny: ['Read', 'Bash(git pull:*)', 'Bash(git push:*)'] } });
  const where = path.join(home, '.claude/settings.json');
  assert.equal(wayOf({}), { flag: 'deny-tool', value: 'Bash(git push:*)', where });
});

test('what a trusted project allows is passed, since claude itself ignores it', ({ home }) => {
  save(home, 'project/.claude/settings.json', { permissions: { allow: ['Bash(make test)', 7], deny: ['Read(.env)'] } });
  save(home, 'project/.claude/settings.local.json', { permissions: { allow: ['WebFetch'] } });
  const passed = (trustWorkspace: boolean) => {
    const { argv } = CLAUDE.overlay(requestIn(home, { trustWorkspace }));
    return JSON.parse(argv[argv.indexOf('--settings') + 1]!).permissions;
  };
  assert.equal(passed(true), { allow: ['WebFetch', 'Bash(make test)'] });
  assert.is(passed(false), undefined);
});

test('rules of a trusted project that are too long for an argument are not passed, and a warning says so', ({
  home,
}) => {
  const rules = Array.from({ length: 3_100 }, (_, at) => `Bash(größer ${at})`);
  save(home, 'project/.claude/settings.json', { permissions: { allow: rules } });
  const overlayOf = () => CLAUDE.overlay(requestIn(home, { trustWorkspace: true }));
  assert.not.match(overlayOf().argv.join(' '), 'permissions');
  assert.match(overlayOf().warnings.join(), 'longer than 64 KiB');
  save(home, 'project/.claude/settings.json', { permissions: { allow: rules.slice(0, 2_000) } });
  assert.match(overlayOf().argv.join(' '), 'permissions');
  assert.equal(overlayOf().warnings, []);
});

test('a link in a trusted folder leads out of it', ({ home }) => {
  const [own, stranger] = ['own', 'stranger'].map((name) => path.join(realpathSync(home), name)) as [string, string];
  for (const folder of [own, stranger]) mkdirSync(folder);
  symlinkSync(stranger, path.join(own, 'link'));
  save(home, '.claude.json', { projects: { [own]: { hasTrustDialogAccepted: true } } });
  assert.is(CLAUDE.distrusts(requestIn(home, { cwd: own })), null);
  assert.is.not(CLAUDE.distrusts(requestIn(home, { cwd: path.join(own, 'link') })), null);
});

test('a proxy in its settings would be asked for the relay', ({ home }) => {
  for (const name of ['HTTPS_PROXY', 'http_proxy']) {
    save(home, '.claude/settings.json', { env: { [name]: 'http://proxy' } });
    const found = route(requestIn(home));
    const said = found.how === 'fixed' ? found.because : found.upstream;
    assert.match(said, new RegExp(`^${name} in .*settings.json is set, and the relay does not ask through a proxy$`));
  }
});

test('a folder is trusted by a word of ours, or by one of its own there or above', ({ home }) => {
  const refused = CLAUDE.distrusts(requestIn(home));
  assert.match(refused ?? '', /project is not a trusted folder.*settings unasked$/);
  assert.is(CLAUDE.distrusts(requestIn(home, { trustWorkspace: true })), null);
  const trust = (folder: string, hasTrustDialogAccepted: boolean) =>
    save(home, '.claude.json', { projects: { [folder]: { hasTrustDialogAccepted } } });
  for (const folder of [path.join(home, 'project'), home]) {
    trust(folder, true);
    assert.is(CLAUDE.distrusts(requestIn(home)), null, folder);
    trust(folder, false);
    assert.is.not(CLAUDE.distrusts(requestIn(home)), null, folder);
  }
  save(home, '.claude.json', 'no JSON');
  assert.is.not(CLAUDE.distrusts(requestIn(home)), null);
});

test('a slash at the very start is a command to claude, and nothing else is', () => {
  const told = ['/compact', ' /compact', '@.env and /x', '-p'].map(CLAUDE.prompt.escape);
  assert.equal(told, ['\n/compact', ' /compact', '@.env and /x', '-p']);
});

test('a schema and an effort are its own flags, and a schema has one try', ({ home }) => {
  const requires = { servers: [], denied: 'note', schema: { type: 'object' } } as const;
  const request = requestIn(home, { own: { effort: 'max' }, requires });
  const argv = CLAUDE.argv(request, CLAUDE.answerSchema.argv(requires.schema));
  assert.equal(argv[argv.indexOf('--effort') + 1], 'max');
  assert.ok(argv.includes('--json-schema={"type":"object"}'));
  const tries = (one: CallRequest) => settingsOf(CLAUDE.overlay(one).argv).MAX_STRUCTURED_OUTPUT_RETRIES;
  assert.equal(
    [tries(request), tries(requestIn(home)), tries({ ...request, innerRetries: 'allow' })],
    ['1', undefined, undefined],
  );
});

test('root, which claude refuses the bypass, is allowed the tools of its servers by their names', ({ home }) => {
  const server = (name: string) => ({ mcpServers: { [name]: { command: 'x' } } });
  save(home, '.claude.json', {
    ...server('of user'),
    projects: { [path.join(home, 'project')]: server('here'), '/else': server('else') },
  });
  save(home, 'project/.mcp.json', server('team'));
  assert.equal(serverRules(requestIn(home)), ['mcp__of_user', 'mcp__here', 'mcp__team']);
  assert.equal(serverRules(requestIn(path.join(home, 'nobody'))), []);
});

test('a session is begun with an id of ours, or continued', ({ home }) => {
  assert.is(CLAUDE.argv(requestIn(home), []).at(-1), '--session-id=NEW');
  assert.is(CLAUDE.argv(requestIn(home, { resumeSession: 'OLD' }), []).at(-1), '--resume=OLD');
});

test('its requests go by its settings, then by the environment', ({ home }) => {
  const upstream = (request: CallRequest) => {
    const found = route(request);
    return found.how === 'planned' ? found.upstream : found.because;
  };
  const request = requestIn(home, { environment: { HOME: home, ANTHROPIC_BASE_URL: 'http://one' } });
  assert.equal([upstream(requestIn(home)), upstream(request)], ['https://api.anthropic.com', 'http://one']);
  save(home, 'project/.claude/settings.json', { env: { ANTHROPIC_BASE_URL: 'http://two' } });
  assert.is(upstream(request), 'http://two');
  const found = route(request);
  const argv = found.how === 'planned' ? found.through('http://relay', CLAUDE.overlay(request)).argv : [];
  assert.equal(settingsOf(argv), { ...settingsOf(CLAUDE.overlay(request).argv), ANTHROPIC_BASE_URL: 'http://relay' });
  const direct = route(requestIn(home, { cwd: home }));
  const relayed =
    direct.how === 'planned' ? direct.through('http://relay', CLAUDE.overlay(requestIn(home, { cwd: home }))) : null;
  assert.is(settingsOf(relayed?.argv ?? [])[BETAS], '1');
  const bedrock = requestIn(home, { environment: { HOME: home, CLAUDE_CODE_USE_BEDROCK: '1' } });
  assert.is(upstream(bedrock), "claude asks a cloud's own service (CLAUDE_CODE_USE_BEDROCK)");
});

test('settings and servers that it would ignore without a word are told', ({ home }) => {
  const place = { environment: { HOME: home }, cwd: path.join(home, 'project/sub'), trustWorkspace: true };
  const told = () =>
    ignores(place).map((one) => [one.what, one.what === 'server' ? one.name : path.relative(home, one.file)]);
  mkdirSync(place.cwd, { recursive: true });
  // Measured: neither an empty file nor a byte order mark is a mistake to claude.
  save(home, '.claude/settings.json', '');
  save(home, 'project/sub/.claude/settings.json', '\ufeff{}\n');
  save(home, 'project/sub/.mcp.json', '{"mcpServers": {"db": {"command": "x"}, "web": {"type": "http", "url": "x"}}}');
  assert.equal(told(), []);
  save(home, 'project/sub/.claude/settings.json', '{"permissions": {"deny": [}');
  save(home, 'project/sub/.mcp.json', '{"mcpServers": {"db": {"comand": "x"}}}');
  save(home, 'project/.mcp.json', '{"mcpServers": {}, }');
  assert.equal(told(), [
    ['settings', 'project/sub/.claude/settings.json'],
    ['server', 'db'],
    ['servers', 'project/.mcp.json'],
  ]);
});

test('a settings file is named once, with what is wrong with it', ({ home }) => {
  const told = () => ignores({ environment: { HOME: home }, cwd: home, trustWorkspace: true });
  const file = path.join(home, '.claude/settings.json');
  save(home, '.claude/settings.json', '[]');
  const lost = 'and claude would ignore it without a message, its deny rules too';
  assert.equal(told(), [{ what: 'settings', file, why: `is not a JSON object, ${lost}` }]);
  save(home, '.claude/settings.json', `{${' '.repeat(2_097_150)}}`);
  assert.equal(told(), []);
  // From here on, claude 2.1.332 ignores it.
  save(home, '.claude/settings.json', `{${' '.repeat(2_097_151)}}`);
  const large = `has 2097153 bytes; at most 2097152 are read, ${lost}`;
  assert.equal(told(), [{ what: 'settings', file, why: large }]);
  rmSync(file);
  mkdirSync(file);
  assert.match(
    told()
      .map((one) => one.why)
      .join(),
    /^is a folder|^is not a regular file|^cannot be read/,
  );
  rmSync(file, { recursive: true });
  save(home, '.claude/settings.json', '{"disabledMcpjsonServers": ["db"]}');
  save(home, '.mcp.json', '{"mcpServers": {"db": {"comand": "x"}}}');
  assert.equal(told(), [], 'a server that the user turned off does not start either way');
});

test.run();
