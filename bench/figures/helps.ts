// What it costs to be told a version or a command's help.

import { SUBCOMMANDS } from '../../bin/tollgate/subcommands.ts';
import { COMMANDS } from '../../policies/facts/tools.ts';
import { inTurns } from './pairs.ts';
import type { Figure } from './row.ts';
import { BenchWorld, command } from './world.ts';

const ASKED: readonly (readonly [name: string, words: readonly string[], overMs: number])[] = [
  ['tollgate', ['-V'], 8],
  ...[...Object.values(COMMANDS), 'preflight', 'wait_parallel_tasks', 'tollgate'].map(
    (name) => [name, ['--help'], 30] as const,
  ),
  ...Object.keys(SUBCOMMANDS).map((word) => ['tollgate', [word, '--help'], 30] as const),
];

export const HELPS: Figure = {
  about: 'the version, and `--help` of every command',
  rounds: 9,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      const rows = [];
      for (const [name, words, overMs] of ASKED) {
        const { ours, bare } = await inTurns(rounds, {
          ours: () => world.node([command(name), ...words]),
          bare: world.bare,
        });
        rows.push({
          what: `\`${[name, ...words].join(' ')}\``,
          unit: 'ms' as const,
          ours: ours.median,
          min: ours.min,
          peer: { name: 'bare `node`', value: bare.median, min: bare.min },
          goals: [{ goal: `≤ + ${overMs} ms`, isReached: ours.median - bare.median <= overMs }],
        });
      }
      return rows;
    } finally {
      world.dispose();
    }
  },
};
