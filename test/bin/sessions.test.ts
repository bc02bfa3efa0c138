// tollgate sessions: what is kept, with what the CLIs' own files tell; taking one on, forgetting one.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultEnv, faultShim } from '../rig/fault-shim.ts';
import { validatorOf } from '../rig/schemas/validator.ts';
import { makeSession, SESSION_IDS } from '../rig/session-files.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('sessions command');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ID = SESSION_IDS.codex;
const file = (rig: TestRig) => path.join(rig.project, '.tmp/state/sessions.json');
const stored = (rig: TestRig) => JSON.parse(readFileSync(file(rig), 'utf8'));
const ask = async (rig: TestRig, ...words: string[]) => rig.start('tollgate', ['sessions', ...words]).result;
const TURNS = [{ prompt: 'Do it.', answer: 'done' }];

test('a session is taken on, listed, shown and forgotten', async ({ rig }) => {
  const made = makeSession('codex', rig, TURNS);
  mkdirSync(path.join(rig.project, '.tmp'), { recursive: true });
  assert.is((await ask(rig, 'list')).stdout, 'no session is kept\n');
  const adopted = await ask(rig, 'adopt', 'the login', ID, '--tool=codex');
  assert.equal([adopted.code, adopted.stdout], [0, `the login goes on in codex ${ID}\n`]);
  const { stdout } = await ask(rig, 'list', '--json');
  const SESSIONS = validatorOf('SESSIONS_SCHEMA');
  assert.ok(SESSIONS(JSON.parse(stdout)), JSON.stringify(SESSIONS.errors));
  const [kept] = JSON.parse(stdout).sessions;
  assert.equal(
    [kept.tag, kept.tool, kept.file, kept.turns, kept.health, kept.entry.session_id],
    ['the login', 'codex', made, 1, 'well-formed', ID],
  );
  assert.match((await ask(rig, 'list')).stdout, /the login {2}codex {2}01a1ffb7.* KiB|B .*no errors {2}well-formed/);
  for (const word of ['the login', ID]) assert.match((await ask(rig, 'show', word)).stdout, `file: ${made}`);
  const forgot = await ask(rig, 'forget', 'the login');
  assert.equal([forgot.code, stored(rig).active_sessions, stored(rig).given_up], [0, {}, { codex: [ID] }]);
  assert.is(readFileSync(made, 'utf8').length > 0, true);
  assert.is((await ask(rig, 'forget', 'the login')).code, 1);
});

test('a session whose file is gone has an unknown health', async ({ rig }) => {
  makeSession('codex', rig, TURNS);
  await ask(rig, 'adopt', 'a', ID, '--tool=codex');
  const entries = stored(rig);
  entries.active_sessions.a.codex.session_id = 'gone';
  writeFileSync(file(rig), JSON.stringify(entries));
  assert.match((await ask(rig, 'show', 'a')).stdout, /file: unknown[\s\S]*health: unknown/);
});

test('gemini: what its installed version would send twice is told, though its file names no version', async ({
  rig,
}) => {
  makeSession('gemini', rig, [{ prompt: 'one', tool: { name: 'shell', input: {}, output: 'a' }, answer: 'ONE' }]);
  await ask(rig, 'adopt', 'a', SESSION_IDS.gemini, '--tool=gemini');
  assert.match((await ask(rig, 'show', 'a')).stdout, 'health: 1 flaw; mended before it is gone on with');
});

test('a sessions.json that is none is set aside with a word, whoever changes it', async ({ rig }) => {
  makeSession('codex', rig, TURNS);
  for (const words of [
    ['adopt', 'a', ID, '--tool=codex'],
    ['forget', 'b'],
  ]) {
    rig.write('.tmp/state/sessions.json', '[]');
    assert.match((await ask(rig, ...words)).stderr, /is no JSON object; it was moved to /);
  }
});

test('a sessions.json that cannot be written is told as such', async ({ rig }) => {
  if (faultShim() === null) return console.log('SKIPPED: no C compiler here, so the disk cannot be made to fail');
  makeSession('codex', rig, TURNS);
  Object.assign(rig.env, faultEnv({ in: 'tollgate.cjs', under: file(rig), at: 1, times: 0, does: 'ENOSPC' }));
  const { code, stderr } = await ask(rig, 'adopt', 'a', ID, '--tool=codex');
  assert.is(code, 1);
  assert.match(stderr, /^tollgate sessions: ENOSPC: .*sessions\.json.*; nothing was changed\n$/);
});

const MISTAKES: [words: string[], code: number, says: string][] = [
  [['look'], 2, 'list, show, adopt or forget, not "look"'],
  [['constructor'], 2, 'list, show, adopt or forget'],
  [['show'], 2, 'show takes one TAG or ID'],
  [['adopt', 'a'], 2, 'adopt takes TAG ID --tool TOOL, or --list'],
  [['adopt', 'a]b', ID, '--tool=codex'], 2, 'a tag must be 1 to 128 characters'],
  [['adopt', 'a', 'nowhere', '--tool=codex'], 1, 'codex has no session nowhere'],
  [['show', 'a'], 1, 'no session is kept for "a"'],
];
for (const [words, code, says] of MISTAKES)
  test(`${words.join(' ')}: ${says}`, async ({ rig }) => {
    const told = await ask(rig, ...words);
    assert.is(told.code, code);
    assert.match(told.stderr, says);
  });

test('what could be taken on: gemini is asked, with a word, and the others by their files', async ({ rig }) => {
  makeSession('codex', rig, TURNS);
  const rows = [
    '  1. An old one (3 weeks ago) [00000000-0000-4000-8000-000000000001]',
    '  2. Mend (it) [ghp_0123456789abcdefghijABCDEFGHIJ012345] (2 days ago) [00000000-0000-4000-8000-000000000002]',
  ];
  const list = `\nAvailable sessions for this project (2):\n${rows.join('\n')}\n`;
  rig.answer(() => [
    { do: 'write', to: 'stdout', text: list },
    { do: 'exit', code: 0 },
  ]);
  const { code, stdout, stderr } = await ask(rig, 'adopt', '--list', '--json');
  const { sessions } = JSON.parse(stdout);
  assert.equal(
    [code, sessions.map(({ tool, id, title }: Record<string, string>) => [tool, id, title])],
    [
      0,
      [
        ['gemini', '00000000-0000-4000-8000-000000000002', 'Mend (it) [[REDACTED:github_token]]'],
        ['codex', ID, 'Do it.'],
      ],
    ],
  );
  assert.match(stderr, 'it may make a paid call');
  assert.equal(rig.calls[0]!.report.argv, ['--list-sessions']);
});

test.run();
