// Calls in an account of the user's settings: its login alone, in its folder alone; a mistake in an account costs nothing.

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../../policies/facts/exit-codes.ts';
import { type BuiltIn, TOOLS } from '../../../policies/facts/tools.ts';
import { HOMES } from '../../../policies/limits/user-accounts.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { keepEntries } from '../../rig/kept-entries.ts';
import { makeSession, SESSION_IDS } from '../../rig/session-files.ts';
import { answerWith, SESSION } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { runWrapper } from '../../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('accounts');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** Writes the user's settings, and makes the folders `first` and `second` in the user's home. */
function settle(rig: TestRig, accounts: string): string {
  const folder = path.join(rig.home, '.config/tollgate');
  mkdirSync(folder, { recursive: true });
  for (const name of ['first', 'second']) mkdirSync(path.join(rig.home, name), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'settings.yaml'), `accounts:\n${accounts}`);
  return path.join(folder, 'settings.yaml');
}

/** A key that the user has set for all calls, and where the CLI expects the key of an account. */
const KEYS = {
  gemini: 'GEMINI_API_KEY',
  copilot: 'GH_TOKEN',
  codex: 'CODEX_API_KEY',
  claude: 'ANTHROPIC_API_KEY',
} as const satisfies Record<BuiltIn, string>;

for (const tool of TOOLS) {
  test(`${tool}: a login is used in its own folder, without the keys of the environment`, async ({ rig }) => {
    settle(rig, `  first: {tool: ${tool}, home: ~/first}\n  other: {tool: ${tool}, key: OTHER_KEY}\n`);
    Object.assign(rig.env, { [KEYS[tool]]: 'sk-of-all-000000000', OTHER_KEY: 'sk-of-other-0000000' });
    const { ended } = runWrapper(rig, tool, ['--account', 'first', '--trust-workspace']);
    const fake = await rig.call();
    const { report } = fake;
    assert.is(report.env[HOMES[tool]], path.join(rig.home, 'first'));
    assert.equal([report.env[KEYS[tool]], report.env.OTHER_KEY], [undefined, undefined]);
    await fake.tell(...answerWith(tool, 'Hello.'));
    const { code, record } = await ended();
    assert.equal([code, record.account], [0, 'first']);
  });

  test(`${tool}: a key is used in a folder that no other account has`, async ({ rig }) => {
    settle(rig, `  second: {tool: ${tool}, key: SECOND_KEY}\n`);
    const key = tool === 'copilot' ? 'github_pat_0000000000' : 'sk-second-0000000000';
    Object.assign(rig.env, { [KEYS[tool]]: 'sk-of-all-000000000', SECOND_KEY: key });
    const { ended } = runWrapper(rig, tool, ['--account', 'second', '--trust-workspace']);
    const fake = await rig.call();
    const { report } = fake;
    const home = path.join(rig.home, '.local/state/tollgate/accounts/second');
    assert.is(report.env[HOMES[tool]], home);
    assert.is(statSync(home).mode & 0o777, 0o700);
    const variable = tool === 'copilot' ? 'COPILOT_GITHUB_TOKEN' : KEYS[tool];
    assert.equal(report.env[variable], key);
    if (tool === 'copilot') assert.is(report.env[KEYS[tool]], undefined);
    await fake.tell(...answerWith(tool, 'Hello.'));
    assert.is((await ended()).record.account, 'second');
  });
}

test('a key that is not set leaves no other login to the call', async ({ rig }) => {
  settle(rig, '  second: {tool: codex, key: SECOND_KEY}\n');
  rig.install('codex', {}, 'published');
  Object.assign(rig.env, { CODEX_API_KEY: 'sk-of-all-000000000' });
  const { code, record } = await runWrapper(rig, 'codex', ['--account', 'second', '--trust-workspace']).ended();
  assert.equal(
    [code, record.verdict.reason, record.ending],
    [WRAPPER_EXIT.codex.failure, 'not_signed_in', 'not_started'],
  );
  assert.match(record.verdict.evidence!.text, 'is not signed in to the account second');
});

const GOOD = '  first: {tool: codex, home: ~/first}\n';

