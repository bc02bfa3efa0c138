// What a manifest's fields may hold: control characters in a name are a mistake of its, and no bug of ours.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { TAG_MUST } from '../../../policies/session/session-entry.ts';
import { readManifest } from '../../../state/project/manifest.ts';

const test = suite<{ folder: string }>('manifest');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'manifest-'));
  mkdirSync(path.join(context.folder, 'fix'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const WORD = 'must be one line without control characters that does not begin with a dash';
const PLACE = 'must be one line without control characters';
const ID = 'must be 1 to 128 of a-z 0-9 _ - and begin with a letter';
const stage = (more: object) => ({ stages: [{ tool: 'codex', role: 'impl', ...more }] });

type Row = [field: string, given: object, message: string | null];
const ROWS: Row[] = [
  ['stages[0].model', stage({ model: 'gpt\0x' }), WORD],
  ['stages[0].model', stage({ model: 'a\u001b[2J' }), WORD],
  ['stages[0].model', stage({ model: 'a\u0085b' }), WORD],
  ['stages[0].model', stage({ model: '-m' }), WORD],
  ['stages[0].model', stage({ model: 'models/größe 2.5 (preview)' }), null],
  ['stages[0].fallback[0].model', stage({ fallback: [{ tool: 'gemini', model: '\0' }] }), WORD],
  ['stages[0].prompt', stage({ prompt: 'a\0.md' }), PLACE],
  ['stages[0].attach[0]', stage({ attach: ['a\nb'] }), PLACE],
  ...['a\tb', 'a\nb', 'a\u2028b', '-a', ' a', 'a]b', '', 'x'.repeat(129), '\ud800'].map(
    (feature): Row => ['meta.feature', { ...stage({}), meta: { feature } }, TAG_MUST],
  ),
  ...['latest', '3'].map(
    (session_id): Row => [
      'meta.session_id',
      { ...stage({}), meta: { session_id } },
      'must be the id of a session as its CLI shows it, or the first 7 digits of it or more',
    ],
  ),
  ...['2nd', 'First', 'a.b', '-a', '_a', 'é', 'a b', `a${'b'.repeat(128)}`].map(
    (id): Row => ['stages[0].id', stage({ id }), ID],
  ),
  ...['a', 'first-look_2', `a${'b'.repeat(127)}`].map((id): Row => ['stages[0].id', stage({ id }), null]),
  ['cwd', { ...stage({}), cwd: 'a\0' }, PLACE],
  ['acceptance.commands[0]', { ...stage({}), acceptance: { commands: ['a\0b'] } }, 'must have no NUL character'],
  ['acceptance.commands[0]', { ...stage({}), acceptance: { commands: ['for i in 1\ndo\n\techo\ndone'] } }, null],
];

for (const [field, given, message] of ROWS)
  test(JSON.stringify(given), async ({ folder }) => {
    const file = path.join(folder, 'fix/manifest.json');
    writeFileSync(file, JSON.stringify({ task_id: 'fix', goal: 'g', ...given }));
    const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
    assert.is(read.how === 'read' ? null : read.message, message === null ? null : `${file}:1: ${field} ${message}`);
  });

for (const [what, text, message] of [
  ['a mistake', '{"task_id": "fix",\n"goal": "g",\n"stages": 3}\n', 'manifest.json:3: stages must be'],
  ['a name that is there twice', '{"task_id": "fix",\n"goal": "g",\n"goal": "h"}\n', 'manifest.json:3: the same name'],
  ['half a file', '{"task_id": "fix",\n"goal": ', 'manifest.json:'],
] as const)
  test(`${what} in JSON is reported with its line`, async ({ folder }) => {
    const file = path.join(folder, 'fix/manifest.json');
    writeFileSync(file, text);
    const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
    assert.ok(read.how === 'invalid' && read.message.includes(message), JSON.stringify(read));
  });

test('JSON with tabs, escapes and other signs says what it says to JSON.parse', async ({ folder }) => {
  const given = {
    task_id: 'fix',
    goal: 'größe "a"\t\\/ \u0001 \ud83d\ude00',
    stages: [{ tool: 'codex', role: 'impl' }],
  };
  const file = path.join(folder, 'fix/manifest.json');
  writeFileSync(file, `\ufeff${JSON.stringify(given, null, '\t').replace('größe', 'gr\\u00f6\\u00dfe')}`);
  const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
  assert.is(read.how === 'read' && read.manifest.goal, given.goal);
});

test.run();
