// The command tollgate itself: its words, and its help.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_BUG, EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const UNKNOWN: [word: string, hint: string][] = [
  ['rnu', 'did you mean run?'],
  ['something-else', 'tollgate --help lists the commands'],
  ['toString', 'tollgate --help lists the commands'],
  ['constructor', 'tollgate --help lists the commands'],
  ['__proto__', 'tollgate --help lists the commands'],
];
for (const [word, hint] of UNKNOWN)
  test(`${word} is no command`, async ({ rig }) => {
    assert.equal(await rig.start('tollgate', [word]).result, {
      code: 2,
      signal: null,
      stdout: '',
      stderr: `tollgate: unknown command "${word}"; ${hint}\n`,
    });
  });

test('--help has the commands, examples and exit codes', async ({ rig }) => {
  const { code, stdout, stderr } = await rig.start('tollgate', ['--help']).result;
  assert.equal([code, stderr], [0, '']);
  const [, ...sections] = stdout.split(/^(\w[\w ]*:)$/m);
  assert.equal(
    sections.filter((_, i) => i % 2 === 0),
    ['Commands:', 'Examples:', 'Exit codes:'],
  );
  const exits = sections[5]!.split('\n').filter((line) => line.startsWith('  '));
  const codes = [...Object.values(TOLLGATE_EXIT), Object.values(EXIT_BY_SIGNAL).join(', '), EXIT_BUG];
  assert.equal(
    exits.map((line) => line.trim().split(/ {2,}/)[0]),
    codes.map(String),
  );
});

test.run();
