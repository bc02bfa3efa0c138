// What a call starts as another user ends with it: by the marker, and by the cgroup where that is lost too.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findGroup, ownGroup } from '../../wrappers/processes/cgroup.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig }>('processes of another user');
const strangers: ChildProcess[] = [];
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
});
test.after.each(async ({ rig }) => {
  for (const stranger of strangers.splice(0)) stranger.kill('SIGKILL');
  await rig.dispose();
});

const canBecome = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');
const asRoot: typeof test.skip = canBecome ? test : test.skip;
if (!canBecome) console.log('SKIPPED: only the superuser, with setpriv(1), can start processes as another user');
const inGroup = canBecome && ownGroup()?.group != null ? asRoot : test.skip;
if (inGroup === test.skip) console.log('SKIPPED: no cgroup of version 2 can be made here');

const AS_NOBODY = 'setpriv --reuid=65534 --clear-groups';
/** Each is found by how long it would sleep. */
const sleeps = (n: number) => `600.${process.pid}${n}`;
/** The marker stays in the environment in all but the last. */
const WAYS: [how: string, script: (sleep: string) => string, run: typeof asRoot][] = [
  ['as a child', (sleep) => `${AS_NOBODY} sleep ${sleep} &`, asRoot],
  ['in a session of its own, without a parent', (sleep) => `(setsid ${AS_NOBODY} sleep ${sleep} &)`, asRoot],
  ['by su', (sleep) => `(setsid su -s /bin/sh nobody -c 'sleep ${sleep}' &)`, asRoot],
  [
    'in a session of its own, without a parent and an environment',
    (sleep) => `(setsid env -i PATH=/usr/bin:/bin ${AS_NOBODY} sleep ${sleep} &)`,
    inGroup,
  ],
];

for (const [n, [how, script, run]] of WAYS.entries())
  run(`one that is started ${how} ends with the call`, async ({ rig }) => {
    const call = runWrapper(rig, 'codex');
    const fake = await rig.call();
    await fake.spawn(['sh', '-c', `${script(sleeps(n))}\nwait`]);
    await until(() => isOfNobody(sleeping(sleeps(n))));
    void fake.tell(...answerWith('codex', 'done'));
    const { record } = await call.ended();
    assert.equal([record.ending, sleeping(sleeps(n))], ['exited', null]);
    assert.not.ok(record.warnings.some((warning) => warning.includes('could not be ended')));
    assert.is(groupOf(record.call_id), null);
  });

asRoot('one that a stranger has started is spared, whatever it bears', async ({ rig }) => {
  const call = runWrapper(rig, 'codex');
  const fake = await rig.call();
  const stranger = spawn('setpriv', ['--reuid=65534', '--clear-groups', 'sleep', sleeps(8)], {
    stdio: 'ignore',
    env: { ...process.env, TOLLGATE_CALL_ID: markerOf(fake) },
  });
  strangers.push(stranger);
  await until(() => isOfNobody(sleeping(sleeps(8))));
  void fake.tell(...answerWith('codex', 'done'));
  await call.ended();
  assert.is(sleeping(sleeps(8)), stranger.pid);
});

inGroup('a sweep ends what a killed guardian left in the group, and removes the group', async ({ rig }) => {
  const call = runWrapper(rig, 'codex');
  const fake = await rig.call();
  await fake.spawn(['sh', '-c', `(setsid env -i PATH=/usr/bin:/bin ${AS_NOBODY} sleep ${sleeps(9)} &)`]);
  await until(() => isOfNobody(sleeping(sleeps(9))));
  const callId = markerOf(fake);
  assert.ok(groupOf(callId));
  process.kill(call.running.pid, 'SIGKILL');
  process.kill(fake.report.pid, 'SIGKILL');
  await call.running.result;
  const { stdout } = await rig.run('preflight', ['--sweep', '--now']);
  assert.match(stdout, '1 process was ended');
  assert.equal([sleeping(sleeps(9)), groupOf(callId)], [null, null]);
});

const markerOf = (fake: FakeCall): string =>
  /^TOLLGATE_CALL_ID=(.*)$/m.exec(readFileSync(`/proc/${fake.report.pid}/environ`, 'utf8').replaceAll('\0', '\n'))![1]!;

/** That of the call below our own group; null where there is none. */
const groupOf = (callId: string): string | null => {
  const home = ownGroup()?.group;
  const folder = home == null ? null : path.join(home, `tollgate-${callId}`);
  return folder !== null && existsSync(folder) ? (findGroup(callId) ?? folder) : null;
};

/** The number of the `sleep` that sleeps so long. */
function sleeping(seconds: string): number | null {
  for (const pid of readdirSync('/proc').filter((name) => Number(name) > 0))
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${seconds}\0`) return Number(pid);
    } catch {
      // It has just ended.
    }
  return null;
}

const isOfNobody = (pid: number | null): boolean =>
  pid !== null && /^Uid:\t65534/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

async function until(come: () => boolean): Promise<void> {
  await waitWhile(() => !come());
}

test.run();
