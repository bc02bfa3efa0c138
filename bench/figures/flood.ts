// 1 GiB of stderr through a wrapper, beside a shell that writes it to a file, tee, and plain node that reads it once.

import path from 'node:path';
import { inTurns, timesOf } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import { type Figure, rowOf } from './row.ts';
import { BenchWorld, command } from './world.ts';

const BYTES = 1024 ** 3;
const LINE = 'a line of stderr that says nothing in particular, and says it again and again and again';

/** What is promised at least: a file that the CLI writes, which is read once, for its secrets, and published by a rename; nothing is looked for here. */
const READ_ONCE = `
const fs = require('node:fs');
const stderr = fs.openSync('once.raw', 'w');
require('node:child_process').spawn('bash', ['flood.sh'], { stdio: ['ignore', 'ignore', stderr] }).on('exit', () => {
  const [from, piece] = [fs.openSync('once.raw'), Buffer.alloc(64 * 1024)];
  while (fs.readSync(from, piece) > 0);
  fs.renameSync('once.raw', 'once.err');
});
`;
const READ = '`node`, read once';

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
      const peak = { ours: 0, once: 0 };
      const weighed = (side: keyof typeof peak, argv: readonly string[]) => {
        const mbPerSecond = rate(world.node([...memory.flags, ...argv]));
        peak[side] = Math.max(peak[side], memory.last());
        return mbPerSecond;
      };
      world.write('read-once.cjs', READ_ONCE);
      const flags = [
        '--prompt-file=ask.md',
        '--out=o.out',
        '--err=o.err',
        `--max-output-bytes=${2 * BYTES}`,
        '--trust-workspace',
      ];
      // The first run with these flags of Node compiles, and leaves the code cache that all others have.
      world.node([...memory.flags, command('run_codex'), ...flags]);
      const { ours, bash, tee, once } = await inTurns(rounds, {
        ours: () => weighed('ours', [command('run_codex'), ...flags]),
        bash: () => rate(world.timed('bash', ['-c', 'bash flood.sh 2>bash.err'])),
        tee: () => rate(world.timed('bash', ['-c', 'bash flood.sh 2>&1 | tee tee.err'])),
        once: () => weighed('once', ['read-once.cjs']),
      });
      const what = '1 GiB of stderr';
      return [
        rowOf(what, 'MB/s', ours, { name: "bash's `2>file`", ...bash }, [
          { goal: '≥ 0.95 ×', isReached: ours.median / bash.median >= 0.95 },
        ]),
        rowOf(what, 'MB/s', ours, { name: '`tee`', ...tee }),
        rowOf(what, 'MB/s', ours, { name: READ, ...once }),
        rowOf(`${what}, most memory`, 'MiB', timesOf([peak.ours]), { name: READ, ...timesOf([peak.once]) }, [
          { goal: '< 64 MB', isReached: peak.ours * 1.048576 < 64 },
        ]),
      ];
    } finally {
      world.dispose();
    }
  },
};

const rate = (ms: number) => BYTES / 1e6 / (ms / 1000);