const BAD: [what: string, accounts: string, name: string, says: string | RegExp, prepare?: (rig: TestRig) => void][] = [
  ['unknown', GOOD, 'firts', /there is no account "firts" in .*settings\.yaml; did you mean first\?/],
  [
    'of another CLI',
    '  first: {tool: claude, home: ~/first}\n',
    'first',
    'the account first is one of claude, not of codex',
  ],
  ['without a place', '  first: {tool: codex}\n', 'first', 'must have home, key, or both'],
  [
    'with a missing folder',
    '  first: {tool: codex, home: ~/gone}\n',
    'first',
    /its folder .*gone is missing: make it \(mkdir -p .*gone\) and sign in there/,
  ],
  [
    'with a shared folder',
    `${GOOD}  second: {tool: codex, home: ~/./first}\n`,
    'first',
    /it has the same folder as the account second/,
  ],
  [
    'whose folder others may write',
    GOOD,
    'first',
    /its folder .*first may be written by other users; chmod go-w/,
    (rig) => chmodSync(path.join(rig.home, 'first'), 0o770),
  ],
  [
    'in settings that others may write',
    GOOD,
    'first',
    /settings\.yaml may be written by other users; chmod go-w/,
    (rig) => chmodSync(path.join(rig.home, '.config/tollgate/settings.yaml'), 0o666),
  ],
  [
    'in settings of a checkout',
    GOOD,
    'first',
    /settings\.yaml is in the repository .*a checkout defines no accounts/,
    (rig) => {
      mkdirSync(path.join(rig.project, '.git'));
      rig.write('config/tollgate/settings.yaml', `accounts:\n${GOOD}`);
      rig.env.XDG_CONFIG_HOME = path.join(rig.project, 'config');
    },
  ],
];

for (const [what, accounts, name, says, prepare] of BAD)
  test(`an account ${what} is refused before anything is started`, async ({ rig }) => {
    settle(rig, accounts);
    prepare?.(rig);
    const { code, said, record } = await runWrapper(rig, 'codex', ['--account', name]).ended();
    assert.equal([code, record, rig.calls.length], [WRAPPER_EXIT.codex.badInput, null, 0], said);
    assert.match(said, says);
  });

test('accounts of a checkout are ignored, and a run and preflight report it', async ({ rig }) => {
  rig.write('tollgate.yaml', 'accounts:\n  first: {tool: codex, home: ~/first}\n');
  const said = 'accounts of tollgate.yaml are not used';
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(() => answerWith('codex', 'Hello.'));
  const { code, report } = await task.run();
  assert.is(code, 0);
  assert.match(report.notes.join('\n'), said);
  const { stdout } = await rig.run('tollgate', ['preflight', '--quick', '--json']);
  assert.match(JSON.stringify(JSON.parse(stdout).findings), said);
  const { code: refused, said: why } = await runWrapper(rig, 'codex', ['--account', 'first']).ended();
  assert.equal([refused, why.includes('there is no account "first"')], [WRAPPER_EXIT.codex.badInput, true], why);
});

test('a call names no CLI if its account does', async ({ rig }) => {
  settle(rig, GOOD);
  const running = rig.start('tollgate', ['call', '--account', 'first', '--trust-workspace', 'Say hello, please.']);
  const fake = await rig.call();
  const { report } = fake;
  assert.is(report.tool, 'codex');
  await fake.tell(...answerWith('codex', 'Hello.'));
  assert.is((await running.result).stdout, 'Hello.\n');
});

test('--last resumes the previous call of the same account', async ({ rig }) => {
  settle(rig, GOOD);
  const make = async (...flags: string[]) => {
    const running = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--trust-workspace', ...flags]);
    const call = await rig.callBefore(running.result);
    await call?.tell(...answerWith('codex', 'Hello.'));
    const { code, stderr } = await running.result;
    return { code, stderr, argv: call?.report.argv.join(' ') ?? null };
  };
  await make('--account', 'first');
  const other = await make('--last');
  assert.equal([other.code, other.argv], [WRAPPER_EXIT.codex.badInput, null]);
  assert.match(other.stderr, 'was made in the account first; to continue it, add --account first');
  const own = await make('--account', 'first', '--last');
  assert.ok(own.argv?.includes(SESSION), own.stderr);
});

test('--last without a CLI names the account of the previous call, and calls no other CLI', async ({ rig }) => {
  settle(rig, GOOD);
  const first = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--trust-workspace', '--account', 'first']);
  await (await rig.call()).tell(...answerWith('codex', 'Hello.'));
  await first.result;
  const running = rig.start('tollgate', ['call', 'And now?', '--trust-workspace', '--last']);
  assert.is(await rig.callBefore(running.result), null);
  assert.match((await running.result).stderr, /^tollgate call codex: --last: .* add --account first/);
});

test('a call does not wait for a killed one of another login that has its name', async ({ rig }) => {
  settle(rig, '  first: {tool: codex, home: ~/first}\n');
  const words = ['call', 'codex', 'Say hello.', '--trust-workspace', '--session', 'login'];
  const killed = rig.start('tollgate', [...words, '--account', 'first']);
  const orphan = await rig.call();
  killed.signal('SIGKILL');
  await killed.result;
  const next = rig.start('tollgate', words);
  await (await rig.call()).tell(...answerWith('codex', 'Hello.'));
  const { code, stdout, stderr } = await next.result;
  assert.equal([code, stdout], [0, 'Hello.\n'], stderr);
  assert.not.match(stderr, 'waiting');
  await orphan.tell(...answerWith('codex', 'Late.'));
  await orphan.gone;
});

