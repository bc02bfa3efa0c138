// The help of every built command: it is printed, has examples and exit codes, and goes to stdout.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderHelp } from '../../bin/help/help.ts';
import { SUBCOMMANDS } from '../../bin/tollgate/subcommands.ts';
import { wrapperSpec } from '../../bin/wrapper/wrapper-flags.ts';
import { COMMANDS, TOOLS } from '../../policies/facts/tools.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('help');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const WRAPPERS = [...Object.values(COMMANDS), 'preflight', 'wait_parallel_tasks'].map((name) => [name, []] as const);
const WORDS = Object.keys(SUBCOMMANDS).map((word) => ['tollgate', [word]] as const);

for (const [command, words] of [...WRAPPERS, ...WORDS])
  test(`${[command, ...words].join(' ')} --help`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run(command, [...words, '--help']);
    assert.equal([code, stderr], [0, '']);
    for (const part of ['Options:', 'Examples:', 'Exit codes:', '--json', '--quiet']) assert.match(stdout, part);
  });

for (const tool of TOOLS)
  test(`the help that is kept of ${tool}'s wrapper is what would be printed anew`, async ({ rig }) => {
    const { stdout } = await rig.run(COMMANDS[tool], ['--help']);
    assert.is(stdout, await renderHelp(wrapperSpec(adapterOf(tool))));
  });

const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));

for (const [command, words] of [...WRAPPERS, ['tollgate', []] as const, ['tollgate', ['report']] as const])
  test(`${[command, ...words].join(' ')} -V and --version`, async ({ rig }) => {
    const print = (...flags: string[]) => rig.run(command, [...words, ...flags]);
    const printed = { code: 0, signal: null, stdout: `${version}\n`, stderr: '' };
    assert.equal(await Promise.all([print('-V'), print('--version')]), [printed, printed]);
    assert.equal(JSON.parse((await print('-V', '--json')).stdout), { schema: 1, version });
  });

test.run();
