// An older copilot and an older claude, which lack flags, variables and events of today's: what is lacking is left out, and the verdicts hold.

import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { callsOf } from './matrix/rows.ts';
import { runMatrix } from './matrix/run-matrix.ts';
import { VERSION_ROWS } from './matrix/version-rows.ts';

const CLIS = path.join(import.meta.dirname, 'older/node_modules');
const OLDER: readonly [tool: BuiltIn, version: string][] = [
  ['copilot', '1.0.75'],
  ['claude', '2.1.100'],
];
const CHOSEN = [
  'ok',
  '401',
  '503',
  'resumed after a tool',
  'turn limit in an endless tool loop',
  'stalled answer, deadline',
  'stalled answer, idle limit',
  'stalled answer, SIGTERM',
  'answer over the limit of output',
];

const rows = VERSION_ROWS.filter(({ name }) => CHOSEN.includes(name));
const calls = OLDER.flatMap(([tool]) => rows.flatMap((row) => callsOf(row, [tool]))).map((call) => ({
  ...call,
  clis: CLIS,
}));
const versionOf = new Map(OLDER);

for (const { call, faults } of await runMatrix(calls))
  test(`${call.tool} ${versionOf.get(call.tool)}: ${call.name}`, () => assert.equal(faults, []));

test('every chosen scenario is one of the matrix', () => assert.is(calls.length, OLDER.length * CHOSEN.length));

test.run();
