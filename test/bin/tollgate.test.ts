// The command tollgate itself: its words, and its help.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_BUG, EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const UNKNOWN: [word: string, hint: string][] = [
  ['rnu', 'did you mean run?'],
  ['hlep', 'did you mean help?'],
  ['version', 'did you mean --version?'],
  ['something-else', 'tollgate --help lists the commands'],
  ['toString', 'tollgate --help lists the commands'],
  ['constructor', 'tollgate --help lists the commands'],
  ['__proto__', 'tollgate --help lists the commands'],
];
for (const [word, hint] of UNKNOWN)
  test(`${word} is no command`, async ({ rig }) => {
    assert.equal(await rig.run('tollgate', [word]), {
      code: 2,
      signal: null,
      stdout: '',
      stderr: `tollgate: unknown command "${word}"; ${hint}\n`,
    });
  });

test('--hlep is no flag', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['--hlep']);
  assert.equal([code, stderr], [2, 'tollgate: unknown flag "--hlep"; did you mean --help?\n']);
});

test('help COMMAND is the help of that command', async ({ rig }) => {
  const help = (...argv: string[]) => rig.run('tollgate', argv);
  assert.equal(await help('help', 'report'), await help('report', '--help'));
  for (const words of [['help'], ['help', 'help']]) assert.equal(await help(...words), await help('--help'));
});

const NO_HELP: [argv: string[], said: string][] = [
  [['reprot'], 'tollgate: unknown command "reprot"; did you mean report?\n'],
  [['run', 'fix'], 'tollgate help: "fix" is one word too many\n'],
  [['run_codex'], 'tollgate help: run_codex is a command of its own: run_codex --help\n'],
];
for (const [argv, said] of NO_HELP)
  test(`help ${argv.join(' ')}`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run('tollgate', ['help', ...argv]);
    assert.equal([code, stdout, stderr], [2, '', said]);
  });

test('--help has the exit codes', async ({ rig }) => {
  const { code, stdout, stderr } = await rig.run('tollgate', ['--help']);
  assert.equal([code, stderr], [0, '']);
  const exits = stdout.split('Exit codes: ')[1]!;
  for (const code of [...Object.values(TOLLGATE_EXIT), Object.values(EXIT_BY_SIGNAL).join(', '), EXIT_BUG])
    assert.match(exits, `${code} `);
});

test.run();
