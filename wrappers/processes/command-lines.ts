// The command lines of the processes that run now: who was started for something and has not said so yet.

import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { readProc } from './linux.ts';

export interface CommandLine {
  pid: number;
  argv: readonly string[];
  /** Where relative names in it begin; null where that cannot be told. */
  cwd: string | null;
}

/** Of all processes that we may read, but our own, those with one of these words in their command line. */
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

/** What lies behind it in a command line is not looked at. */
const LONGEST = 64 * 1024;

/** null for a process that is gone, or another user's. */
function cwdOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** ps joins the words by spaces and tells no folder: a name with a space in it is not recognised there. */
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

/** Lines such as `  501 node /bin/gemini_headless --done-marker a.done`. */
function parseCommandLines(text: string): CommandLine[] {
  return [...text.matchAll(/^\s*(\d+)\s+(.+)$/gm)].map(([, pid, command]) => ({
    pid: Number(pid),
    argv: command!.trim().split(/\s+/),
    cwd: null,
  }));
}
