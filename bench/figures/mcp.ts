// From a tool call of an MCP client to the first byte of its answer, beside the tool's work in this process.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { statusOf } from '../../loops/status/status.ts';
import { inTurns } from './pairs.ts';
import type { Figure } from './row.ts';
import { BenchWorld, command } from './world.ts';

const TASKS = 20;
const GOAL_MS = 30;

export const MCP: Figure = {
  about: `a call of \`status\` over stdio, ${TASKS} tasks`,
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
        {
          what: 'a tool call over MCP to the first byte of its answer',
          unit: 'ms',
          ours: ours.median,
          min: ours.min,
          peer: { name: 'its work alone', value: work.median, min: work.min },
          goals: [{ goal: `< + ${GOAL_MS} ms`, isReached: ours.median - work.median < GOAL_MS }],
        },
      ];
    } finally {
      server.kill('SIGTERM');
      await gone;
      world.dispose();
    }
  },
};

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
