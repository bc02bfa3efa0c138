// What a wrapper costs over a no-op CLI: beside bare node, the writing that is promised, and the same contract in bash with jq and without.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inTurns, type Times, timesOf } from './pairs.ts';
import { type Figure, type FigureRow, rowOf } from './row.ts';
import { BenchWorld, command, ONE_CALL, PROMISED, peer, promisedCall } from './world.ts';

const CLI_FAILED = 12;

/** As gemini ends when its quota is used up. */
export const FAILING = `#!/bin/sh
[ "$1" = --version ] && echo 0.61.0 && exit
echo 'Error when talking to Gemini API: {"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}' >&2
printf '%s\\n' '{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"00000000-0000-4000-8000-000000000001","model":"test-model"}' \\
  '{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","status":"error","error":{"type":"Error","message":"You exceeded your current quota"}}'
exit 1
`;

/** Says when it started and when it ended, by bash's own clock; what bash takes to start falls on both sides. */
const TELLING = `#!/usr/bin/env bash
began=$EPOCHREALTIME
sleep "$TAKES"
. ${path.resolve('test/rig/noop-cli.sh')}
printf '%s %s' "$began" "$EPOCHREALTIME" >"$TOLD"
`;

export const WRAPPERS: Figure = {
  about: 'a wrapper process over a no-op CLI',
  rounds: 25,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      return [...(await ends(world, rounds)), ...(await halves(world, rounds))];
    } finally {
      world.dispose();
    }
  },
};

async function ends(world: BenchWorld, rounds: number): Promise<FigureRow[]> {
  const rows: FigureRow[] = [];
  for (const [what, exit] of [
    ['ok', 0],
    ['failing', CLI_FAILED],
  ] as const) {
    if (exit !== 0) world.write('bin/gemini', FAILING, 0o755);
    const inBash = (name: string) => () => world.timed(peer(name), ['ask.md', 'p.out', 'p.err', `${name}.stats`], exit);
    const { ours, bare, promised, jq, plain } = await inTurns(rounds, {
      ours: () => world.node([command('gemini_headless'), ...ONE_CALL], exit),
      bare: world.bare,
      promised: () => world.node(promisedCall('gemini'), exit),
      jq: inBash('jq-wrapper.sh'),
      plain: inBash('plain-wrapper.sh'),
    });
    const over = ours.median - bare.median;
    const byJq = ours.median / jq.median;
    const most = exit === 0 ? 1 : 0.8;
    const row = (name: string, times: Times, goals?: FigureRow['goals']) =>
      rowOf(`\`gemini_headless\`, ${what}`, 'ms', ours, { name, ...times }, goals);
    rows.push(
      row('bare `node`', bare, exit === 0 ? [{ goal: '≤ + 15 ms', isReached: over <= 15 }] : []),
      row(PROMISED, promised),
      row('bash with jq', jq, [{ goal: `≤ ${most} ×`, isReached: byJq <= most }]),
      row('bash without jq', plain),
    );
  }
  return rows;
}

/** From the start of the wrapper to that of the CLI, and from the end of the CLI to that of the wrapper. */
async function halves(world: BenchWorld, rounds: number): Promise<FigureRow[]> {
  world.write('bin/gemini', TELLING, 0o755);
  const told = path.join(world.root, 'told');
  world.env.TOLD = told;
  const timed = (argv: readonly string[], takes: string) => {
    world.env.TAKES = takes;
    const began = performance.timeOrigin + performance.now();
    const ms = world.node(argv);
    const [start, end] = readFileSync(told, 'utf8')
      .split(' ')
      .map((word) => Number(word.replace(',', '.')) * 1000);
    return { before: start! - began, after: began + ms - end! };
  };
  const ours = [command('gemini_headless'), ...ONE_CALL];
  const promised = promisedCall('gemini');
  const atOnce: Record<'ours' | 'promised', number[]> = { ours: [], promised: [] };
  const toStart = (side: keyof typeof atOnce, argv: readonly string[]) => () => {
    const { before, after } = timed(argv, '0');
    atOnce[side].push(after);
    return before;
  };
  const taken = await inTurns(rounds, {
    toStart: toStart('ours', ours),
    promisedToStart: toStart('promised', promised),
    later: () => timed(ours, TAKES_S).after,
    promisedLater: () => timed(promised, TAKES_S).after,
    bare: world.bare,
  });
  const isReached = taken.toStart.median - taken.bare.median <= 8;
  const start = 'start of a wrapper to start of its CLI';
  const end = (which: string, ours: Times, promised: Times) =>
    rowOf(`end of its CLI ${which} to end of a wrapper`, 'ms', ours, { name: PROMISED, ...promised });
  // The first of each warms.
  const [oursAtOnce, promisedAtOnce] = [timesOf(atOnce.ours.slice(1)), timesOf(atOnce.promised.slice(1))];
  return [
    rowOf(start, 'ms', taken.toStart, { name: 'bare `node`, whole', ...taken.bare }, [{ goal: '≤ + 8 ms', isReached }]),
    rowOf(start, 'ms', taken.toStart, { name: PROMISED, ...taken.promisedToStart }),
    end('that ends at once', oursAtOnce, promisedAtOnce),
    end(`that took ${TAKES_S} s`, taken.later, taken.promisedLater),
  ];
}

/** What judges it is loaded while it runs, which one that ends at once waits for. */
const TAKES_S = '0.2';
