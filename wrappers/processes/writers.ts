// Whether somebody may still write to a file: a CLI may have handed its output on to whoever was running already.

import { spawnSync } from 'node:child_process';

/** Linux gives a lease to read a file only while nobody at all has it open for writing. Node cannot ask for one, and perl can. */
const ASK = "open(F, '<', '/proc/self/fd/0') && fcntl(F, 1024, 0) or exit 1";
const PERL = '/usr/bin/perl';

/** true also where nobody can tell: without Linux or perl, and of a file of somebody else's. @param fd open for reading */
export function mayBeWritten(fd: number): boolean {
  if (process.platform !== 'linux') return true;
  return spawnSync(PERL, ['-e', ASK], { stdio: [fd, 'ignore', 'ignore'], env: {}, timeout: 1000 }).status !== 0;
}
