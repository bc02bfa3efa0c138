// Builds the library that causes faults inside a command, and sets the variables that select the fault.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

export interface Fault {
  /** The affected script, such as `run_codex.cjs`, or several separated by commas; every other process is not affected. */
  in: string;
  /** Counts only calls on this folder, on its contents, or on descriptors of them. An absolute path without links. */
  under?: string;
  /** The first affected call, from 1. */
  at?: number;
  /** The number of affected calls; 0 is all from `at` on. The default is one. */
  times?: number;
  /**
   * An error affects only calls that can return it; the others succeed.
   * SHORT writes half of the bytes, and then the disk is full. EIO_READ affects every read from a descriptor, whatever `at` is.
   */
  does?: 'KILL' | 'KILL_AFTER' | 'ENOSPC' | 'EDQUOT' | 'EIO' | 'EMFILE' | 'EROFS' | 'EACCES' | 'SHORT' | 'EIO_READ';
  /** Receives a line `n name path` for each counted call. Must not be below `under`. */
  log?: string;
  clockSeconds?: number;
  /** The type that statfs(2) reports for every file system, such as 0x6969 for NFS. */
  statfs?: number;
}

const SOURCE = path.join(import.meta.dirname, 'faults.c');

/**
 * Returns the library's path, built once for each version of its source.
 * @returns null if it cannot be built; the caller then prints SKIPPED.
 */
export function faultShim(): string | null {
  if (process.platform !== 'linux') return null;
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  // The loader treats a space or a colon as the end of a name.
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

/** The environment that causes the fault; empty if there is no library. */
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
