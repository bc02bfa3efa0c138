// Killed, or out of disk, in the middle of an edit: the session is the old or the new one, whole, and the next command knows which.

import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fault, faultEnv } from '../rig/fault-shim.ts';
import { SESSION_IDS } from '../rig/session-files.ts';
import { makeIn, standsIn, tollgate } from '../rig/session-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';

const test = suite('faults of an edit');
const withFaults = where('faults', test);

const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', answer: 'TWO' },
];
const WHOLE = '+one=ONE +two=TWO';
const UNDONE = '+one=ONE +two= -~=TWO';

const CHANGES = ['mkdir', 'write', 'ftruncate', 'rename'];

/** One that is cut, and one that is appended to. */
for (const tool of ['copilot', 'gemini'] as const) {
  const id = SESSION_IDS[tool];

  withFaults(`${tool}: killed after any call that changes something`, async () => {
    await eachCall(tool, CHANGES, async ({ rig, file, was, undone, at, name }) => {
      await tollgate(rig, ['undo', id], faultOf(rig, { at, does: 'KILL_AFTER' }));
      const now = readFileSync(file, 'utf8');
      assert.ok(now === was || now === undone, `${name}: neither the old nor the new one`);
      const { notes } = (await tollgate(rig, ['history', id, '--json'])).object() as { notes?: string[] };
      for (const note of notes ?? [])
        assert.match(note, /was cut off by a crash; it was (?:made before that|not made)$/);
      assert.is(await standsIn(rig, id), now === was ? WHOLE : UNDONE, name);
      const next = await tollgate(rig, now === was ? ['undo', id] : ['undo', id, '--redo']);
      assert.is(next.code, 0, `${name}: ${next.err}`);
      assert.is(readFileSync(file, 'utf8'), now === was ? undone : was, name);
      assert.equal(strays(file), []);
    });
  });

  withFaults(`${tool}: a disk that is full from any call on costs nothing`, async () => {
    await eachCall(tool, [...CHANGES, 'fsync'], async ({ rig, file, was, undone, at, name }) => {
      const { code, err } = await tollgate(rig, ['undo', id], faultOf(rig, { at, does: 'ENOSPC', times: 0 }));
      const now = readFileSync(file, 'utf8');
      assert.is(now, code === 0 ? undone : was, `${name}: ${code} ${err}`);
      if (code !== 0) assert.match(err, /; nothing was changed\n$/, name);
      if (code !== 0) assert.ok(err.includes(file), `${name} does not name the session's file: ${err}`);
      assert.equal(strays(file), []);
      assert.is(await standsIn(rig, id), code === 0 ? UNDONE : WHOLE, name);
    });
  });
}

withFaults('a disk that takes half of what is appended', async () => {
  await eachCall('gemini', ['write'], async ({ rig, file, was, undone, at, name }) => {
    const { code } = await tollgate(rig, ['undo', SESSION_IDS.gemini], faultOf(rig, { at, does: 'SHORT' }));
    assert.is(readFileSync(file, 'utf8'), code === 0 ? undone : was, name);
    assert.is(await standsIn(rig, SESSION_IDS.gemini), code === 0 ? UNDONE : WHOLE, name);
  });
});

test.run();

interface Faulted {
  rig: TestRig;
  file: string;
  was: string;
  undone: string;
  at: number;
  name: string;
}

/** For each call of these names that an undo makes once it has begun to write, on a home as it was before. */
async function eachCall(
  tool: 'copilot' | 'gemini',
  names: readonly string[],
  look: (faulted: Faulted) => Promise<void>,
): Promise<void> {
  const rig = await TestRig.open();
  try {
    const file = makeIn(rig, tool, TURNS);
    const was = readFileSync(file, 'utf8');
    const saved = path.join(rig.root, 'saved');
    // Without the code caches: a command that finds its own does not compile, and makes no calls to write it.
    const sessions = { recursive: true, preserveTimestamps: true, filter: (file: string) => !file.endsWith('/.cache') };
    cpSync(rig.home, saved, sessions);
    const restore = () => {
      for (const name of readdirSync(rig.home))
        if (name !== '.cache') rmSync(path.join(rig.home, name), { recursive: true });
      cpSync(saved, rig.home, sessions);
    };
    const log = path.join(rig.root, 'log');
    await tollgate(rig, ['undo', SESSION_IDS[tool]], faultOf(rig, {}));
    restore();
    await tollgate(rig, ['undo', SESSION_IDS[tool]], faultOf(rig, { log }));
    const undone = readFileSync(file, 'utf8');
    assert.is.not(undone, was);
    const calls = readFileSync(log, 'utf8').trimEnd().split('\n');
    const begun = calls.findIndex((call) => call.includes('/conversations/'));
    for (const [i, call] of calls.entries()) {
      const [, name, place] = call.split(' ') as [string, string, string];
      if (i < begun || !names.includes(name)) continue;
      restore();
      await look({ rig, file, was, undone, at: i + 1, name: `${name} ${path.basename(place)}` });
    }
  } finally {
    await rig.dispose();
  }
}

const faultOf = (rig: TestRig, fault: Omit<Fault, 'in' | 'under'>) =>
  faultEnv({ in: 'tollgate.cjs', under: rig.home, ...fault });

/** What an edit may leave beside the session's file. */
const strays = (file: string): string[] => readdirSync(path.dirname(file)).filter((name) => name.includes('tollgate'));
