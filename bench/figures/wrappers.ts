// What a wrapper costs over a no-op CLI: beside bare node, and beside the same contract in bash with jq and without.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inTurns, type Times, timesOf } from './pairs.ts';
import type { Figure, FigureRow } from './row.ts';
import { BenchWorld, command, ONE_CALL } from './world.ts';

const PEERS = path.resolve('bench/peers');
const CLI_FAILED = 12;

/** As gemini ends when its quota is used up. */
const FAILING = `#!/bin/sh
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
    const peer = (name: string) => () =>
      world.timed(path.join(PEERS, name), ['ask.md', 'p.out', 'p.err', `${name}.stats`], exit);
    const { ours, bare, jq, plain } = await inTurns(rounds, {
      ours: () => world.node([command('gemini_headless'), ...ONE_CALL], exit),
      bare: world.bare,
      jq: peer('jq-wrapper.sh'),
      plain: peer('plain-wrapper.sh'),
    });
    const over = ours.median - bare.median;
    const byJq = ours.median / jq.median;
    const most = exit === 0 ? 1 : 0.8;
    const row = (name: string, { median, min }: typeof ours, goals: FigureRow['goals']): FigureRow => ({
      what: `\`gemini_headless\`, ${what}`,
      unit: 'ms',
      ours: ours.median,
      min: ours.min,
      peer: { name, value: median, min },
      goals,
    });
    rows.push(
      row('bare `node`', bare, exit === 0 ? [{ goal: '≤ + 15 ms', isReached: over <= 15 }] : []),
      row('bash with jq', jq, [{ goal: `≤ ${most} ×`, isReached: byJq <= most }]),
      row('bash without jq', plain, []),
    );
  }
  return rows;
}

/** From the start of the wrapper to that of the CLI, and from the end of the CLI to that of the wrapper. */
async function halves(world: BenchWorld, rounds: number): Promise<FigureRow[]> {
  world.write('bin/gemini', TELLING, 0o755);
  const told = path.join(world.root, 'told');
  world.env.TOLD = told;
  const timed = (takes: string) => {
    world.env.TAKES = takes;
    const began = performance.timeOrigin + performance.now();
    const ms = world.node([command('gemini_headless'), ...ONE_CALL]);
    const [start, end] = readFileSync(told, 'utf8')
      .split(' ')
      .map((word) => Number(word.replace(',', '.')) * 1000);
    return { before: start! - began, after: began + ms - end! };
  };
  const atOnce: number[] = [];
  const { before, later, bare } = await inTurns(rounds, {
    before: () => {
      const { before, after } = timed('0');
      atOnce.push(after);
      return before;
    },
    later: () => timed(TAKES_S).after,
    bare: world.bare,
  });
  const peer = { name: 'bare `node`, whole', value: bare.median, min: bare.min };
  const isReached = before.median - bare.median <= 8;
  return [
    {
      what: 'start of a wrapper to start of its CLI',
      unit: 'ms',
      ours: before.median,
      min: before.min,
      peer,
      goals: [{ goal: '≤ + 8 ms', isReached }],
    },
    end('that ends at once', timesOf(atOnce.slice(1))),
    end(`that took ${TAKES_S} s`, later),
  ];
}

/** What judges it is loaded while it runs, which one that ends at once waits for. */
const TAKES_S = '0.2';

const end = (which: string, { median, min }: Times): FigureRow => ({
  what: `end of its CLI ${which} to end of a wrapper`,
  unit: 'ms',
  ours: median,
  min,
  peer: null,
  goals: [],
});
