// What the wrapper of each CLI costs over a no-op CLI, in turns with bare node: `npm run bench:wrapper -- [PAIRS]`.
// `npm run bench -- wrappers runs stderr` measures one of them beside more, and a whole stage and a flood of stderr.

import { TOOLS } from '../policies/facts/tools.ts';
import { ADAPTERS } from '../wrappers/adapters.ts';
import { inTurns } from './figures/pairs.ts';
import { rowOf, table } from './figures/row.ts';
import { BenchWorld, command, ONE_CALL } from './figures/world.ts';

const PAIRS = Number(process.argv[2] ?? 30);
const world = new BenchWorld();
try {
  console.log(`Medians of ${PAIRS} pairs, node ${process.version}.\n`);
  const rows = [];
  for (const tool of TOOLS) {
    const { ours, bare } = await inTurns(PAIRS, {
      ours: () => world.node([command(ADAPTERS[tool].command), ...ONE_CALL]),
      bare: world.bare,
    });
    rows.push(rowOf(`\`${ADAPTERS[tool].command}\``, 'ms', ours, { name: 'bare `node`', ...bare }));
  }
  console.log(table(rows));
} finally {
  world.dispose();
}
