// The world of a limited round: a user with a limit, a project with many tasks, and agents on the PATH.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EMPTY_LEDGER, type LimitsLedger, QUARTER_MS } from '../../../policies/limits/ledger.ts';
import { limitsAgent } from './agent.ts';
import type { Seen } from './invariants.ts';
import type { LimitsPlan } from './plan.ts';

const TOOL = 'codex';

export interface LimitsWorld {
  project: string;
  env: Record<string, string>;
  /** In the environment of all that belongs to it. */
  marker: string;
  seen(): Seen[];
  /** The file of the limits. */
  limits(): string;
  /** Calls of this day, by the books. */
  booked(): number;
  /** Calls that count as under way, by the books. */
  open(): number;
  task(name: string): void;
}

export function limitsWorld(root: string, plan: LimitsPlan): LimitsWorld {
  const at = (name: string) => path.join(root, name);
  const limits = 'home/.local/state/tollgate/limits';
  for (const name of ['bin', 'tmp', 'project/.tmp/task', 'project/out', limits])
    mkdirSync(at(name), { recursive: true, mode: 0o700 });
  writeFileSync(at(`bin/${TOOL}`), limitsAgent(TOOL));
  chmodSync(at(`bin/${TOOL}`), 0o755);
  writeFileSync(at('project/ask.md'), 'Say hello.\n');
  writeFileSync(at('seen'), '');
  const now = new Date();
  const limit =
    plan.kind === 'at_once'
      ? { at_once: { any: plan.most } }
      : // Where it is noon about now: no day ends within a round.
        { time_zone: zoneOfNoon(now), budgets: [{ per: 'day', calls: plan.most }] };
  writeFileSync(at(`${limits}/limits.json`), JSON.stringify({ v: 1, ...limit }));
  const ledger = at(`${limits}/ledger.json`);
  if (plan.kind === 'budget' && plan.before > 0) writeFileSync(ledger, JSON.stringify(spentBefore(now, plan.before)));
  const booked = (): LimitsLedger =>
    existsSync(ledger) ? (JSON.parse(readFileSync(ledger, 'utf8')) as LimitsLedger) : EMPTY_LEDGER;
  return {
    project: at('project'),
    marker: `TORTURE_ROUND=${path.basename(root)}`,
    env: {
      PATH: `${at('bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: at('home'),
      TMPDIR: at('tmp'),
      TORTURE_ROUND: path.basename(root),
      TORTURE_SEEN: at('seen'),
      TORTURE_WORK_SEC: String(plan.workMs / 1000),
      NO_COLOR: '1',
    },
    seen: () => seenIn(readFileSync(at('seen'), 'utf8')),
    limits: () => readFileSync(at(`${limits}/limits.json`), 'utf8'),
    booked: () => booked().spent.reduce((sum, { calls }) => sum + calls, 0),
    open: () => booked().open.length,
    task: (name) => writeTask(at(`project/.tmp/task/${name}`), name),
  };
}

/** POSIX has their sign the other way round. */
function zoneOfNoon(now: Date): string {
  const hours = now.getUTCHours() - 12;
  return `Etc/GMT${hours < 0 ? '' : '+'}${hours}`;
}

const spentBefore = (now: Date, calls: number): LimitsLedger => ({
  ...EMPTY_LEDGER,
  spent: [
    {
      at: Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS,
      tool: 'codex',
      project: '/earlier',
      calls,
      tokens: 0,
      usd: 0,
    },
  ],
});

function writeTask(folder: string, name: string): void {
  mkdirSync(folder, { mode: 0o700 });
  const stage = { tool: TOOL, role: 'review', min_lines: 0, requires: [] };
  const manifest = {
    task_id: name,
    goal: 'Find out.',
    stages: [1, 2].map((i) => ({ ...stage, id: `s${i}` })),
    budgets: { paid_call_budget: 50, retry_budget: 0 },
  };
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
}

const seenIn = (text: string): Seen[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ') as [Seen['what'], string])
    .map(([what, id]) => ({ what, id }));
