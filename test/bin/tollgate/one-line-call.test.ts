// Calls in one line: a prompt as an argument or on stdin, the answer on stdout, and files that no flag names.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { ADAPTERS } from '../../../wrappers/adapters.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('calls in one line');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** Starts a command, and answers its call if it comes to one. */
async function call(
  rig: TestRig,
  argv: readonly string[],
  { stdin, tool = 'codex' as const, command = 'tollgate' } = {} as Asked,
) {
  const running = rig.start(command, [...argv], stdin === undefined ? {} : { stdin });
  const fake = await rig.callBefore(running.result);
  const prompt = fake === null ? null : fake.report.stdin.text;
  await fake?.tell(...answerWith(tool, 'The answer.'));
  const { code, stdout, stderr } = await running.result;
  return { code, stdout, stderr, prompt };
}

interface Asked {
  stdin?: string;
  tool?: (typeof TOOLS)[number];
  command?: string;
}

const callsIn = (rig: TestRig): string[] => {
  const folder = path.join(rig.project, '.tmp/calls');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.gitignore') : [];
};

for (const tool of TOOLS)
  test(`${tool}: the prompt as an argument, the answer on stdout, the files in .tmp/calls`, async ({ rig }) => {
    const { command } = ADAPTERS[tool];
    const { code, stdout, stderr, prompt } = await call(rig, ['Say hello.', '--trust-workspace'], { tool, command });
    const [id, ...others] = callsIn(rig);
    assert.equal([code, stdout, prompt, others], [0, 'The answer.\n', 'Say hello.', []]);
    assert.is(stderr, `files: .tmp/calls/${id}/\n`);
    const file = (name: string) => readFileSync(path.join(rig.project, '.tmp/calls', id!, name), 'utf8');
    assert.is(file('answer.md'), 'The answer.');
    assert.is(JSON.parse(file('call.json')).call_id, id);
    assert.is(readFileSync(path.join(rig.project, '.tmp/calls/.gitignore'), 'utf8'), '*\n');
  });

test('the prompt on stdin, and from a file', async ({ rig }) => {
  const piped = await call(rig, ['call', 'codex'], { stdin: 'From stdin.' });
  assert.equal([piped.code, piped.prompt, piped.stdout], [0, 'From stdin.', 'The answer.\n']);
  rig.write('ask.md', 'From a file.');
  const named = await call(rig, ['call', 'codex', '-f', 'ask.md'], { stdin: 'Not this.' });
  assert.equal([named.code, named.prompt], [0, 'From a file.']);
});

