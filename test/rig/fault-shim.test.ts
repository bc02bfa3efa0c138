// Tests that the fault library causes the requested fault, at the requested call, and only in the requested process.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fault, faultEnv, faultShim } from './fault-shim.ts';

/** Four counted calls: mkdir, open, write, fsync. */
const PROBE = `
const { mkdirSync, openSync, writeSync, fsyncSync, readFileSync, statfsSync } = require('node:fs');
const steps = {
  mkdir: () => mkdirSync('below/x'),
  open: () => (globalThis.fd = openSync('below/x/file', 'w')),
  write: () => writeSync(fd, 'abcdefgh'),
  fsync: () => fsyncSync(fd),
};
const said = [];
for (const [name, step] of Object.entries(steps)) {
  try { said.push(name + (name === 'write' ? ':' + step() : (step(), ''))); }
  catch (error) { said.push(name + ' ' + (globalThis.fd === undefined && name !== 'mkdir' && name !== 'open' ? '-' : error.code)); }
}
console.log(JSON.stringify({ said, year: new Date().getFullYear(), type: statfsSync('/').type }));
`;

const test = suite<{ folder: string }>('fault shim');
const can = faultShim() === null ? test.skip : test;
if (faultShim() === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');
test.before.each((context) => {
  context.folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'shim-')));
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

function probe(folder: string, fault: Partial<Fault>, script = 'probe.cjs') {
  rmSync(path.join(folder, 'below'), { recursive: true, force: true });
  spawnSync('mkdir', [path.join(folder, 'below')]);
  writeFileSync(path.join(folder, script), PROBE);
  const env = { PATH: process.env.PATH, ...faultEnv({ in: 'probe.cjs', under: `${folder}/below`, ...fault }) };
  const { stdout, signal } = spawnSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' });
  return { signal, ...(stdout === '' ? {} : (JSON.parse(stdout) as { said: string[]; year: number; type: number })) };
}

const WELL = ['mkdir', 'open', 'write:8', 'fsync'];
const ROWS: [Partial<Fault>, string[]][] = [
  [{}, WELL],
  [{ at: 1, does: 'ENOSPC' }, ['mkdir ENOSPC', 'open ENOENT', 'write -', 'fsync -']],
  [{ at: 3, does: 'EIO' }, ['mkdir', 'open', 'write EIO', 'fsync']],
  [{ at: 3, times: 0, does: 'EIO' }, ['mkdir', 'open', 'write EIO', 'fsync EIO']],
  [{ at: 3, does: 'SHORT' }, ['mkdir', 'open', 'write:4', 'fsync']],
  [{ at: 1, times: 0, does: 'EMFILE' }, ['mkdir', 'open EMFILE', 'write -', 'fsync -']],
  [{ at: 2, does: 'EROFS' }, ['mkdir', 'open EROFS', 'write -', 'fsync -']],
];
for (const [fault, expected] of ROWS)
  can(`${JSON.stringify(fault)} gives ${expected.join(', ')}`, ({ folder }) => {
    assert.equal(probe(folder, fault).said, expected);
  });

can('the log names every counted call', ({ folder }) => {
  const log = path.join(folder, 'log');
  probe(folder, { log });
  const below = path.join(folder, 'below');
  assert.is(
    readFileSync(log, 'utf8'),
    `1 mkdir ${below}/x\n2 open ${below}/x/file\n3 write ${below}/x/file\n4 fsync ${below}/x/file\n`,
  );
});

can('KILL comes before the call, KILL_AFTER behind it', ({ folder }) => {
  const log = path.join(folder, 'log');
  assert.is(probe(folder, { at: 3, does: 'KILL', log }).signal, 'SIGKILL');
  assert.is(readFileSync(path.join(folder, 'below/x/file'), 'utf8'), '');
  assert.is(probe(folder, { at: 3, does: 'KILL_AFTER', log }).signal, 'SIGKILL');
  assert.is(readFileSync(path.join(folder, 'below/x/file'), 'utf8'), 'abcdefgh');
});

can('another script is left alone', ({ folder }) =>
  assert.equal(probe(folder, { at: 1, does: 'KILL' }, 'other.cjs').said, WELL),
);

can('a clock is shifted and a file system is played', ({ folder }) => {
  const { year, type } = probe(folder, { clockSeconds: 10 * 365.25 * 86_400, statfs: 0x6969 });
  assert.ok(Math.abs(year! - new Date().getFullYear() - 10) <= 1);
  assert.is(type, 0x6969);
});

test.run();