test('a name that has a session of another login begins one, and says so; the list names the login', async ({
  rig,
}) => {
  settle(rig, GOOD);
  const make = async (...flags: string[]) => {
    const words = ['call', 'codex', 'Say hello.', '--trust-workspace', '--session', 'login', ...flags];
    const running = rig.start('tollgate', words);
    await (await rig.call()).tell(...answerWith('codex', 'Hello.'));
    return (await running.result).stderr;
  };
  await make('--account', 'first');
  assert.match(await make(), `a new session begins, since ${SESSION} of "login" belongs to --account first`);
  assert.not.match(await make('--account', 'first'), 'a new session begins');
  const { stdout } = await rig.start('tollgate', ['sessions', 'list']).result;
  assert.match(stdout, /codex \(first\)/);
});

test('tollgate accounts lists login, folder and use, and preflight checks each', async ({ rig }) => {
  settle(rig, `${GOOD}  second: {tool: claude, key: SECOND_KEY}\n  third: {tool: codex, home: ~/gone}\n`);
  writeFileSync(path.join(rig.home, 'first/auth.json'), '{"OPENAI_API_KEY": "sk-first-0000000000"}');
  const { code, stdout } = await rig.run('tollgate', ['accounts', '--json']);
  assert.is(code, 0);
  const { accounts } = JSON.parse(stdout) as { accounts: { name: string; login: string; fix: string; used: object }[] };
  assert.equal(
    accounts.map(({ name, login }) => [name, login]),
    [
      ['first', 'signed_in'],
      ['second', 'signed_out'],
      ['third', 'unusable'],
    ],
  );
  assert.is(accounts[1]!.fix, 'export SECOND_KEY=…');
  const { findings } = JSON.parse((await rig.run('tollgate', ['preflight', '--quick', '--json'])).stdout) as {
    findings: { check: string; status: string; found: string }[];
  };
  const found = findings.filter(({ check }) => check.includes(' account '));
  assert.equal(
    found.map(({ check, status }) => `${check} ${status}`),
    ['codex account first ok', 'claude account second fail', 'codex account third fail'],
  );
  assert.not.match(stdout, 'sk-first');
});

/** The folder in a home that the CLI's variable names. */
const FOLDERS = { gemini: '', copilot: '.copilot', codex: '.codex', claude: '.claude' } as const;

for (const tool of TOOLS)
  test(`${tool}: history, sessions and undo read a session in the folder of its account`, async ({ rig }) => {
    const home = path.join(rig.home, 'first');
    settle(rig, `  first: {tool: ${tool}, home: ~/first/${FOLDERS[tool]}}\n`);
    const { project } = rig;
    const turns = ['One', 'Two'].map((prompt) => ({ prompt, answer: `${prompt}.` }));
    const file = makeSession(tool, { home, project }, turns);
    chmodSync(path.join(home, FOLDERS[tool]), 0o700);
    const id = SESSION_IDS[tool];
    keepEntries(rig, `${tool}/first`, { login: { session_id: id, account: 'first' } });
    const ask = async (...words: string[]) => (await rig.run('tollgate', [...words, '--json'])).stdout;
    for (const word of [id, 'login']) assert.is(JSON.parse(await ask('history', word)).file, file);
    assert.is(JSON.parse(await ask('sessions', 'list')).sessions[0].file, file);
    await ask('undo', 'login');
    assert.is(JSON.parse(await ask('history', 'login')).turns_reverted, 1);
  });

test('without settings there is no account, and the list says where they are defined', async ({ rig }) => {
  const { code, stdout } = await rig.run('tollgate', ['accounts']);
  assert.is(code, 0);
  assert.match(stdout, path.join(rig.home, '.config/tollgate/settings.yaml'));
});

test('a task is charged with the name of the account, and the report sums what each used', async ({ rig }) => {
  settle(rig, GOOD);
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const { ended } = runWrapper(rig, 'codex', ['--account', 'first', '--task', 'fix', '--trust-workspace']);
  await (await rig.call()).tell(...answerWith('codex', 'Hello.'));
  await ended();
  const [call] = [...task.journal.read().ledger.calls.values()];
  assert.is(call!.reserved.account, 'first');
  const { stdout } = await rig.run('tollgate', ['report', '--spent']);
  assert.match(stdout, /codex \(first\)\s+1/);
  const listed = JSON.parse((await rig.run('tollgate', ['accounts', '--json'])).stdout);
  assert.is(listed.accounts[0].used.calls, 1);
  const record = JSON.parse(readFileSync(path.join(rig.project, 'codex.json'), 'utf8')) as CallRecord;
  assert.is(record.account, 'first');
  assert.not.ok(existsSync(path.join(rig.home, '.codex')));
});

test.run();
