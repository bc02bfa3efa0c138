// What an older CLI lacks is left out before the call; what one refuses by surprise is left out then, and nothing is paid twice.

import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { FakeCommand } from '../rig/fake-call.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('older CLIs');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const COUNTING = '--usage-output-file';
const flagsOf = (argv: readonly string[]) => argv.map((word) => word.replace(/=.*/, ''));

const VERSIONS: readonly [version: string, counts: boolean][] = [
  ['1.0.59', false],
  ['1.0.80', false],
  ['1.0.81', true],
  ['1.0.102', true],
  ['2.0.0', true],
];
for (const [version, counts] of VERSIONS)
  test(`copilot ${version} is ${counts ? 'asked' : 'not asked'} to count its tokens in a file`, async ({ rig }) => {
    rig.install('copilot', { version });
    rig.answer(() => answerWith('copilot', 'ok'));
    const { code, record } = await runWrapper(rig, 'copilot').ended();
    assert.equal([code, record.cli_version, record.warnings], [0, version, []]);
    assert.is(flagsOf(record.argv).includes(COUNTING), counts);
    assert.equal(
      rig.calls.map(({ report }) => report.argv),
      [record.argv],
    );
  });

const MENTIONS: readonly [version: string, prompt: string, code: number][] = [
  ['2.1.298', 'Explain @secret.env, please.', 41],
  ['2.1.298', 'Explain "@secret.env".', 41],
  ['2.1.298', 'Explain @"secret.env".', 41],
  ['2.1.298', 'Use @Override and me@secret.env and @nothing.', 0],
  ['2.1.299', 'Explain @secret.env, please.', 0],
];
for (const [version, prompt, code] of MENTIONS)
  test(`claude ${version} is ${code === 0 ? '' : 'not '}asked: ${prompt}`, async ({ rig }) => {
    rig.install('claude', { version });
    rig.answer(() => answerWith('claude', 'ok'));
    writeFileSync(path.join(rig.project, 'secret.env'), 'S=1');
    const ended = await runWrapper(rig, 'claude', ['--trust-workspace'], prompt).ended();
    assert.is(ended.code, code, ended.said);
    assert.is(rig.calls.length, code === 0 ? 1 : 0);
    if (code !== 0)
      assert.match(ended.record.verdict.evidence?.text ?? '', 'would read secret.env, which the prompt names');
  });

/** How the parsers say that they do not know it. */
const clap = (flag: string) => `error: unexpected argument '${flag}' found\n\nUsage: copilot --no-ask-user\n`;
const commander = (flag: string) => `error: unknown option '${flag}'\n\nTry 'copilot --help' for more information.\n`;
const yargs = (flag: string) => `Unknown arguments: ${flag.replace(/^--(no-)?/, '')}, x\nUsage: gemini [options]\n`;

const refuse = (text: string, code = 1): FakeCommand[] => [
  { do: 'write', to: 'stderr', text },
  { do: 'exit', code },
];

/** A copilot of which nobody knows yet that it lacks these flags. */
function lacking(rig: TestRig, flags: readonly string[], says: (word: string) => string): void {
  rig.answer(({ report: { argv } }) => {
    const word = argv.find((one) => flags.includes(one.replace(/=.*/, '')));
    return word === undefined ? answerWith('copilot', 'ok') : refuse(says(word));
  });
}

const LACKING: readonly [told: string, flag: string, says: (word: string) => string, lost: string][] = [
  ['clap', '--no-color', clap, 'only NO_COLOR keeps colours out of its words'],
  ['clap', '--no-auto-update', clap, 'only COPILOT_AUTO_UPDATE keeps it from updating itself'],
  ['commander', COUNTING, commander, 'its tokens are not counted'],
  ['yargs', '--no-color', yargs, 'only NO_COLOR keeps colours out of its words'],
];
for (const [told, flag, says, lost] of LACKING)
  test(`${flag}, refused as ${told} does, is left out, and the same prompt is sent once more`, async ({ rig }) => {
    lacking(rig, [flag], says);
    const { code, record, out, err } = await runWrapper(rig, 'copilot').ended();
    assert.equal([code, out, err], [0, 'ok', '']);
    assert.equal(record.warnings, [
      `copilot 1.0.102 does not know ${flag}: it sent no request, and was started once more without (${lost})`,
    ]);
    const [first, second] = rig.calls.map(({ report }) => report);
    assert.is(rig.calls.length, 2);
    assert.equal(
      second!.argv,
      first!.argv.filter((word) => !word.startsWith(flag)),
    );
    assert.equal(record.argv, second!.argv);
    assert.equal(second!.stdin, first!.stdin);
  });

