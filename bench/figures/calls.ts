// Measures what each command costs beyond its CLI: calls, runs, looks and help, over CLIs that do nothing, beside bare node.

import path from 'node:path';
import { COMMANDS, TOOLS } from '../../policies/facts/tools.ts';
import { atMostOver, type Figure, type FigureRow, inTurns, timesOf } from './measure.ts';
import { type BenchWorld, command, inWorld, makeTask, ONE_CALL, usageIn } from './world.ts';

const CLI_FAILED = 12;
const USUAL_BARE_MS = 22;

/** Ends like gemini when its quota is used up. */
const FAILING = `#!/bin/sh
[ "$1" = --version ] && echo 0.61.0 && exit
echo 'Error when talking to Gemini API: {"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}' >&2
printf '%s\\n' '{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"00000000-0000-4000-8000-000000000001","model":"test-model"}' \\
  '{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","status":"error","error":{"type":"Error","message":"You exceeded your current quota"}}'
exit 1
`;

/** @param overMs the allowed extra time on a machine where bare node takes 22 ms; on a slower machine it grows in proportion. */
async function besideBare(
  world: BenchWorld,
  rounds: number,
  what: string,
  overMs: number,
  ours: (round: number) => number,
): Promise<FigureRow> {
  const { ours: taken, bare } = await inTurns(rounds, { ours, bare: world.bare });
  const peer = { name: 'bare `node`', ...bare };
  const goal = atMostOver(overMs * Math.max(1, bare.median / USUAL_BARE_MS), taken, peer);
  return { what, unit: 'ms', ours: taken, peer, goal };
}

export const WRAPPERS: Figure = {
  about: 'a wrapper process over a CLI that ends at once',
  rounds: 15,
  measure: (rounds) =>
    inWorld(async (world) => {
      const rows: FigureRow[] = [];
      for (const tool of TOOLS) {
        const call = () => world.node([command(COMMANDS[tool]), ...ONE_CALL]);
        rows.push(await besideBare(world, rounds, `\`${COMMANDS[tool]}\`, ok`, 45, call));
      }
      const gemini = [command('gemini_headless'), ...ONE_CALL];
      const usage = usageIn(world);
      world.node([...usage.flags, ...gemini]);
      const memory = timesOf([usage.last().mib]);
      world.write('bin/gemini', FAILING, 0o755);
      const fails = () => world.node(gemini, CLI_FAILED);
      rows.push(await besideBare(world, rounds, '`gemini_headless`, failing', 90, fails));
      const peer = path.resolve('bench/peers/jq-wrapper.sh');
      const { ours, jq } = await inTurns(rounds, {
        ours: fails,
        jq: () => world.timed(peer, ['ask.md', 'p.out', 'p.err', 'p.stats'], CLI_FAILED),
      });
      const besideJq = { name: 'the same in bash with jq', ...jq };
      rows.push({ what: '`gemini_headless`, failing', unit: 'ms', ours, peer: besideJq });
      return [...rows, { what: 'a wrapper, most memory', unit: 'MiB', ours: memory }];
    }),
};

export const RUNS: Figure = {
  about: 'a run of one stage over a CLI that ends at once, one with nothing to do, and a look at the task',
  rounds: 15,
  measure: (rounds) =>
    inWorld(async (world) => {
      const tollgate = (...words: string[]) => world.node([command('tollgate'), ...words]);
      const { ours, wrapper } = await inTurns(rounds, {
        ours: (round) => tollgate('run', makeTask(world, `stage-${round}`), '--quiet'),
        wrapper: () => world.node([command('run_codex'), ...ONE_CALL]),
      });
      const peer = { name: 'its wrapper', ...wrapper };
      const most = 130 * Math.max(1, world.bare() / USUAL_BARE_MS);
      const done = makeTask(world, 'done');
      tollgate('run', done, '--quiet');
      return [
        { what: '`tollgate run`, one stage', unit: 'ms', ours, peer, goal: atMostOver(most, ours, peer) },
        await besideBare(world, rounds, '`tollgate run`, nothing to do', 90, () => tollgate('run', done, '--quiet')),
        await besideBare(world, rounds, '`tollgate status`', 60, () => tollgate('status', done)),
      ];
    }),
};
