// An older copilot, which lacks flags and events of today's: what an older version lacks is left out, and the verdicts hold.

import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callsOf } from './matrix/rows.ts';
import { runMatrix } from './matrix/run-matrix.ts';
import { VERSION_ROWS } from './matrix/version-rows.ts';

const CLIS = path.join(import.meta.dirname, 'older/node_modules');
const CHOSEN = ['ok', '401', '503', 'resumed after a tool'];

const rows = VERSION_ROWS.filter(({ name }) => CHOSEN.includes(name));
const calls = rows.flatMap((row) => callsOf(row, ['copilot'])).map((call) => ({ ...call, clis: CLIS }));

for (const { call, faults } of await runMatrix(calls))
  test(`copilot 1.0.75: ${call.name}`, () => assert.equal(faults, []));

test('every chosen scenario is one of the matrix', () => assert.is(calls.length, CHOSEN.length));

test.run();
