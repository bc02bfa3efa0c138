// tollgate sessions: what is kept, with what the CLIs' own files tell; taking one on, forgetting one.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BackupsObject } from '../../../../bin/tollgate/sessions/sessions.ts';
import type { Backup } from '../../../../loops/session/backups.ts';
import { faultEnv } from '../../../rig/fault-shim.ts';
import { validatorOf } from '../../../rig/schemas/validator.ts';
import { makeSession, SESSION_IDS } from '../../../rig/session-files.ts';
import { TestRig } from '../../../rig/test-rig.ts';
import { where } from '../../../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('sessions command');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ID = SESSION_IDS.codex;
const file = (rig: TestRig) => path.join(rig.project, '.tmp/state/sessions.json');
const stored = (rig: TestRig) => JSON.parse(readFileSync(file(rig), 'utf8'));
const ask = async (rig: TestRig, ...words: string[]) => rig.run('tollgate', ['sessions', ...words]);
const TURNS = [{ prompt: 'Do it.', answer: 'done' }];

test('a session is taken on, listed, shown and forgotten', async ({ rig }) => {
  const made = makeSession('codex', rig, TURNS);
  mkdirSync(path.join(rig.project, '.tmp'), { recursive: true });
  assert.is(
    (await ask(rig, 'list')).stdout,
    'no session is kept; `tollgate sessions adopt --list` shows those that a tag can adopt\n',
  );
  const adopted = await ask(rig, 'adopt', 'the login', ID, '--tool=codex');
  assert.equal([adopted.code, adopted.stdout], [0, `the login continues in codex ${ID}\n`]);
  const { stdout } = await ask(rig, 'list', '--json');
  const SESSIONS = validatorOf('SESSIONS_SCHEMA');
  assert.ok(SESSIONS(JSON.parse(stdout)), JSON.stringify(SESSIONS.errors));
  const [kept] = JSON.parse(stdout).sessions;
  assert.equal(
    [kept.tag, kept.tool, kept.file, kept.turns, kept.health, kept.entry.session_id],
    ['the login', 'codex', made, 1, 'well-formed', ID],
  );
  assert.match((await ask(rig, 'list')).stdout, /the login {2}codex {2}.*\d (?:KiB|B) .*well-formed {2}01a1ffb7/);
  for (const word of ['the login', ID]) assert.match((await ask(rig, 'show', word)).stdout, `file       ${made}`);
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
  assert.match(
    (await ask(rig, 'show', 'a')).stdout,
    /file +not found; [\s\S]*next +begin a fresh one: `tollgate sessions forget a`\n/,
  );
});

test('gemini: what its installed version would send twice is told, though its file names no version', async ({
  rig,
}) => {
  makeSession('gemini', rig, [{ prompt: 'one', tool: { name: 'shell', input: {}, output: 'a' }, answer: 'ONE' }]);
  await ask(rig, 'adopt', 'a', SESSION_IDS.gemini, '--tool=gemini');
  assert.match((await ask(rig, 'show', 'a')).stdout, 'health     1 flaw; repaired before the session continues');
});

test('a sessions.json that is none is set aside with a word, whoever changes it', async ({ rig }) => {
  makeSession('codex', rig, TURNS);
  for (const words of [
    ['adopt', 'a', ID, '--tool=codex'],
    ['forget', 'b'],
  ]) {
    rig.write('.tmp/state/sessions.json', '[]');
    assert.match((await ask(rig, ...words)).stderr, /is not a JSON object; it was moved to /);
  }
});

withFaults('a sessions.json that cannot be written is told as such', async ({ rig }) => {
  makeSession('codex', rig, TURNS);
  Object.assign(rig.env, faultEnv({ in: 'tollgate.cjs', under: file(rig), at: 1, times: 0, does: 'ENOSPC' }));
  const { code, stderr } = await ask(rig, 'adopt', 'a', ID, '--tool=codex');
  assert.is(code, 1);
  assert.match(
    stderr,
    /^tollgate sessions: ENOSPC: .*sessions\.json.*; nothing was changed\. To continue, free some space on its disk\n$/,
  );
});

const MISTAKES: [words: string[], code: number, says: string][] = [
  [['look'], 2, 'list, show, adopt, forget or backups, not "look"'],
  [['constructor'], 2, 'list, show, adopt, forget or backups'],
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
  // Its own report of a failure has whole conversations in it.
  rig.answer(({ report }) => [
    { do: 'save', file: path.join(report.env.TMPDIR!, 'gemini-client-error-x.json'), text: 'all that was said' },
    { do: 'write', to: 'stdout', text: list },
    { do: 'exit', code: 0 },
  ]);
  // It waits for gemini with its thread at rest, and we steer that gemini.
  const { code, stdout, stderr } = await rig.start('tollgate', ['sessions', 'adopt', '--list', '--json']).result;
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
  assert.equal(readdirSync(rig.env.TMPDIR!), []);
});

test('the copies that undo makes are listed, until they are too old', async ({ rig }) => {
  assert.is((await ask(rig, 'backups')).stdout, 'no copy of a conversation is kept\n');
  const made = makeSession('codex', rig, [...TURNS, ...TURNS]);
  const was = statSync(made).size;
  await rig.run('tollgate', ['undo', ID]);
  const listed: BackupsObject = JSON.parse((await ask(rig, 'backups', '--json')).stdout);
  const BACKUPS = validatorOf('BACKUPS_SCHEMA');
  assert.ok(BACKUPS(listed), JSON.stringify(BACKUPS.errors));
  const [{ session_id, what, bytes, file: copy }, ...others] = listed.backups as [Backup, ...Backup[]];
  assert.equal([session_id, what, bytes, others], [ID, 'undone', was, []]);
  assert.equal(
    [copy, path.dirname(copy)].map((place) => statSync(place).mode & 0o777),
    [0o600, 0o700],
  );
  const { stdout } = await ask(rig, 'backups');
  assert.match(stdout, new RegExp(`^codex +${ID} +1 +undone +\\S+ \\S*B +just now +\\d{4}-`, 'm'));
  assert.match(stdout, 'with the secrets in it.\nEach goes after 90 days');
  assert.is((await ask(rig, 'backups', '--tool=gemini')).stdout, 'no copy of a conversation is kept\n');

  const ledger = path.join(path.dirname(copy), 'edits.jsonl');
  writeFileSync(ledger, readFileSync(ledger, 'utf8').replace(/"at":"\d{4}/, '"at":"2020'));
  const swept = await rig.start('preflight', ['--sweep']).result;
  assert.match(swept.stdout, `${copy}, a conversation as it was more than 90 days ago, was deleted`);
  assert.equal(readdirSync(path.dirname(copy)), ['edits.jsonl']);
});

test.run();
