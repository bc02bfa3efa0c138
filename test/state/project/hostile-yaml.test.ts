// What somebody may put in a manifest's place to hurt its reader: each is refused in a sentence, with the line where there is one.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_PROJECT_FILE } from '../../../policies/manifest/project-file.ts';
import { readManifest } from '../../../state/project/manifest.ts';
import { readProject } from '../../../state/project/project.ts';

const test = suite<{ folder: string }>('hostile yaml');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'hostile-'));
  mkdirSync(path.join(context.folder, 'fix'));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const GOOD = 'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief}]\n';
const nested = 'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]\n`);
const TOO_DEEP = 'it is nested too deeply, past 200 levels';
const NO_UTF8 = 'this is not UTF-8 text; save it as UTF-8';
const TOO_MANY = 'up to here are more than 30000 lines and commas; make it shorter';
const ALIASES = 'it says the same too often by aliases (*name); write it out';

const ROWS: [what: string, text: string | Buffer, message: string][] = [
  ['a tag of JavaScript', `${GOOD}cwd: !!js/function "x"\n`, ':4: Unresolved tag: tag:yaml.org,2002:js/function'],
  ['a tag of its own', `${GOOD}cwd: !evil x\n`, ':4: Unresolved tag: !evil'],
  ['bytes', `${GOOD}cwd: !!binary aGVsbG8=\n`, ':4: cwd must be string, not Buffer'],
  ['a billion laughs', `${GOOD}a: &a [${Array(9).fill('x')}]\n${nested.join('')}`, `:1: ${ALIASES}`],
  ['many aliases', `${GOOD}x: [&a 1${',*a'.repeat(5000)}]\n`, `:1: ${ALIASES}`],
  [
    'a merge key',
    `${GOOD}scope: {<<: {ignored: true}}\n`,
    ':4: scope.<< is unknown; expected one of allow, deny, ignored',
  ],
  ['a name twice', `${GOOD}goal: h\n`, ':4: the same name is given twice in one place; keep one of them'],
  [
    'a name twice below',
    `${GOOD}scope: {deny: [], deny: []}\n`,
    ':4: the same name is given twice in one place; keep one of them',
  ],
  [
    '__proto__',
    `${GOOD}scope: {__proto__: {ignored: true}}\n`,
    ':4: scope.__proto__ is unknown; expected one of allow, deny, ignored',
  ],
  [
    'constructor',
    `${GOOD}scope: {constructor: {}}\n`,
    ':4: scope.constructor is unknown; expected one of allow, deny, ignored',
  ],
  ['no number', `${GOOD}budgets: {paid_call_budget: .nan}\n`, ':4: budgets.paid_call_budget must be number, not NaN'],
  ['no end', `${GOOD}budgets: {max_usd: .inf}\n`, ':4: budgets.max_usd must be number, not Infinity'],
  [
    'too much',
    `${GOOD}budgets: {paid_call_budget: 1e308}\n`,
    ':4: budgets.paid_call_budget must be at most 9007199254740991',
  ],
  ['100,000 brackets', `${GOOD}cwd: ${'['.repeat(1e5)}`, `:4: ${TOO_DEEP}`],
  ['and their ends', `${GOOD}cwd: ${'['.repeat(1e5)}${']'.repeat(1e5)}`, `:4: ${TOO_DEEP}`],
  ['brackets on lines', `${GOOD}cwd:\n${' [\n'.repeat(1000)}`, `:205: ${TOO_DEEP}`],
  ['100,000 lists in a line', `${GOOD}cwd:\n  ${'- '.repeat(1e5)}x\n`, `:5: ${TOO_DEEP}`],
  ['a NUL', `${GOOD}cwd: "a\0b"\n`, ':4: cwd must be one line without control characters'],
  ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD, 'utf16le')]), `:1: ${NO_UTF8}`],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from(`${GOOD}cwd: `), Buffer.from([0xc3, 0x28])]),
    `:4: ${NO_UTF8}`,
  ],
  ['100 MB', Buffer.alloc(1e8, 'a'), ' has 100000000 bytes; a manifest has at most 1048576'],
  ['a million entries', `${GOOD}x: [${'a,'.repeat(5e5)}]\n`, `:4: ${TOO_MANY}`],
  ['100,000 names', `${GOOD}${'k: 1\n'.repeat(1e5)}`, `:30000: ${TOO_MANY}`],
  [
    'two documents',
    `${GOOD}---\n${GOOD}`,
    ':4: Source contains multiple documents; please use YAML.parseAllDocuments()',
  ],
];
for (const [what, text, message] of ROWS)
  test(what, async ({ folder }) => {
    const file = path.join(folder, 'fix/manifest.yaml');
    writeFileSync(file, text);
    const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
    assert.is(read.how === 'invalid' ? read.message : null, `${file}${message}`);
    writeFileSync(path.join(folder, 'tollgate.yaml'), text);
    assert.is((await readProject(folder)).how, 'invalid');
  });

test('of thousands of unknown names the first are told', async ({ folder }) => {
  const file = path.join(folder, 'fix/manifest.yaml');
  writeFileSync(file, GOOD + Array.from({ length: 2000 }, (_, i) => `k${i}: 1\n`).join(''));
  const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
  assert.is(read.how === 'invalid' ? read.message.split('\n').length : 0, 20);
});

test('a FIFO is not waited for', async ({ folder }) => {
  const file = path.join(folder, 'fix/manifest.yaml');
  execFileSync('mkfifo', [file]);
  const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
  const words = `${file} is a FIFO, and no regular file; put it elsewhere, and a manifest in its place`;
  assert.is(read.how === 'invalid' ? read.message : null, words);
});

const PATTERNS: [patterns: unknown, message: string][] = [
  [['ok', '(['], 'security.redaction_patterns[1] is not a regular expression (Unterminated character class)'],
  [[''], 'security.redaction_patterns[0] must not be empty'],
  [['x'.repeat(1001)], 'security.redaction_patterns[0] must have at most 1000 characters'],
  [Array(101).fill('x'), 'security.redaction_patterns must have at most 100'],
  [Array(30).fill('x'.repeat(900)), 'security.redaction_patterns must have at most 20000 characters in all'],
];
for (const [patterns, message] of PATTERNS)
  test(message, async ({ folder }) => {
    const file = path.join(folder, 'fix/manifest.yaml');
    writeFileSync(file, `${GOOD}security: {redaction_patterns: ${JSON.stringify(patterns)}}\n`);
    const read = await readManifest(file, NO_PROJECT_FILE, 'untrusted');
    assert.is(read.how === 'invalid' ? read.message : null, `${file}:4: ${message}`);
  });

test.run();
