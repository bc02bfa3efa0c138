// Each flag of a run sets its own option, and none beside it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCommandLine } from '../../../bin/command-line.ts';
import { optionsOf } from '../../../bin/tollgate/run-flags.ts';
import { RUN_FLAGS } from '../../../loops/task/run-options.ts';
import { OPTIONS } from '../../rig/run-settings.ts';

function optionsFor(...argv: string[]) {
  const words = { min: 0, max: 0, called: 'nothing' };
  const parsed = parseCommandLine(
    { name: '', usage: '', about: '', examples: [], exits: [], words, flags: RUN_FLAGS },
    argv,
  );
  assert.is(parsed.how, 'read');
  return parsed.how === 'read' ? optionsOf(parsed.args) : null;
}

test('without a flag every option is what a run is without any', () => {
  assert.equal(optionsFor(), OPTIONS);
});

for (const [name, row] of Object.entries(RUN_FLAGS).filter(([, { takes }]) => takes === 'nothing'))
  test(`--${name} sets ${row.option} alone`, () => {
    assert.equal(optionsFor(`--${name}`), { ...OPTIONS, [row.option]: 'given' in row ? row.given : null });
  });

test('what takes a value hands it on', () => {
  const given = optionsFor(
    '--redo',
    'brief',
    '--redo=worker',
    '--keep',
    'verify',
    '--wait-for-reset',
    '2h',
    '--when-open=fresh',
  );
  const asked = { redo: ['brief', 'worker'], keep: ['verify'], waitForResetMs: 7_200_000, whenOpen: 'fresh' };
  assert.equal(given, { ...OPTIONS, ...asked });
});

test('--force goes before --no-wait, in whichever order they come', () => {
  for (const argv of [
    ['--force', '--no-wait'],
    ['--no-wait', '--force'],
  ])
    assert.equal(optionsFor(...argv), { ...OPTIONS, whenTaken: 'force' });
});

test('a wrong value is told', () => {
  assert.match(
    String(optionsFor('--wait-for-reset', 'soon')),
    /^--wait-for-reset takes a duration such as 30m, 5h or 2d, not "soon"$/,
  );
  assert.match(String(optionsFor('--redo-all', '--keep-all')), /contradict each other/);
});

test.run();
