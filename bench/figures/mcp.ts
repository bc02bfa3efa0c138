// From a tool call of an MCP client to the first byte of its answer, beside the tool's work: one that reads, and one that pays.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { statusOf } from '../../loops/status/status.ts';
import { inTurns, type Times } from './pairs.ts';
import type { Figure, FigureRow } from './row.ts';
import { BenchWorld, command, ONE_CALL } from './world.ts';

const TASKS = 20;
const GOAL_MS = 30;

export const MCP: Figure = {
  about: `a call of \`status\` over stdio, ${TASKS} tasks, and one of \`ask\``,
  rounds: 25,
  async measure(rounds) {
    const world = new BenchWorld();
    for (let n = 0; n < TASKS; n += 1)
      world.write(`.tmp/task/t${n}/manifest.json`, JSON.stringify({ task_id: `t${n}`, goal: 'Nothing.', stages: [] }));
    const server = spawn(process.execPath, [command('tollgate'), 'mcp'], {
      cwd: world.root,
      env: world.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const gone = once(server, 'exit');
    try {
      await asked(server, 0, 'initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      });
      send(server, { method: 'notifications/initialized' });
      let id = 0;
      const clock = () => new Date();
      const { ours, work } = await inTurns(rounds, {
        ours: () => {
          id += 1;
          return asked(server, id, 'tools/call', { name: 'status', arguments: {} });
        },
        work: async () => {
          const began = performance.now();
          await statusOf({ word: null, cwd: world.root, environment: world.env, clock });
          return performance.now() - began;
        },
      });
      return [
        row('a tool call over MCP to the first byte of its answer', ours, { name: 'its work alone', ...work }),
        await ask(world, server, rounds),
      ];
    } finally {
      server.kill('SIGTERM');
      await gone;
      world.dispose();
    }
  },
};

/** Each question is another one, or it would not be paid for. */
async function ask(world: BenchWorld, server: Server, rounds: number): Promise<FigureRow> {
  const { ours, wrapper } = await inTurns(rounds, {
    ours: (round) => {
      const given = { cli: 'codex', prompt: `Say hello to ${round}.`, wait_ms: 30_000 };
      return asked(server, FIRST_PAID + round, 'tools/call', { name: 'ask', arguments: given });
    },
    wrapper: () => world.node([command('run_codex'), ...ONE_CALL]),
  });
  return row('`ask` over MCP to the first byte of its answer', ours, { name: 'the bare wrapper', ...wrapper });
}

const FIRST_PAID = 1_000_000;

const row = (what: string, ours: Times, work: Times & { name: string }): FigureRow => ({
  what,
  unit: 'ms',
  ours: ours.median,
  min: ours.min,
  peer: { name: work.name, value: work.median, min: work.min },
  goals: [{ goal: `< + ${GOAL_MS} ms`, isReached: ours.median - work.median < GOAL_MS }],
});

type Server = ChildProcessByStdio<Writable, Readable, null>;

const send = ({ stdin }: Server, message: object): boolean =>
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Milliseconds until the answer begins. Throws for one that is an error, or another request's. */
async function asked(server: Server, id: number, method: string, params: object): Promise<number> {
  const began = performance.now();
  const over = new AbortController();
  const end = () => over.abort();
  server.once('exit', end);
  send(server, { id, method, params });
  let text = '';
  let ms: number | null = null;
  while (!text.endsWith('\n')) {
    const [piece] = await once(server.stdout, 'data', { signal: over.signal });
    ms ??= performance.now() - began;
    text += piece;
  }
  server.off('exit', end);
  const answer = JSON.parse(text) as { id: number; result?: { isError?: boolean } };
  if (answer.id !== id || answer.result === undefined || answer.result.isError === true)
    throw new Error(`tollgate mcp was asked ${method}, and says ${text.slice(0, 300)}`);
  return ms!;
}
