// 1 GiB of stderr through a wrapper, beside a shell that writes it to a file, and tee.

import path from 'node:path';
import { inTurns } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import { type Figure, rowOf } from './row.ts';
import { BenchWorld, command } from './world.ts';

const BYTES = 1024 ** 3;
const LINE = 'a line of stderr that says nothing in particular, and says it again and again and again';

export const FLOOD: Figure = {
  about: '1 GiB of stderr',
  rounds: 3,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      const flood = world.write('flood.sh', `yes '${LINE}' | head -c ${BYTES} >&2\n`);
      world.write(
        'bin/codex',
        `#!/bin/sh\n[ "$1" = --version ] || . '${flood}'\n. '${path.resolve('test/rig/noop-cli.sh')}'\n`,
        0o755,
      );
      const memory = weighIn(world);
      let mib = 0;
      const flags = [
        '--prompt-file=ask.md',
        '--out=o.out',
        '--err=o.err',
        `--max-output-bytes=${2 * BYTES}`,
        '--trust-workspace',
      ];
      const { ours, bash, tee } = await inTurns(rounds, {
        ours: () => {
          const mbPerSecond = rate(world.node([...memory.flags, command('run_codex'), ...flags]));
          mib = Math.max(mib, memory.last());
          return mbPerSecond;
        },
        bash: () => rate(world.timed('bash', ['-c', 'bash flood.sh 2>bash.err'])),
        tee: () => rate(world.timed('bash', ['-c', 'bash flood.sh 2>&1 | tee tee.err'])),
      });
      return [
        rowOf('1 GiB of stderr', 'MB/s', ours, { name: "bash's `2>file`", ...bash }, [
          { goal: '≥ 0.95 ×', isReached: ours.median / bash.median >= 0.95 },
        ]),
        rowOf('1 GiB of stderr', 'MB/s', ours, { name: '`tee`', ...tee }),
        rowOf('1 GiB of stderr, most memory', 'MiB', { median: mib, min: mib }, null, [
          { goal: '< 64 MB', isReached: mib * 1.048576 < 64 },
        ]),
      ];
    } finally {
      world.dispose();
    }
  },
};

const rate = (ms: number) => BYTES / 1e6 / (ms / 1000);
