// Which settings files gemini would accept, and what it would take them to say.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings, settingsFiles } from '../../../wrappers/gemini/settings.ts';

const test = suite('gemini settings');
let folder = '';
test.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'settings-'));
});
test.after.each(() => rmSync(folder, { recursive: true }));

const LONG = 'x'.repeat(2_000_000);

const ROWS: readonly [why: string, text: string, read: ReturnType<typeof readSettings>][] = [
  ['plain JSON', '{"a": 1}', { a: 1 }],
  ['comments of both kinds', '// one\r\n{/* two\n * " */ "a": 1 // "three"\n}\n/* four', { a: 1 }],
  [
    'what looks like a comment in a text',
    '{"a": "http://b/*c*/", "d\\"//": "\\\\"} // e',
    { a: 'http://b/*c*/', 'd"//': '\\' },
  ],
  ['a comment within a word parts it', '{"a": 1/**/2}', 'unreadable'],
  ['a comma too many, which gemini refuses', '{"a": 1,}', 'unreadable'],
  ['nothing, which gemini refuses', '', 'unreadable'],
  ['no object', '[1] // list', 'unreadable'],
  ['a text without an end', '{"a": "\\"// \\', 'unreadable'],
  ['a very long text', `{"a": "${LONG}"}`, { a: LONG }],
  ['comments without an end, over and over', '/*'.repeat(1_000_000), 'unreadable'],
  ['quotes without an end, over and over', `"${'\\"'.repeat(1_000_000)}`, 'unreadable'],
];

for (const [why, text, read] of ROWS)
  test(`reads ${why}`, () => {
    writeFileSync(path.join(folder, 'settings.json'), text);
    assert.equal(readSettings(path.join(folder, 'settings.json')), read);
  });

test('there are none where there is no file, but a file that cannot be read is one', () => {
  mkdirSync(path.join(folder, 'taken'));
  writeFileSync(path.join(folder, 'file'), '');
  const names = ['missing', 'file/below', 'taken'];
  assert.equal(
    names.map((name) => readSettings(path.join(folder, name))),
    [null, null, 'unreadable'],
  );
  assert.is(readSettings(''), null);
});

test('an empty variable names no place', () => {
  const named = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/s.json', GEMINI_CLI_HOME: '/elsewhere' };
  const [project, user] = ['/project/.gemini/settings.json', '/home/me/.gemini/settings.json'];
  assert.equal(settingsFiles(named, '/home/me', '/project'), {
    system: '/s.json',
    project,
    user: '/elsewhere/.gemini/settings.json',
  });
  const empty = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '', GEMINI_CLI_HOME: '' };
  assert.equal(settingsFiles(empty, '/home/me', '/project'), { ...settingsFiles({}, '/home/me', '/project'), user });
});

test.run();
