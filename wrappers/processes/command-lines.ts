// Reads the command lines of running processes: finds those that were started for a task and have not registered yet.

import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { tried } from '../../policies/text/tried.ts';
import { readProc } from './linux.ts';

export interface CommandLine {
  pid: number;
  argv: readonly string[];
  /** The folder to which relative names in `argv` refer; null if it is not known. */
  cwd: string | null;
}

/** The readable processes, without this one, whose command line contains one of these words. */
export function commandLinesWith(words: readonly string[]): CommandLine[] {
  const lines = process.platform === 'linux' ? fromProc(words) : fromPs(words);
  return lines.filter(({ pid }) => pid !== process.pid);
}

function fromProc(words: readonly string[]): CommandLine[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const bytes = readProc(`/proc/${name}/cmdline`, LONGEST);
    if (bytes === null || !words.some((word) => bytes.includes(word))) return [];
    return [{ pid: Number(name), argv: bytes.toString('utf8').split('\0'), cwd: cwdOf(name) }];
  });
}

/** The rest of a longer command line is not read. */
const LONGEST = 64 * 1024;

/** @returns null for a process that is gone or belongs to another user. */
const cwdOf = (pid: string): string | null => tried(() => readlinkSync(`/proc/${pid}/cwd`));

/** ps joins the arguments with spaces and does not report the folder. So a name that contains a space is not recognised. */
function fromPs(words: readonly string[]): CommandLine[] {
  try {
    const text = execFileSync('ps', ['-axwwo', 'pid=,command='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parseCommandLines(text).filter(({ argv }) => words.some((word) => argv.join(' ').includes(word)));
  } catch {
    return [];
  }
}

/** Parses lines such as `  501 node /bin/gemini_headless --done-marker a.done`. */
function parseCommandLines(text: string): CommandLine[] {
  return [...text.matchAll(/^\s*(\d+)\s+(.+)$/gm)].map(([, pid, command]) => ({
    pid: Number(pid),
    argv: command!.trim().split(/\s+/),
    cwd: null,
  }));
}
