// Creates the world of a limited round: a user with a limit, a project with many tasks, and agents on the PATH.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EMPTY_LEDGER, type LimitsLedger, QUARTER_MS } from '../../../policies/limits/ledger.ts';
import { SESSION, STREAMS, type Stream } from '../../../test/rig/streams.ts';
import { makePlace, type Place, printed, wordsIn } from '../rig.ts';
import type { Seen } from './invariants.ts';
import type { LimitsPlan } from './plan.ts';

const TOOL = 'codex';

export interface LimitsWorld extends Place {
  project: string;
  seen(): Seen[];
  /** The file of the limits. */
  limits(): string;
  /** The calls of this day, by the books. */
  booked(): number;
  /** The calls that count as running, by the books. */
  open(): number;
  task(name: string): void;
}

export function limitsWorld(plan: LimitsPlan): LimitsWorld {
  const place = makePlace(`torture-limits-${plan.n}`, { [TOOL]: AGENT });
  const { at } = place;
  const limits = 'home/.local/state/tollgate/limits';
  for (const name of ['project/.tmp/task', 'project/out', limits])
    mkdirSync(at(name), { recursive: true, mode: 0o700 });
  writeFileSync(at('project/ask.md'), 'Say hello.\n');
  writeFileSync(at('seen'), '');
  const now = new Date();
  const limit =
    plan.kind === 'at_once'
      ? { at_once: { any: plan.most } }
      : // A time zone in which it is about noon now, so that no day ends within a round.
        { time_zone: zoneOfNoon(now), budgets: [{ per: 'day', calls: plan.most }] };
  writeFileSync(at(`${limits}/limits.json`), JSON.stringify({ v: 1, ...limit }));
  const ledger = at(`${limits}/ledger.json`);
  if (plan.kind === 'budget' && plan.before > 0) writeFileSync(ledger, JSON.stringify(spentBefore(now, plan.before)));
  const booked = (): LimitsLedger =>
    existsSync(ledger) ? (JSON.parse(readFileSync(ledger, 'utf8')) as LimitsLedger) : EMPTY_LEDGER;
  return {
    ...place,
    project: at('project'),
    env: { ...place.env, TORTURE_SEEN: at('seen'), TORTURE_WORK_SEC: String(plan.workMs / 1000) },
    seen: () =>
      (wordsIn(readFileSync(at('seen'), 'utf8')) as [Seen['what'], string][]).map(([what, id]) => ({ what, id })),
    limits: () => readFileSync(at(`${limits}/limits.json`), 'utf8'),
    booked: () => booked().spent.reduce((sum, { calls }) => sum + calls, 0),
    open: () => booked().open.length,
    task: (name) => writeTask(at(`project/.tmp/task/${name}`), name),
  };
}

/** POSIX zones have the opposite sign. */
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

const ANSWER = '# Summary\n\nA.\n\n# Findings\n\nNone.\n\n# Verdict\n\nPASS\n';

const TOLLGATE = path.resolve(import.meta.dirname, '../../../dist/tollgate.cjs');

/**
 * Starts a command in a separate session, after its parent has changed. The old parent stays a zombie, since the agent waits for
 * the pipe and not for it.
 */
const ORPHAN = `setsid sh -c 'sh -c '"'"'while read -r _ _ _ parent _ < /proc/self/stat && [ "$parent" = "$0" ]; do :; done; exec "$@"'"'"' $$ "$@" &' sh`;

const { opens, says, succeeds }: Stream = STREAMS[TOOL];

/**
 * Notes its begin and its end, one write each. One agent in eight tries to remove the limits, without its environment: half of
 * these as orphans.
 */
const AGENT = `#!/bin/sh
[ "$1" = --version ] && exit
id=\${TOLLGATE_CALL_ID##*/}
printf 'begun %s\\n' "$id" >> "$TORTURE_SEEN"
tries() {
  said=$(env -i PATH="$PATH" HOME="$HOME" TMPDIR="$TMPDIR" TORTURE_ROUND="$TORTURE_ROUND" "$@" 2>&1)
  case "$said" in
  *'a call may not change a budget'*) printf 'refused %s\\n' "$id" >> "$TORTURE_SEEN" ;;
  *) printf 'loosened %s\\n' "$id" >> "$TORTURE_SEEN" ;;
  esac
}
case "$id" in
*0) tries '${process.execPath}' '${TOLLGATE}' budget --per day --unset ;;
*1) tries ${ORPHAN} '${process.execPath}' '${TOLLGATE}' budget --at-once 1000 --per day --set 1000 ;;
esac
sleep "$TORTURE_WORK_SEC"
${printed([...opens(SESSION), ...says(ANSWER), ...succeeds(SESSION)])}
printf 'ended %s\\n' "$id" >> "$TORTURE_SEEN"
`;
