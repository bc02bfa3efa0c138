// A run or its guardian that is killed at a system call, or meets a disk that refuses one: nothing paid is lost or paid again.
// TOLLGATE_FAULTS=all tries every call with every fault, TOLLGATE_FAULTS=EIO every call with that one; without it a spread of them.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fault, faultShim } from '../rig/fault-shim.ts';
import { runFaulted } from '../rig/faulted-task.ts';

const { TOLLGATE_FAULTS: WHOLE = '' } = process.env;
/** Two rounds at once, as the machines of CI have cores. */
const LANES = 2;

type Row = { in: string; does: NonNullable<Fault['does']>; times: number; every: number; from: number };

const DISPATCHER = 'tollgate.cjs';
const GUARDIAN = 'run_codex.cjs';
/** `times: 0` is a disk that stays as it is from that call on. The spread falls on another residue in each row. */
const ROWS: Row[] = [
  { in: DISPATCHER, does: 'KILL', times: 1, every: 34, from: 6 },
  { in: GUARDIAN, does: 'KILL', times: 1, every: 22, from: 10 },
  { in: DISPATCHER, does: 'ENOSPC', times: 0, every: 58, from: 11 },
  { in: GUARDIAN, does: 'ENOSPC', times: 0, every: 38, from: 2 },
  { in: DISPATCHER, does: 'EIO', times: 1, every: 41, from: 9 },
  { in: GUARDIAN, does: 'EIO', times: 1, every: 41, from: 17 },
  { in: DISPATCHER, does: 'SHORT', times: 1, every: 12, from: 1 },
  { in: GUARDIAN, does: 'SHORT', times: 1, every: 8, from: 3 },
  { in: DISPATCHER, does: 'EMFILE', times: 1, every: 60, from: 8 },
  { in: GUARDIAN, does: 'EMFILE', times: 1, every: 12, from: 4 },
  { in: DISPATCHER, does: 'EROFS', times: 0, every: 67, from: 10 },
  { in: GUARDIAN, does: 'EROFS', times: 0, every: 61, from: 15 },
];

/** Calls that alone can meet a fault: the spread falls on those. */
const ONLY: Partial<Record<Row['does'], string>> = { SHORT: 'write', EMFILE: 'open' };

const counts = new Map<string, Promise<string[]>>();
function callsOf(script: string): Promise<string[]> {
  const known = counts.get(script) ?? runFaulted({ in: script }).then(({ counted }) => counted);
  counts.set(script, known);
  return known;
}

const test = suite('a broken disk');
const can = faultShim() === null ? test.skip : test;
if (faultShim() === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');

for (const row of ROWS)
  can(`${row.does} in ${row.in}${row.times === 0 ? ' from a call on' : ''}: one answer, paid once`, async () => {
    const all = await callsOf(row.in);
    assert.ok(all.length > 40, `only ${all.length} calls were counted`);
    const isWhole = ['all', row.does].includes(WHOLE);
    const able = all.flatMap((name, i) => (name.startsWith(ONLY[row.does] ?? '') ? [i + 1] : []));
    const calls = able.filter((_, i) => isWhole || (i + 1 >= row.from && (i + 1 - row.from) % row.every === 0));
    const wrong: string[] = [];
    let hit = 0;
    const lane = async () => {
      for (let at = calls.shift(); at !== undefined; at = calls.shift()) {
        const { in: script, does, times } = row;
        const faulted = await runFaulted({ in: script, at, does, times });
        const { counted, first, used, failed } = faulted;
        hit += first.code === 0 ? 0 : 1;
        // A reservation that came to nothing counts, and the journal says what became of it.
        if (used - failed !== 1)
          faulted.wrong.push(`${used} calls were counted, and ${failed} of them said to have failed`);
        for (const what of faulted.wrong) wrong.push(`at ${at} (${counted[at - 1]}): ${what}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    assert.equal(wrong, []);
    assert.ok(hit > 0, 'no run felt the fault');
  });

test.run();
