// Measures 1 GiB of stderr through a wrapper, beside a shell that writes it to a file.

import path from 'node:path';
import { atMost, type Figure, inTurns, timesOf } from './measure.ts';
import { command, inWorld, usageIn } from './world.ts';

const BYTES = 1024 ** 3;
const LINE = 'a line of stderr that says nothing in particular, and says it again and again and again';

export const STDERR: Figure = {
  about: '1 GiB of stderr',
  rounds: 3,
  measure: (rounds) =>
    inWorld(async (world) => {
      const flood = world.write('flood.sh', `yes '${LINE}' | head -c ${BYTES} >&2\n`);
      const noop = path.resolve('test/rig/noop-cli.sh');
      world.write('bin/codex', `#!/bin/sh\n[ "$1" = --version ] || . '${flood}'\n. '${noop}'\n`, 0o755);
      const usage = usageIn(world);
      const files = ['--prompt-file=ask.md', '--out=o.out', '--err=o.err'];
      const argv = [command('run_codex'), ...files, `--max-output-bytes=${2 * BYTES}`, '--trust-workspace'];
      const memory: number[] = [];
      const { ours, bash } = await inTurns(rounds, {
        ours: (round) => {
          const mbPerSecond = rate(world.node([...usage.flags, ...argv]));
          // The first run compiles, and creates the code cache that all other runs use.
          if (round > 0) memory.push(usage.last().mib);
          return mbPerSecond;
        },
        bash: () => rate(world.timed('bash', ['-c', 'bash flood.sh 2>bash.err'])),
      });
      const most = timesOf([Math.max(...memory)]);
      return [
        {
          ...{ what: '1 GiB of stderr', unit: 'MB/s', ours, peer: { name: "bash's `2>file`", ...bash } },
          goal: { words: '≥ 0.5 ×', isReached: ours.median / bash.median >= 0.5 },
        },
        { what: 'most memory', unit: 'MiB', ours: most, goal: atMost(61, 'MiB', most) },
      ];
    }),
};

const rate = (ms: number) => BYTES / 1e6 / (ms / 1000);
