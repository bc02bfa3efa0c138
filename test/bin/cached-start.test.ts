// The bundles' code caches: made on the first run, replaced when they are broken, and never needed.

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig; dist: string; run: () => number | null }>('cached start');
test.before.each(async (context) => {
  const rig = await TestRig.open({ tools: ['codex'] });
  rig.install('codex', { script: [...answerWith('codex', 'ok')] as never });
  rig.write('ask.md', 'x');
  const dist = path.join(rig.root, 'dist');
  cpSync('dist', dist, { recursive: true, filter: (file) => !file.includes('.cache') });
  const flags = ['--prompt-file=ask.md', '--out=o.out', '--err=o.err'];
  const run = () =>
    spawnSync(process.execPath, [path.join(dist, 'run_codex.cjs'), ...flags], { cwd: rig.project, env: rig.env })
      .status;
  Object.assign(context, { rig, dist, run });
});
test.after.each(({ rig }) => rig.dispose());

const cachesIn = (dist: string) => readdirSync(dist).filter((name) => name.includes('.cache'));

test('the first run leaves one cache, and the next uses it as it is', ({ dist, run }) => {
  assert.is(run(), 0);
  const [cache, ...more] = cachesIn(dist);
  assert.equal(more, []);
  assert.match(cache!, `.${process.versions.v8}.cache`);
  const before = readFileSync(path.join(dist, cache!));
  assert.is(run(), 0);
  assert.ok(before.equals(readFileSync(path.join(dist, cache!))));
});

for (const [what, bytes] of [
  ['an empty', ''],
  ['a broken', 'no code at all'],
] as const)
  test(`${what} cache is replaced by a good one`, ({ dist, run }) => {
    run();
    const cache = path.join(dist, cachesIn(dist)[0]!);
    writeFileSync(cache, bytes);
    assert.is(run(), 0);
    assert.ok(readFileSync(cache).length > 10_000);
  });

test.run();
