// In a batch a call pays for the looks at a few other tasks, however many there are: counted, on a clock that stands still.

import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closedBy } from '../../../loops/guard/enter-task.ts';
import { openUnseenCalls, watchCall } from '../../../loops/guard/watched-call.ts';
import { callEntries } from '../../../state/calls/judge-register.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const test = suite('cost of others');

const LOOKS = ['lstatSync', 'statSync', 'existsSync', 'readdirSync', 'openSync'] as const;

/** How often the disk is asked meanwhile. */
function countLooks(work: () => void): number {
  let count = 0;
  const originals = LOOKS.map((name) => [name, fs[name]] as const);
  for (const [name, original] of originals)
    Object.assign(fs, {
      [name]: (...given: unknown[]) => {
        count += 1;
        return Reflect.apply(original, fs, given);
      },
    });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, Object.fromEntries(originals));
    syncBuiltinESMExports();
  }
  return count;
}

/** A project of so many tasks that are as they were; each is called once, one after the other. */
async function looksPerCall(count: number, msACall: number): Promise<number> {
  const root = temporaryFolder('others-');
  const stateFolder = path.join(root, '.tmp');
  const register = path.join(root, 'user/judges');
  const tasks = Array.from({ length: count }, (_, i): TaskFolder => {
    const id = `t${i}`;
    const folder = path.join(stateFolder, 'task', id);
    const [inputs, outputs, state, done] = ['inputs', 'outputs', 'state', 'done'].map((name) =>
      path.join(folder, name),
    );
    mkdirSync(inputs!, { recursive: true });
    writeFileSync(path.join(folder, 'manifest.json'), '{}');
    writeFileSync(path.join(inputs!, 'ask.md'), 'Look.\n');
    const own = { inputs: inputs!, outputs: outputs!, state: state!, done: done! };
    return { id, root: folder, manifest: null, ...own, attempts: path.join(folder, 'state/attempts') };
  });
  let ms = 0;
  const unseen = openUnseenCalls(() => ms);
  const dispatcher = (await identify(process.pid))!;
  const until = new Date(Date.now() + 60_000).toISOString();
  const looks = countLooks(() => {
    for (const task of tasks) {
      assert.is(closedBy({ task, register, stateFolder }), null);
      const call = { stage: 'codex_review', call_id: `call-${task.id}`, dispatcher, until };
      const watched = watchCall({ task, stateFolder }, { register, clock: () => new Date(), ended: unseen, ...call });
      watched.begin({ files: new Map(), folders: new Map(), unkept: [] });
      ms += msACall;
      assert.equal(watched.end(), []);
    }
    assert.equal(unseen.finish(), []);
  });
  assert.equal(callEntries(register), []);
  return looks / count;
}

test('a call among 256 tasks looks as often as one among 32', async () => {
  const [few, many] = [await looksPerCall(32, 0), await looksPerCall(256, 0)];
  assert.ok(many <= few + 8, `${few.toFixed(1)} looks a call among 32 tasks, ${many.toFixed(1)} among 256`);
});

test('where there is time for it each call is looked at as it ends', async () => {
  const [few, many] = [await looksPerCall(8, 2_000), await looksPerCall(32, 2_000)];
  assert.ok(many >= few + 24 * 6, `${few.toFixed(1)} looks a call among 8 tasks, ${many.toFixed(1)} among 32`);
});

test.run();
