// What preflight says of a kernel's walls around a call: a row for each kind of machine.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeEscapes } from '../../wrappers/kernel-walls.ts';

const SPACES = { '/proc/sys/user/max_user_namespaces': '96365', '/proc/sys/user/max_pid_namespaces': '96365' };
const GROUP = { '/proc/self/cgroup': '1:name=x:/\n0::/user.slice' };
const DEBIAN = { '/proc/sys/kernel/unprivileged_userns_clone': '0' };
const UBUNTU = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' };

const ROWS: [what: string, files: Record<string, string>, uid: number, writable: boolean, offers: RegExp][] = [
  ['namespaces for anybody', SPACES, 1000, false, /^a PID namespace; a run that lets nothing out: unshare /],
  [
    'both',
    { ...SPACES, ...GROUP },
    1000,
    true,
    /^a PID namespace, cgroup\.kill in \/sys\/fs\/cgroup\/user\.slice; a run/,
  ],
  ['namespaces for root alone', { ...SPACES, ...DEBIAN }, 1000, false, /offers neither/],
  [
    'the same, asked by root',
    { ...SPACES, ...DEBIAN },
    0,
    false,
    /^a PID namespace; a run that lets nothing out: unshare /,
  ],
  ['namespaces that AppArmor restricts', { ...SPACES, ...UBUNTU }, 1000, false, /offers neither/],
  ['a limit of none', { ...SPACES, '/proc/sys/user/max_pid_namespaces': '0' }, 0, false, /offers neither/],
  ['a cgroup of our own', GROUP, 1000, true, /offers cgroup\.kill in \/sys\/fs\/cgroup\/user\.slice$/],
  ['a cgroup that others own', GROUP, 1000, false, /offers neither/],
  ['cgroups of the first kind', { '/proc/self/cgroup': '8:pids:/' }, 0, true, /offers neither/],
];
for (const [what, files, uid, writable, offers] of ROWS)
  test(what, () => {
    const kernel = { platform: 'linux' as const, uid, read: (file: string) => files[file] ?? null };
    const answer = judgeEscapes({ ...kernel, canWrite: () => writable });
    assert.is(answer?.fix === null, answer?.status === 'ok');
    assert.match(answer!.found, offers);
  });

test('elsewhere than on Linux there is none', () => {
  const answer = judgeEscapes({ platform: 'darwin', uid: 501, read: () => null, canWrite: () => true });
  assert.match(answer!.found, /this system offers nothing against it$/);
});

test.run();
