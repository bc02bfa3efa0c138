// The bundles' code caches: made on the first run in the user's cache folder, replaced when they are broken, and never needed.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultEnv } from '../rig/fault-shim.ts';
import { answerWith } from '../rig/streams.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';

const test = suite<{
  rig: TestRig;
  /** The folder with the caches. */
  caches: string;
  run: (environment?: NodeJS.ProcessEnv, umask?: string) => number | null;
}>('cached start');
const installed = temporaryFolder('dist-');
const dist = path.join(installed, 'dist');
cpSync('dist', dist, { recursive: true });
test.before.each(async (context) => {
  const rig = await TestRig.open({ tools: ['codex'] });
  rig.install('codex', { script: [...answerWith('codex', 'ok')] as never });
  rig.write('ask.md', 'x');
  // Not the rig's own, which are shared.
  rig.env.XDG_CACHE_HOME = path.join(rig.root, 'cache');
  const caches = path.join(rig.root, 'cache/tollgate/code');
  const flags = ['--prompt-file=ask.md', '--out=o.out', '--err=o.err'];
  const wrapper = [path.join(dist, 'run_codex.cjs'), ...flags];
  const run = (environment: NodeJS.ProcessEnv = {}, umask = '022') =>
    spawnSync('/bin/sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath, ...wrapper], {
      cwd: rig.project,
      env: { ...rig.env, ...environment },
    }).status;
  Object.assign(context, { rig, caches, run });
});
test.after.each(({ rig }) => rig.dispose());

const cachesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

test('the first run leaves one cache, and the next uses it as it is', ({ caches, run }) => {
  assert.is(run(), 0);
  const [cache, ...more] = cachesIn(caches);
  assert.equal(more, []);
  assert.match(cache!, `.${process.versions.v8}.cache`);
  const before = readFileSync(path.join(caches, cache!));
  assert.is(run(), 0);
  assert.ok(before.equals(readFileSync(path.join(caches, cache!))));
});

// A cache that another command made lacks the functions of this one, and each start compiles them again.
test('each command of tollgate has its own cache', ({ rig, caches }) => {
  for (const word of ['status', 'tools'])
    spawnSync(process.execPath, [path.join(dist, 'tollgate.cjs'), word], { cwd: rig.project, env: rig.env });
  const owners = cachesIn(caches).map((name) => name.split('.')[1]);
  assert.equal([...new Set(owners)].sort(), ['tollgate-status', 'tollgate-tools']);
});

// Their starter reads them so.
test('a bundle that has a starter is ASCII', () => {
  const bodies = readdirSync(dist).filter((name) => name.endsWith('.body.cjs'));
  assert.ok(bodies.length > 10);
  assert.equal(
    bodies.filter((name) => /[^\0-\x7f]/.test(readFileSync(path.join(dist, name), 'latin1'))),
    [],
  );
});

test('two installations in one process each start bundles of their own', ({ rig }) => {
  const other = path.join(rig.root, 'other');
  cpSync(dist, other, { recursive: true });
  const files = [dist, dist, other].map((folder) => JSON.stringify(path.join(folder, 'library.cjs')));
  const [one, again, another] = files.map((file) => `require(${file}).runTask`);
  const asked = `console.log(typeof ${one}, ${one} === ${again}, ${one} === ${another})`;
  assert.is(spawnSync(process.execPath, ['-e', asked], { encoding: 'utf8' }).stdout, 'function true false\n');
});

test('a run that does nothing of its work leaves no cache, which would hold little for those that do', ({
  caches,
  rig,
  run,
}) => {
  const wrapper = path.join(dist, 'run_codex.cjs');
  for (const [flag, code] of [
    ['--help', 0],
    ['--version', 0],
    ['--no-such-flag', 2],
  ] as const)
    assert.is(spawnSync(process.execPath, [wrapper, flag], { cwd: rig.project, env: rig.env }).status, code, flag);
  assert.equal(
    cachesIn(caches).filter((name) => name.includes('.run_codex.')),
    [],
  );
  assert.is(run(), 0);
  assert.is(cachesIn(caches).filter((name) => name.includes('.run_codex.')).length, 1);
});

