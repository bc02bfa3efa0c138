// Builds the library that breaks one of our commands from within, and says how it is told what to break.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

export interface Fault {
  /** The script that is meant, such as `run_codex.cjs`, or several with commas between them; every other process is left alone. */
  in: string;
  /** Only calls on this folder, on what lies in it, or on descriptors of such are counted. Absolute, without links. */
  under?: string;
  /** The first call that it happens to, from 1. */
  at?: number;
  /** How many calls it happens to; 0 is all from `at` on. One unless told. */
  times?: number;
  /** An error happens only to calls that can give it: the others pass. SHORT writes half of the bytes, and then the disk is full; EIO_READ is every read from a descriptor, whatever `at` says. */
  does?: 'KILL' | 'KILL_AFTER' | 'ENOSPC' | 'EDQUOT' | 'EIO' | 'EMFILE' | 'EROFS' | 'EACCES' | 'SHORT' | 'EIO_READ';
  /** Takes a line `n name path` for each call that was counted. Not below `under`. */
  log?: string;
  clockSeconds?: number;
  /** What statfs(2) says of every file system, such as 0x6969 for NFS. */
  statfs?: number;
}

const SOURCE = path.join(import.meta.dirname, 'faults.c');

/** The library's path, built once for each version of its source; null where it cannot be built: then say SKIPPED. */
export function faultShim(): string | null {
  if (process.platform !== 'linux') return null;
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  // The loader takes a space or a colon for the end of a name.
  const place = /[\s:]/.test(tmpdir()) ? '/tmp' : tmpdir();
  const folder = path.join(place, `tollgate-faults-${userInfo().uid}`);
  const library = path.join(folder, `faults-${hash}.so`);
  if (existsSync(library)) return library;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Several test files may build it at once.
  const fresh = `${library}.${process.pid}`;
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-w', '-o', fresh, SOURCE, '-ldl'], { encoding: 'utf8' });
  if (built.error !== undefined) return null;
  if (built.status !== 0) throw new Error(`${SOURCE} could not be built: ${built.stderr}`);
  renameSync(fresh, library);
  return library;
}

/** The environment that has it happen; empty where there is no library. */
export function faultEnv(fault: Fault): Record<string, string> {
  const library = faultShim();
  if (library === null) return {};
  const { in: script, under, at, times, does, log, clockSeconds, statfs } = fault;
  const told = {
    LD_PRELOAD: library,
    FAULT_IN: script,
    FAULT_UNDER: under,
    FAULT_AT: at,
    FAULT_TIMES: times,
    FAULT_DO: does,
    FAULT_LOG: log,
    FAULT_CLOCK: clockSeconds,
    FAULT_STATFS: statfs?.toString(16),
  };
  return Object.fromEntries(
    Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
