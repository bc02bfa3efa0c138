// Tests that a process is counted by its real actions, once each and in order, and that other processes are not touched.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundlesOf, bytesOf, type CountedProcess, countIn, eventsOf } from './counted.ts';
import { TestRig } from './test-rig.ts';

const PROBE = `
const fs = require('node:fs');
require('./more.cjs');
fs.writeFileSync('whole', 'four');
const fd = fs.openSync('open', 'w');
fs.writeSync(fd, 'abc');
fs.fsyncSync(fd);
fs.fdatasync(fd, () => fs.closeSync(fd));
fs.readFileSync('whole');
new (require('node:vm').Script)('1', { filename: __dirname + '/a.body.cjs' });
require('node:child_process').spawnSync('true');
process.getBuiltinModule('node:crypto');
require('node:child_process').spawn('true');
fs.statSync('whole');
fs.readdirSync('.');
fs.mkdirSync('made');
fs.promises.open('open', 'a').then(async (handle) => {
  await handle.appendFile('de');
  await handle.datasync();
  await handle.close();
  await fs.promises.readFile('open');
});
`;

const test = suite<{ rig: TestRig; counted: () => CountedProcess[]; run: (folder: string) => number | null }>(
  'counted',
);
test.before.each(async (context) => {
  const rig = await TestRig.open({ tools: [] });
  context.rig = rig;
  context.counted = countIn(rig);
  context.run = (name) => {
    const folder = path.join(rig.root, name);
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'probe.cjs'), PROBE);
    writeFileSync(path.join(folder, 'more.cjs'), '');
    return spawnSync(process.execPath, [path.join(folder, 'probe.cjs')], { cwd: rig.project, env: rig.env }).status;
  };
});
test.after.each(({ rig }) => rig.dispose());

test('all that a command does is told, each once', ({ counted, run }) => {
  assert.is(run('dist'), 0);
  const [told, ...more] = counted();
  assert.equal([more, told!.script], [[], 'probe.cjs']);
  const files = (what: Parameters<typeof eventsOf>[1], of?: RegExp) =>
    eventsOf(told!, what, of).map(({ file }) => path.basename(file));
  assert.equal(files('evaluate', /dist/), ['probe.cjs', 'more.cjs', 'a.body.cjs']);
  assert.equal(bundlesOf(told!), ['probe.cjs', 'more.cjs', 'a.cjs']);
  assert.is(bytesOf(eventsOf(told!, 'evaluate', /a\.body/)), 1);
  assert.equal(files('open', /^\w+$/), ['whole', 'open', 'whole', 'open']);
  assert.equal(files('write'), ['whole', 'open', 'open']);
  assert.is(bytesOf(eventsOf(told!, 'write')), 9);
  assert.equal(files('read', /^\w+$/), ['whole', 'open']);
  assert.equal(files('sync'), ['open', 'open']);
  assert.equal(files('background sync'), ['open']);
  assert.equal(
    [...new Set(files('builtin'))].filter((name) => ['vm', 'child_process', 'crypto'].includes(name)),
    ['vm', 'child_process', 'crypto'],
  );
  assert.equal(files('spawn'), ['true', 'true']);
  assert.equal([files('look', /^whole/), files('list'), files('change')], [['whole'], ['.'], ['made']]);
  const order = told!.events.map(({ what, file }) => `${what} ${path.basename(file)}`);
  assert.ok(order.indexOf('sync open') < order.indexOf('evaluate a.body.cjs'));
});

test('a process that is not one of ours is not counted', ({ counted, run }) => {
  assert.is(run('elsewhere'), 0);
  assert.equal(counted(), []);
});

test.run();
