// Where a wrapper's files may lie: whatever is refused is left as it was, and nothing is paid.

import { spawnSync } from 'node:child_process';
import { linkSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { outputPathMistake } from '../../loops/attempt/output-paths.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('places');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.answer(() => answerWith('codex', 'ok'));
});
test.after.each(({ rig }) => rig.dispose());

const WRITTEN = ['out', 'err', 'result', 'session-id-out', 'done-marker', 'pid-file'];

const makeFifo = (file: string) => void spawnSync('mkfifo', [file]);

for (const flag of WRITTEN) {
  test(`--${flag} over a FIFO is refused, and the FIFO stays`, async ({ rig }) => {
    const fifo = path.join(rig.project, 'pipe');
    makeFifo(fifo);
    const { code, said, record } = await runWrapper(rig, 'codex', [`--${flag}=${fifo}`]).ended();
    assert.equal([code, rig.calls.length, record, lstatSync(fifo).isFIFO()], [2, 0, null, true]);
    assert.is(
      said,
      `run_codex: --${flag} ${fifo} is a FIFO; name a file (to throw it away, let it be written and delete it)\n`,
    );
  });

  test(`--${flag} over a symlink to a FIFO is refused, and both stay`, async ({ rig }) => {
    const [fifo, link] = [path.join(rig.project, 'pipe'), path.join(rig.project, 'link')];
    makeFifo(fifo);
    symlinkSync(fifo, link);
    const { code, said } = await runWrapper(rig, 'codex', [`--${flag}=${link}`]).ended();
    assert.equal([code, rig.calls.length, lstatSync(fifo).isFIFO(), readlinkSync(link)], [2, 0, true, fifo]);
    assert.match(said, 'link is a FIFO; name a file');
  });
}

test('the event stream beside --out is looked at too', async ({ rig }) => {
  makeFifo(path.join(rig.project, 'a.raw'));
  const { code, said } = await runWrapper(rig, 'codex', ['--out=a.out']).ended();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, /the event stream beside --out .*a\.raw is a FIFO/);
});

test('a socket is refused', async ({ rig }) => {
  const server = createServer().listen(path.join(rig.project, 'socket'));
  const { code, said } = await runWrapper(rig, 'codex', ['--err=socket']).ended();
  server.close();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, 'socket is a socket; name a file');
});

// A node of our own, with the numbers of /dev/null: only root can make one.
const asRoot = process.platform === 'linux' ? where('root', test) : where('linux', test);
asRoot('a device is refused, directly or behind a symlink, and stays', async ({ rig }) => {
  const [device, link] = [path.join(rig.project, 'null'), path.join(rig.project, 'link')];
  spawnSync('mknod', [device, 'c', '1', '3']);
  symlinkSync(device, link);
  for (const name of ['null', 'link']) {
    const { code, said } = await runWrapper(rig, 'codex', [`--err=${name}`]).ended();
    assert.equal([code, rig.calls.length], [2, 0]);
    assert.match(said, `${name} is a device; name a file`);
  }
  assert.equal([lstatSync(device).isCharacterDevice(), readlinkSync(link)], [true, device]);
});

test('no name in a folder of the system is taken, whatever it leads to now', () => {
  const others = { result: null, sessionIdOut: null, doneMarker: null, pidFile: null };
  const mistakeFor = (out: string) => outputPathMistake({ prompt: 'ask.md', out, err: 'e.err', ...others });
  for (const out of ['/dev/stdout', '/dev/fd/1', '/dev/none-such', '/proc/self/comm'])
    assert.match(mistakeFor(out) ?? '', `${out} `, out);
  assert.is(mistakeFor('/devices/none-such/a.out'), null);
});

/** Flags beside the usual `--prompt-file=ask.md --out=codex.out --err=codex.err --result=codex.json`, and who meets whom. */
const COLLISIONS: [flags: string[], message: RegExp][] = [
  [['--out=ask.md'], /--prompt-file and --out are one file, .*ask\.md; give each its own/],
  [['--result=ask.md'], /--prompt-file and --result are one file/],
  [['--prompt-file=codex.raw'], /--prompt-file and the event stream beside --out are one file/],
  [['--err=codex.out'], /--out and --err are one file/],
  [['--err=codex.raw'], /the event stream beside --out and --err are one file/],
  [['--result=sub/../codex.err'], /--err and --result are one file/],
  [['--session-id-out=same/codex.json'], /--result and --session-id-out are one file/],
  [['--done-marker=none/x', '--pid-file=same/none/x'], /--done-marker and --pid-file are one file/],
  [['--done-marker=codex.json'], /--result and --done-marker are one file/],
  [['--prompt-file=link.md', '--out=ask.md'], /--prompt-file and --out are one file/],
  [['--prompt-file=ask.md', '--out=hard.md'], /--prompt-file and --out are one file/],
];
for (const [flags, message] of COLLISIONS)
  test(`${flags.join(' ')} is refused, and nothing is written`, async ({ rig }) => {
    for (const name of ['ask.md', 'codex.raw']) rig.write(name, 'Say hello.\n');
    symlinkSync(rig.project, path.join(rig.project, 'same'));
    symlinkSync('ask.md', path.join(rig.project, 'link.md'));
    linkSync(path.join(rig.project, 'ask.md'), path.join(rig.project, 'hard.md'));
    const before = readdirSync(rig.project);
    const { code, said } = await runWrapper(rig, 'codex', flags).ended();
    assert.equal([code, rig.calls.length, readdirSync(rig.project)], [2, 0, before]);
    assert.match(said, message);
    assert.is(readFileSync(path.join(rig.project, 'ask.md'), 'utf8'), 'Say hello.\n');
  });

test('a symlink that leads to the prompt is a place of its own: it is replaced', async ({ rig }) => {
  rig.write('ask.md', '');
  symlinkSync('ask.md', path.join(rig.project, 'codex.out'));
  const { code, out } = await runWrapper(rig, 'codex').ended();
  assert.equal([code, out, readFileSync(path.join(rig.project, 'ask.md'), 'utf8')], [0, 'ok', 'Say hello.\n']);
});

test('what cannot be written or is a folder is found before anything is paid', async ({ rig }) => {
  rig.write('a.raw/x', '');
  const { code, said } = await runWrapper(rig, 'codex', ['--out=a.out']).ended();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, /the event stream beside --out .*a\.raw is a folder; name a file/);
  const nested = await runWrapper(rig, 'codex', ['--out=new', '--err=new/x.err']).ended();
  assert.equal([nested.code, rig.calls.length], [2, 0]);
  assert.match(nested.said, /--out .*new is a folder; name a file/);
});

test.run();
