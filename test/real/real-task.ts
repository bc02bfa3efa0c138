// A task that a real CLI does, run by our own command, and what its model was sent for it.

import { existsSync, readFileSync } from 'node:fs';
import type { RunReport } from '../../loops/run/report.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { type Sent, sentHistory } from '../rig/model-api/sent-history.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { ANY_ANSWER } from '../rig/task-run.ts';
import { RealHome } from './real-home.ts';
import type { RouteName } from './routes.ts';

/** Nobody waits there for a session that failed. */
export async function within(route: RouteName, check: (home: RealHome, api: ModelApi) => Promise<void>): Promise<void> {
  const api = await startModelApi();
  const home = new RealHome(route, api.url('ok'));
  try {
    home.write('tollgate.yaml', 'sessions: {rest_sec: 0}\n');
    await check(home, api);
  } finally {
    await home.dispose();
    await api.close();
  }
}

/** With one stage, which may do anything: an `impl` must change something. */
export async function runTask(
  home: RealHome,
  tool: BuiltIn,
  id: string,
  { role = 'review', ...more }: { role?: 'impl' | 'review'; [field: string]: unknown } = {},
): Promise<RunReport> {
  // It asks a router first otherwise.
  const model = tool === 'gemini' ? { model: 'gemini-2.5-flash' } : {};
  const manifest = {
    task_id: id,
    goal: `Do what ${id} asks.`,
    meta: { feature: 'shop' },
    stages: [{ tool, role, access: 'full', ...model, ...ANY_ANSWER }],
    ...more,
  };
  home.write(`.tmp/task/${id}/manifest.json`, JSON.stringify(manifest));
  const words = ['run', id, '--json', '--trust-workspace'];
  const { stdout, stderr } = await home.start('tollgate', words, { limitMs: 120_000 }).result;
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Of the last request that asked the model. */
export function lastHistory(api: ModelApi): Sent[] {
  const { dialect, body } = api.paid().at(-1)!;
  return sentHistory(dialect!, JSON.parse(body));
}

export const saidIn = (api: ModelApi): string =>
  lastHistory(api)
    .map(({ text }) => text)
    .join('\n');

export const linesIn = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
