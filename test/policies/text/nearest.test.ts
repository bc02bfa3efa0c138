// Which known name a mistyped one was meant to be, and where none is near.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearest } from '../../../policies/text/nearest.ts';

const COMMANDS = [
  'run',
  'init',
  'report',
  'archive',
  'batch',
  'status',
  'sessions',
  'signature',
  'help',
  '--help',
  '--version',
  '-V',
];
const FIELDS = ['tool', 'model', 'role', 'requires', 'min_lines', 'timeout_ms'];

const ROWS: [word: string, known: readonly string[], meant: string | null][] = [
  ['rnu', COMMANDS, 'run'],
  ['modle', FIELDS, 'model'],
  ['hlep', COMMANDS, 'help'],
  ['version', COMMANDS, '--version'],
  ['--VERSION', COMMANDS, '--version'],
  ['-v', COMMANDS, '-V'],
  ['--hlep', COMMANDS, '--help'],
  ['reprot', COMMANDS, 'report'],
  ['session', COMMANDS, 'sessions'],
  ['stat', COMMANDS, 'status'],
  ['sig', COMMANDS, 'signature'],
  ['timeout', FIELDS, 'timeout_ms'],
  ['timeout-ms', FIELDS, 'timeout_ms'],
  ['requries', FIELDS, 'requires'],
  ['minlines', FIELDS, 'min_lines'],
  // Half of a short word wrong is another word.
  ['fun', ['tool'], null],
  ['ab', ['cd'], null],
  ['rule', FIELDS, 'role'],
  ['goal', FIELDS, null],
  ['x', COMMANDS, null],
  ['', COMMANDS, null],
  ['--', COMMANDS, null],
  ['something-else', COMMANDS, null],
  ['run', [], null],
];
for (const [word, known, meant] of ROWS)
  test(`"${word}" of ${known.length}: ${meant}`, () => {
    assert.is(nearest(word, known), meant);
  });

test.run();
