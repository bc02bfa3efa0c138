// A wrapper without a task that is killed at any of its system calls: a sweep takes the answer and leaves nothing.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultEnv, faultShim } from '../rig/fault-shim.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const COMMAND = 'run_codex.cjs';

interface Killed {
  /** The calls that were counted, as `n name path`. */
  counted: string[];
  wrong: string[];
}

/** @param at the call at which it is killed; null for none. */
async function killedAt(at: number | null, does: 'KILL' | 'KILL_AFTER' = 'KILL'): Promise<Killed> {
  const rig = await TestRig.open({ tools: ['codex'] });
  try {
    rig.answer(() => answerWith('codex', 'paid for'));
    const log = path.join(rig.root, 'counted');
    const clean = { ...rig.env };
    Object.assign(rig.env, faultEnv({ in: COMMAND, under: rig.project, log, ...(at === null ? {} : { at, does }) }));
    const { code } = await runWrapper(rig, 'codex').running.result;
    for (const name of Object.keys(rig.env)) if (!(name in clean)) delete rig.env[name];
    // The CLI continues without its wrapper, and answers; the end of what is no child of ours raises no event.
    while (rig.survivors().length > 0) await pause(10);
    const sweep = await rig.start('preflight', ['--sweep', '--now']).result;
    const wrong: string[] = [];
    if (code !== (at === null ? 0 : null)) wrong.push(`it ended with ${code}`);
    if (sweep.code !== 0) wrong.push(`the sweep ended with ${sweep.code}: ${sweep.stdout}`);
    wrong.push(...leftBy(rig).map((name) => `${name} is left`));
    const out = path.join(rig.project, 'codex.out');
    const isThere = existsSync(out) && readFileSync(out, 'utf8') === 'paid for';
    if (rig.calls.length > 0 && !isThere) wrong.push('the answer is not in its place');
    return { counted: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [], wrong };
  } finally {
    await rig.dispose();
  }
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

const leftBy = (rig: TestRig): string[] => [
  ...namesIn(path.join(rig.home, '.local/state/tollgate/calls')),
  ...namesIn(rig.project).filter((name) => name.startsWith('.')),
];

const test = suite('a wrapper killed on its own');
const can = faultShim() === null ? test.skip : test;
if (faultShim() === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');

for (const [does, first] of [
  ['KILL', 1],
  ['KILL_AFTER', 2],
] as const)
  can(`${does}: whatever it was at, nothing of it stays but the answer`, async () => {
    const { counted, wrong } = await killedAt(null);
    assert.equal(wrong, []);
    const prompt = counted.findIndex((line) => /\/\.tollgate-\S+\/prompt$/.test(line)) + 1;
    assert.ok(prompt > 1, counted.join('\n'));
    const calls = counted.map((_, i) => i + 1).filter((at) => Math.abs(at - prompt) <= 3 || at % 2 === first % 2);
    for (const at of calls) {
      const killed = await killedAt(at, does);
      assert.equal(killed.wrong, [], `killed at ${at}: ${counted[at - 1]}`);
    }
  });

test.run();