test('each of three flags is left out in its turn; a task pays for one call, and its journal names the last CLI', async ({
  rig,
}) => {
  lacking(rig, ['--no-color', '--no-auto-update', COUNTING], clap);
  const task = path.join(rig.project, '.tmp/task/fix');
  mkdirSync(task, { recursive: true });
  const { code, record } = await runWrapper(rig, 'copilot', ['--task', task, '--new-task', '--stage', 's']).ended();
  assert.equal([code, rig.calls.length, record.warnings.length], [0, 4, 3]);
  const journal = readFileSync(path.join(task, 'state/journal.jsonl'), 'utf8').trim().split('\n');
  const facts = journal.map((line) => JSON.parse(line) as { fact: string; cli?: { pid: number } | null });
  assert.equal(
    facts.map(({ fact }) => fact).filter((fact) => fact !== 'started'),
    ['reserved', 'ended', 'verdict'],
  );
  assert.is(facts.findLast(({ fact }) => fact === 'started')?.cli?.pid, rig.calls.at(-1)!.report.pid);
  assert.is(JSON.parse(readFileSync(path.join(task, 'state/stats.json'), 'utf8')).paid_calls_used, 1);
});

const EVENT = '{"type":"assistant.turn_start","data":{"turnId":"0"}}\n';
const ONCE: readonly [what: string, tool: BuiltIn, answer: FakeCommand[], flags?: string[]][] = [
  ['a flag that the call needs', 'copilot', refuse(clap('--no-ask-user'))],
  ['a flag of the user', 'copilot', refuse(clap('--allow-tool=shell')), ['--allow-tool', 'shell']],
  ['a flag that was not passed', 'copilot', refuse(clap('--banner'))],
  ['a flag that the call needs', 'codex', refuse(clap('--json'), 2)],
  ['a flag that the call needs', 'gemini', refuse(yargs('--approval-mode'))],
  [
    'a flag after the first event',
    'copilot',
    [{ do: 'write', to: 'stdout', text: EVENT }, ...refuse(clap('--no-color'))],
  ],
  ['a flag with exit code 0', 'copilot', refuse(clap('--no-color'), 0)],
  ['a flag in the middle of a line', 'copilot', refuse(`the model said ${clap('--no-color')}`)],
];
for (const [what, tool, answer, flags = []] of ONCE)
  test(`${tool}: a refusal of ${what} is final`, async ({ rig }) => {
    rig.answer(() => answer);
    const { record } = await runWrapper(rig, tool, flags).ended();
    assert.equal([record.verdict.class, rig.calls.length], ['tooling', 1]);
    assert.not(record.warnings.some((warning) => warning.includes('once more')));
  });

/** A copilot of no package, as an installer puts one there, which notes what it was started for. */
function standalone(rig: TestRig, version: string): () => string[] {
  const [real, log] = [path.join(rig.root, 'lib/node_modules/@github/copilot/copilot.cjs'), path.join(rig.root, 'log')];
  rig.uninstall('copilot');
  writeFileSync(log, '');
  const script = `[ "$1" = --version ] && echo asked >> '${log}' && echo "GitHub Copilot CLI ${version}." && exit\nexec '${real}' "$@"`;
  writeFileSync(path.join(rig.bin, 'copilot'), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(rig.bin, 'copilot'), 0o755);
  return () => readFileSync(log, 'utf8').trim().split('\n');
}

test('a binary of no package is asked for its version once, and once more when it was replaced', async ({ rig }) => {
  rig.answer(() => answerWith('copilot', 'ok'));
  const asked = standalone(rig, '1.0.75');
  for (let n = 0; n < 2; n++) {
    const { code, record } = await runWrapper(rig, 'copilot').ended();
    assert.equal([code, record.cli_version, flagsOf(record.argv).includes(COUNTING)], [0, '1.0.75', false]);
    assert.equal(asked(), ['asked']);
  }
  const askedAnew = standalone(rig, '1.0.1020');
  const { record } = await runWrapper(rig, 'copilot').ended();
  assert.equal(
    [record.cli_version, flagsOf(record.argv).includes(COUNTING), askedAnew()],
    ['1.0.1020', true, ['asked']],
  );
});

test('one that reports no version is taken for the newest', async ({ rig }) => {
  rig.answer(() => answerWith('copilot', 'ok'));
  const asked = standalone(rig, 'of today');
  for (let n = 0; n < 2; n++) {
    const { code, record } = await runWrapper(rig, 'copilot').ended();
    assert.equal([code, record.cli_version, flagsOf(record.argv).includes(COUNTING)], [0, null, true]);
    assert.equal(asked(), ['asked']);
  }
});

test('a link in the place of what is remembered is replaced, and not followed', async ({ rig }) => {
  rig.answer(() => answerWith('copilot', 'ok'));
  const asked = standalone(rig, '1.0.75');
  const place = path.join(rig.home, '.local/state/tollgate');
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const bait = rig.write('bait.json', '{}');
  symlinkSync(bait, path.join(place, 'cli-versions.json'));
  await runWrapper(rig, 'copilot').ended();
  assert.is(readFileSync(bait, 'utf8'), '{}');
  await runWrapper(rig, 'copilot').ended();
  assert.equal(asked(), ['asked']);
});

test.run();
