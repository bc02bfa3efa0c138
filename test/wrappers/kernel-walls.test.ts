// What preflight says of a kernel's walls around a call: a row for each kind of machine.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeEscapes } from '../../wrappers/kernel-walls.ts';

const SPACES = { '/proc/sys/user/max_user_namespaces': '96365', '/proc/sys/user/max_pid_namespaces': '96365' };
const MOUNT = '/proc/self/mountinfo';
const GROUP = {
  '/proc/self/cgroup': '1:name=x:/\n0::/user.slice',
  [MOUNT]: '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw',
};
const DEBIAN = { '/proc/sys/kernel/unprivileged_userns_clone': '0' };
const UBUNTU = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' };

const ROWS: [what: string, files: Record<string, string>, uid: number, writable: boolean, offers: RegExp][] = [
  [
    'namespaces for anybody',
    SPACES,
    1000,
    false,
    /^this user cannot create a cgroup .*; to contain a whole run: unshare /,
  ],
  [
    'both',
    { ...SPACES, ...GROUP },
    1000,
    true,
    /^each call runs in its own cgroup below \/sys\/fs\/cgroup\/user\.slice, .*; to contain/,
  ],
  [
    'namespaces for root alone',
    { ...SPACES, ...DEBIAN },
    1000,
    false,
    /survives its call; this user cannot create a cgroup/,
  ],
  ['the same, asked by root', { ...SPACES, ...DEBIAN }, 0, false, /^this user .*; to contain a whole run: unshare /],
  ['namespaces that AppArmor restricts', { ...SPACES, ...UBUNTU }, 1000, false, /survives its call/],
  ['a limit of none', { ...SPACES, '/proc/sys/user/max_pid_namespaces': '0' }, 0, false, /and no PID namespace$/],
  [
    'a cgroup of our own',
    GROUP,
    1000,
    true,
    /^each call runs in its own cgroup below \/sys\/fs\/cgroup\/user\.slice, which ends/,
  ],
  ['a cgroup that others own', GROUP, 1000, false, /this user cannot create a cgroup/],
  ['cgroups of the first kind', { '/proc/self/cgroup': '8:pids:/' }, 0, true, /this user cannot create a cgroup/],
  [
    'a mount of another name, as beside cgroups of the first kind',
    { ...GROUP, [MOUNT]: '30 23 0:26 / /a\\040b/unified rw - cgroup2 cgroup2 rw' },
    0,
    true,
    /^each call runs in its own cgroup below \/a b\/unified\/user\.slice,/,
  ],
  [
    'a container that sees a part of them',
    { '/proc/self/cgroup': '0::/docker/1/sub', [MOUNT]: '30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 none rw' },
    0,
    true,
    /^each call runs in its own cgroup below \/sys\/fs\/cgroup\/sub,/,
  ],
  [
    'a mount that does not show our own',
    { '/proc/self/cgroup': '0::/other', [MOUNT]: '30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 none rw' },
    0,
    true,
    /this user cannot create a cgroup/,
  ],
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
  assert.match(answer!.found, /this system offers no protection against that$/);
});

test.run();
