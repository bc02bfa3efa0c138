// Processes that fork and go, over and over, so that whoever was listed is gone by the time that it is signalled.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endTree } from '../../../wrappers/processes/end-tree.ts';
import { identifyChild } from '../../../wrappers/processes/identity.ts';
import { nowMs } from '../../../wrappers/steady-clock.ts';

/**
 * Every generation has the first one's stdout, so that its end tells that all are gone. They continue for 10 s, or as long
 * as their script is there; a breath between two keeps the machine from filling up with their zombies.
 */
const RACER = `
use POSIX ();
$SIG{TERM} = $SIG{INT} = $SIG{HUP} = 'IGNORE';
my ($how, $end, $generation) = ($ARGV[0], time + 10, 0);
while (time < $end && -e $0) {
  my $child = fork;
  next if !defined $child;
  POSIX::_exit(0) if $child;
  POSIX::setpgid(0, 0) if $how eq 'group';
  POSIX::setsid() if $how eq 'session';
  syswrite STDOUT, 'on ' if ++$generation == 20;
  select undef, undef, undef, 0.001;
}
syswrite STDOUT, 'never caught ';
`;

const test = suite<{ folder: string; marker: string }>('racers');
test.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'racers-'));
  context.marker = `${process.pid}/${path.basename(context.folder)}`;
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const hasPerl = spawnSync('perl', ['-MPOSIX', '-e', '1']).status === 0;
if (!hasPerl) console.log('SKIPPED: no perl here, and nothing else forks fast enough to race with');
const withPerl = hasPerl && process.platform === 'linux' ? test : test.skip;

const RACES: readonly [where: string, how: string][] = [
  ['the root’s group', 'stay'],
  ['a group of its own', 'group'],
  ['a session of its own', 'session'],
];
for (const [where, how] of RACES)
  withPerl(`three racers, each successor in ${where}, are all caught`, async ({ folder, marker }) => {
    const script = path.join(folder, 'racer.pl');
    writeFileSync(script, RACER);
    const child = spawn('/bin/sh', ['-c', `for i in 1 2 3; do perl "$0" ${how} & done; wait`, script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, TOLLGATE_CALL_ID: marker },
    });
    const sinceMs = nowMs();
    const startTime = (await identifyChild(child.pid!))!.start_time;
    let said = '';
    const ended = once(child.stdout, 'end');
    const racing = new Promise<void>((resolve) => {
      child.stdout.on('data', (piece) => {
        said += piece;
        if (said === 'on on on ') resolve();
      });
    });
    await racing;
    const { survivors } = await endTree({ root: { pid: child.pid!, startTime, sinceMs, ours: 'child' }, marker }, 100);
    await ended;
    assert.equal([said, survivors], ['on on on ', []]);
  });

test.run();
