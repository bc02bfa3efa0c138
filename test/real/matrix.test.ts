// The scenarios over the four real CLIs: exit code, class, answer, number of model requests, nobody left behind.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { callsOf, isInSuite, matrixRows } from './matrix/rows.ts';
import { runMatrix } from './matrix/run-matrix.ts';

const outcomes = await runMatrix(
  matrixRows.flatMap((row) =>
    callsOf(
      row,
      TOOLS.filter((tool) => isInSuite(row, tool)),
    ),
  ),
);

for (const { call, faults } of outcomes) {
  test(`${call.tool}: ${call.name}`, () => assert.equal(faults, []));
}

test.run();