function isWhole(cache: string): boolean {
  const bytes = readFileSync(cache);
  const half = bytes.subarray(0, bytes.length / 2);
  return half.length > 10_000 && half.some((byte) => byte !== 0) && half.equals(bytes.subarray(bytes.length / 2));
}

const flipped = (bytes: Buffer, at: number): Buffer => {
  const damaged = Buffer.from(bytes);
  damaged[Math.floor(damaged.length * at)]! ^= 0xff;
  return damaged;
};

/** The code is there twice, so that one half shows a fault in the other. */
const DAMAGES: [what: string, damage: (bytes: Buffer) => Buffer][] = [
  ['empty', () => Buffer.alloc(0)],
  ['no code at all', () => Buffer.from('no code at all')],
  ['with one damaged byte in its first half', (bytes) => flipped(bytes, 0.25)],
  ['with one damaged byte in its second half', (bytes) => flipped(bytes, 0.75)],
  ['cut to its half', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['cut by a byte', (bytes) => bytes.subarray(1)],
  ['of zeros', (bytes) => Buffer.alloc(bytes.length)],
];
test('a cache that is damaged or cut is replaced by a whole one, and its code is never run', ({ caches, run }) => {
  run();
  const cache = path.join(caches, cachesIn(caches)[0]!);
  for (const [what, damage] of DAMAGES) {
    const damaged = damage(readFileSync(cache));
    writeFileSync(cache, damaged);
    assert.is(run(), 0, what);
    assert.equal([readFileSync(cache).equals(damaged), isWhole(cache)], [false, true], what);
  }
});

test('one that changes flags of V8 on its way leaves caches that the next takes', ({ caches, rig, run }) => {
  // More than the young heap is kept small for.
  rig.install('codex', {
    script: [{ do: 'fill', to: 'stderr', bytes: 1_000_000 }, ...answerWith('codex', 'ok')] as never,
  });
  const stamps = () =>
    cachesIn(caches).map((name) => {
      const { ino, mtimeMs } = statSync(path.join(caches, name));
      return [name, ino, mtimeMs];
    });
  assert.is(run(), 0);
  const left = stamps();
  assert.ok(left.length > 0);
  assert.is(run(), 0);
  assert.equal(stamps(), left);
});

test('nobody else may write a cache, whatever the umask, and one that others may write is not taken', ({
  caches,
  run,
}) => {
  assert.is(run({}, '000'), 0);
  const cache = path.join(caches, cachesIn(caches)[0]!);
  assert.is(statSync(cache).mode & 0o777, 0o600);
  const before = statSync(cache).ino;
  chmodSync(cache, 0o666);
  assert.is(run(), 0);
  assert.not.equal(statSync(cache).ino, before);
});

test('runs with other flags of V8 have a cache of their own', ({ caches, run }) => {
  const other = { NODE_OPTIONS: '--max-old-space-size=700' };
  assert.equal([run(), run(other)], [0, 0]);
  const made = cachesIn(caches).map((name) => [name, statSync(path.join(caches, name)).ino]);
  assert.is(made.length, 2);
  assert.equal([run(), run(other)], [0, 0]);
  assert.equal(
    cachesIn(caches).map((name) => [name, statSync(path.join(caches, name)).ino]),
    made,
  );
});

const withFaults = where('faults', test);
for (const [what, fault] of [
  ['read-only', { at: 1, times: 0, does: 'EROFS' }],
  ['on a full disk', { at: 1, times: 0, does: 'ENOSPC' }],
  // The fourth call there writes to the new file.
  ['full within a file', { at: 4, times: 0, does: 'ENOSPC' }],
  ['closed to the user', { at: 1, times: 0, does: 'EACCES' }],
] as const)
  withFaults(
    `where the cache folder is ${what}, a run works without a cache and says nothing`,
    ({ caches, rig, run }) => {
      mkdirSync(caches, { recursive: true, mode: 0o700 });
      const log = path.join(rig.root, 'faults.log');
      const environment = faultEnv({ in: 'run_codex.cjs', under: caches, log, ...fault });
      assert.equal([run(environment), run(environment)], [0, 0]);
      assert.equal([cachesIn(caches), readFileSync(path.join(rig.project, 'o.err'), 'utf8')], [[], '']);
      assert.is.not(readFileSync(log, 'utf8'), '');
      assert.is(run(), 0);
      assert.is(cachesIn(caches).length, 1);
    },
  );

const asRoot = where('root', test);
for (const folder of ['cache/tollgate', 'cache/tollgate/code'])
  asRoot(`where ${folder} belongs to another user, nothing in it is taken or written`, ({ caches, rig, run }) => {
    run();
    const [cache] = cachesIn(caches);
    const before = statSync(path.join(caches, cache!)).ino;
    chownSync(path.join(rig.root, folder), 65_534, 65_534);
    writeFileSync(path.join(caches, cache!), 'no code at all');
    assert.is(run(), 0);
    assert.equal([cachesIn(caches), statSync(path.join(caches, cache!)).ino], [[cache], before]);
    assert.is(readFileSync(path.join(caches, cache!), 'utf8'), 'no code at all');
  });

asRoot('a cache of another user is not taken', ({ caches, run }) => {
  run();
  const cache = path.join(caches, cachesIn(caches)[0]!);
  chownSync(cache, 65_534, 65_534);
  assert.is(run(), 0);
  assert.is(statSync(cache).uid, 0);
});

for (const [what, make] of [
  ['a file', (folder: string) => writeFileSync(folder, 'x')],
  ['a link', (folder: string) => symlinkSync('/tmp', folder)],
  ['a folder that others may write to', (folder: string) => mkdirSync(folder, { mode: 0o777 })],
] as const)
  test(`where ${what} stands in the place of the folder, a run works without a cache`, ({ caches, run }) => {
    mkdirSync(path.dirname(caches), { recursive: true });
    make(caches);
    if (what === 'a folder that others may write to') chmodSync(caches, 0o777);
    assert.equal([run(), run()], [0, 0]);
    if (what !== 'a file')
      assert.equal(
        readdirSync(caches).filter((name) => name.includes('.run_codex.')),
        [],
      );
  });

for (const linked of ['cache', 'cache/tollgate'])
  test(`where ${linked} is a link to a folder of a repository, nothing is written there`, ({ rig, run }) => {
    const checkout = path.join(rig.root, 'checkout');
    for (const folder of ['.git', 'sub']) mkdirSync(path.join(checkout, folder), { recursive: true });
    const link = path.join(rig.root, linked);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(checkout, 'sub'), link);
    assert.is(run(), 0);
    assert.equal(readdirSync(path.join(checkout, 'sub')), []);
  });

test('the folder is the own of the user, and a run without a home leaves none', ({ caches, rig, run }) => {
  assert.is(run({ XDG_CACHE_HOME: '', HOME: '' }), 0);
  assert.is(run({ XDG_CACHE_HOME: 'relative', HOME: path.join(rig.root, 'not-there') }), 0);
  assert.not(existsSync(path.join(rig.root, 'not-there')));
  assert.is(run(), 0);
  for (const folder of [caches, path.dirname(caches)]) assert.is(statSync(folder).mode & 0o777, 0o700);
  assert.equal(
    readdirSync(dist).filter((name) => name.includes('cache')),
    [],
  );
});

for (const [where, git] of [
  ['below the working folder', false],
  ['in a repository', true],
] as const)
  test(`a cache folder ${where} is not used: a file there could count as a change`, ({ rig, run }) => {
    const home = git ? path.join(rig.root, 'other') : rig.project;
    mkdirSync(path.join(home, git ? '.git' : 'x'), { recursive: true });
    assert.is(run({ XDG_CACHE_HOME: path.join(home, 'sub') }), 0);
    assert.not(existsSync(path.join(home, 'sub')));
  });

test.run();
