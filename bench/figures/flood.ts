// 1 GiB of stderr through a wrapper, beside a shell that writes it to a file.

import path from 'node:path';
import { inTurns } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import type { Figure } from './row.ts';
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
      const { ours, bash } = await inTurns(rounds, {
        ours: () => {
          const mbPerSecond = rate(world.node([...memory.flags, command('run_codex'), ...flags]));
          mib = Math.max(mib, memory.last());
          return mbPerSecond;
        },
        bash: () => rate(world.timed('bash', ['-c', `bash flood.sh 2>bash.err`])),
      });
      return [
        {
          what: '1 GiB of stderr',
          unit: 'MB/s',
          ours: ours.median,
          min: ours.min,
          peer: { name: "bash's `2>file`", value: bash.median, min: bash.min },
          goals: [{ goal: '≥ 0.95 ×', isReached: ours.median / bash.median >= 0.95 }],
        },
        {
          what: '1 GiB of stderr, most memory',
          unit: 'MiB',
          ours: mib,
          min: mib,
          peer: null,
          goals: [{ goal: '< 64 MB', isReached: mib * 1.048576 < 64 }],
        },
      ];
    } finally {
      world.dispose();
    }
  },
};

const rate = (ms: number) => BYTES / 1e6 / (ms / 1000);
