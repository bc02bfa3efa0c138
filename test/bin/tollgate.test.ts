// The command tollgate itself: its words, and its help.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

test.run();