test('a project in which nothing can be written: the call says how to be made without it', async ({ rig }) => {
  rig.write('.tmp/calls', 'a file in place of the folder');
  const asks = ['call', 'codex', 'Say hello.'];
  const { code, prompt, stderr } = await call(rig, asks);
  assert.equal([code, prompt], [2, null]);
  assert.match(stderr, /^tollgate call codex: the call's files cannot be kept in .*: add --no-files, or set [^\n]*\n$/);
  const without = await call(rig, [...asks, '--no-files']);
  assert.equal([without.code, without.stdout], [0, 'The answer.\n']);
});

test('a prompt that begins with a dash follows --', async ({ rig }) => {
  const { code, prompt } = await call(rig, ['call', 'codex', '--', '-v is what?']);
  assert.equal([code, prompt], [0, '-v is what?']);
});

test('--json prints the record with the answer', async ({ rig }) => {
  const { code, stdout } = await call(rig, ['call', 'codex', 'Say hello.', '--json', '--quiet']);
  const { answer, tool, verdict } = JSON.parse(stdout);
  assert.equal([code, answer, tool, verdict.class], [0, 'The answer.', 'codex', null]);
});

test('--no-files keeps nothing, in the project and in $TMPDIR', async ({ rig }) => {
  const TMPDIR = mkdtempSync(path.join(tmpdir(), 'one-line-'));
  const running = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--no-files'], { env: { TMPDIR } });
  const fake = await rig.call();
  await fake.tell(...answerWith('codex', 'The answer.'));
  const { code, stdout, stderr } = await running.result;
  assert.equal([code, stdout, stderr, callsIn(rig)], [0, 'The answer.\n', '', []]);
  assert.equal(readdirSync(TMPDIR), []);
  rmSync(TMPDIR, { recursive: true });
});

test('with --out the answer goes to that file alone', async ({ rig }) => {
  const { code, stdout } = await call(rig, ['call', 'codex', 'Say hello.', '--out', 'mine.md']);
  assert.equal([code, stdout], [0, '']);
  assert.is(readFileSync(path.join(rig.project, 'mine.md'), 'utf8'), 'The answer.');
});

test('a failure is one line on stderr, and the record is in the folder that is named last', async ({ rig }) => {
  const running = rig.start('tollgate', ['call', 'codex', 'Say hello.']);
  const fake = await rig.call();
  await fake.tell(...failWith('codex', 'Incorrect API key provided', 401));
  const { code, stdout, stderr } = await running.result;
  const [id] = callsIn(rig);
  assert.equal([code, stdout], [12, '']);
  assert.match(stderr, new RegExp(`^tollgate call codex: auth .*\\nfiles: \\.tmp/calls/${id}/\\n$`));
});

test('without the name of a CLI the first that can be called is used, and named', async ({ rig }) => {
  const { code, stderr, stdout } = await call(rig, ['call', 'Say hello.', '--trust-workspace'], { tool: 'gemini' });
  assert.equal([code, stdout], [0, 'The answer.\n']);
  assert.match(stderr, /^tollgate call: calling gemini, the first CLI that is installed and signed in\n/);
});

test('without any CLI nothing is started, and each is named with what it lacks', async ({ rig }) => {
  const { code, stderr } = await rig.start('tollgate', ['call', 'Say hello.'], { env: { PATH: '/usr/bin:/bin' } })
    .result;
  assert.is(code, 2);
  for (const tool of TOOLS)
    assert.match(stderr, new RegExp(`^ {2}${tool}: ${ADAPTERS[tool].binary} is not on the PATH`, 'm'));
});

const REFUSED: [what: string, argv: string[], stdin: string | undefined, says: string][] = [
  [
    'no prompt',
    ['call', 'codex'],
    undefined,
    'there is no prompt: give it as an argument in quotes, by -f FILE, or on stdin',
  ],
  ['two prompts', ['call', 'codex', 'Say hello.', '-f', 'ask.md'], undefined, 'the prompt is given twice'],
  ['two words', ['call', 'codex', 'Say', 'hello.'], undefined, '"hello." is one word too many'],
  ['an empty argument', ['call', 'codex', ''], undefined, 'the prompt is empty'],
  ['an empty stdin', ['call', 'codex'], '', 'is empty'],
  ['bytes that are no text', ['call', 'codex'], 'a\0b', 'has NUL bytes'],
  [
    'one word that is no CLI',
    ['call', 'hello'],
    undefined,
    'If it is the prompt, name the CLI first: tollgate call codex hello',
  ],
  [
    'a CLI after the flags',
    ['call', '--quiet', 'gemini', 'Say hello.'],
    undefined,
    'name the CLI before the flags: tollgate call gemini …',
  ],
  ['a CLI after the flags, and the prompt on stdin', ['call', '--quiet', 'codex'], 'Say hello.', 'name the CLI before'],
];
for (const [what, argv, stdin, says] of REFUSED)
  test(`${what}: nothing is started`, async ({ rig }) => {
    const { code, stdout, stderr, prompt } = await call(rig, argv, stdin === undefined ? {} : { stdin });
    assert.equal([code, stdout, prompt], [2, '', null]);
    assert.ok(stderr.includes(says), stderr);
  });

test('a link in place of .tmp is not followed', async ({ rig }) => {
  const elsewhere = path.join(rig.root, 'elsewhere');
  mkdirSync(elsewhere);
  rmSync(path.join(rig.project, '.tmp'), { recursive: true, force: true });
  symlinkSync(elsewhere, path.join(rig.project, '.tmp'));
  for (const [command, ...argv] of [['tollgate', 'call', 'codex'], ['run_codex']] as const) {
    const { code, stderr, prompt } = await call(rig, [...argv, 'Say hello.'], { command });
    assert.equal([code, prompt, readdirSync(elsewhere)], [2, null, []]);
    assert.match(stderr, /link/);
  }
});

test('a reader that closes stdout early keeps the answer in its file', async ({ rig }) => {
  const running = rig.start('tollgate', ['call', 'codex', 'Say hello.']);
  const fake = await rig.call();
  running.closeStdout();
  await fake.tell(...answerWith('codex', 'The answer.'));
  await running.result;
  const [id] = callsIn(rig);
  assert.is(readFileSync(path.join(rig.project, '.tmp/calls', id!, 'answer.md'), 'utf8'), 'The answer.');
});

test.run();
