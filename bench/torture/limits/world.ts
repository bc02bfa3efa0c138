// Creates the world of a limited round: a user with a limit, a project with many tasks, and agents on the PATH.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { EMPTY_LEDGER, type LimitsLedger, QUARTER_MS } from '../../../policies/limits/ledger.ts';
import { SESSION, STREAMS, type Stream } from '../../../test/rig/streams.ts';
import { makePlace, printed, sumOf, textOr, writeTask } from '../rig.ts';
import type { Seen } from './invariants.ts';
import type { LimitsPlan } from './plan.ts';

const TOOL = 'codex';

export type LimitsWorld = ReturnType<typeof limitsWorld>;

export function limitsWorld(plan: LimitsPlan) {
  const place = makePlace(`torture-limits-${plan.n}`, { [TOOL]: AGENT });
  const { project, at, write } = place;
  const state = 'home/.local/state/tollgate/limits';
  mkdirSync(at(state), { recursive: true, mode: 0o700 });
  mkdirSync(at('project/out'));
  write('project/ask.md', 'Say hello.\n');
  const now = new Date();
  const limit =
    plan.kind === 'at_once'
      ? { at_once: { any: plan.most } }
      : // Where it is noon about now: no day ends within a round.
        { time_zone: zoneOfNoon(now), budgets: [{ per: 'day', calls: plan.most }] };
  write(`${state}/limits.json`, JSON.stringify({ v: 1, ...limit }));
  const ledger = `${state}/ledger.json`;
  if (plan.kind === 'budget' && plan.before > 0) write(ledger, JSON.stringify(spentBefore(now, plan.before)));
  const books = () => JSON.parse(textOr(at(ledger)) || JSON.stringify(EMPTY_LEDGER)) as LimitsLedger;
  return {
    ...place,
    env: { ...place.env, TORTURE_WORK_SEC: String(plan.workMs / 1000) },
    seen: () => place.seen().map(([what, id]) => ({ what, id }) as Seen),
    /** The file of the limits. */
    limits: () => textOr(at(`${state}/limits.json`)),
    /** The calls of this day, by the books. */
    booked: () => sumOf(books().spent, ({ calls }) => calls),
    /** The calls that count as running, by the books. */
    open: () => books().open.length,
    task: (name: string) => writeTask(project, name, MANIFEST),
  };
}

const STAGE = { tool: TOOL, role: 'review', min_lines: 0, requires: [] };
const MANIFEST = {
  stages: [1, 2].map((i) => ({ ...STAGE, id: `s${i}` })),
  budgets: { paid_call_budget: 50, retry_budget: 0 },
};

/** POSIX zones have the opposite sign. */
function zoneOfNoon(now: Date): string {
  const hours = now.getUTCHours() - 12;
  return `Etc/GMT${hours < 0 ? '' : '+'}${hours}`;
}

function spentBefore(now: Date, calls: number): LimitsLedger {
  const at = Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS;
  return { ...EMPTY_LEDGER, spent: [{ at, tool: TOOL, project: '/earlier', calls, tokens: 0, usd: 0 }] };
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
