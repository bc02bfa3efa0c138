// Finds living processes that will write the awaited files, and checks whether a process still runs.

import { uptime } from 'node:os';
import path from 'node:path';
import { tried } from '../../policies/text/tried.ts';
import { locateTask } from '../../state/task-folder.ts';
import { type CommandLine, commandLinesWith } from '../../wrappers/processes/command-lines.ts';
import { readRow } from '../../wrappers/processes/linux.ts';
import { realPlace } from '../attempt/output-paths.ts';

export interface LivingProcesses {
  /** The processes whose command line names the file as one that they write. */
  writersOf(file: string): readonly number[];
  /** The processes that run the task, or a batch with it. */
  runsOf(root: string): readonly number[];
}

/** Between fork and exec a command line is still the shell's, so what was there before a wait is looked at again for so long. */
export const STARTING_MS = 150;

/** One wait looks at many files at once, and they share one reading of the process table. */
const GOOD_FOR_MS = 50;

export function readLiving(): LivingProcesses {
  let seen = { at: Number.NEGATIVE_INFINITY, writers: new Map<string, number[]>(), runs: new Map<string, number[]>() };
  function living() {
    const at = performance.now();
    if (at - seen.at >= GOOD_FOR_MS) {
      const lines = commandLinesWith([...FLAGS, 'tollgate']);
      seen = { at, writers: byName(lines, filesIn), runs: byName(lines, tasksIn) };
    }
    return seen;
  }
  return {
    writersOf: (file) => living().writers.get(realPlace(file)) ?? [],
    runsOf: (root) => living().runs.get(root) ?? [],
  };
}

function byName(lines: readonly CommandLine[], namesIn: (line: CommandLine) => string[]): Map<string, number[]> {
  const named = new Map<string, number[]>();
  for (const line of lines) for (const name of namesIn(line)) named.set(name, [...(named.get(name) ?? []), line.pid]);
  return named;
}

const FLAGS = ['--done-marker', '--pid-file'];

/** `--flag value` and `--flag=value`. */
function filesIn({ argv, cwd }: CommandLine): string[] {
  return argv.flatMap((word, i) => {
    const flag = FLAGS.find((name) => word === name || word.startsWith(`${name}=`));
    const value = flag === undefined ? '' : word === flag ? argv[i + 1] : word.slice(flag.length + 1);
    return value && (cwd !== null || path.isAbsolute(value)) ? [realPlace(path.resolve(cwd ?? '/', value))] : [];
  });
}

const RUNNING = ['run', 'batch'];

/** `tollgate run TASK`, in every form in which node can start it. */
function tasksIn({ argv, cwd }: CommandLine): string[] {
  const at = argv.findIndex(
    (word, i) => /(?:^|\/)tollgate(?:\.cjs)?$/.test(word) && RUNNING.includes(argv[i + 1] ?? ''),
  );
  if (at === -1) return [];
  return argv.slice(at + 2).flatMap((word) => {
    if (word === '' || word.startsWith('-')) return [];
    const located = locateTask(word, cwd ?? process.cwd(), process.env);
    return located.how === 'found' ? [located.folder.root] : [];
  });
}

/** The system sends no event when a process ends, so its state is checked repeatedly. */
export interface ProcessLife {
  pid: number;
  ended(): boolean;
  /** By the wall clock, to about a hundredth of a second; null where this is unknown, or when it has ended. */
  startedAtMs(): number | null;
}

/** @param startTime of the process; without one, the process that has the number now. */
export function watchProcess(pid: number, startTime: string | null = null): ProcessLife {
  let known = startTime;
  return {
    pid,
    startedAtMs() {
      const row = process.platform === 'linux' ? rowNow(pid) : null;
      return row === null ? null : Date.now() - uptime() * 1000 + Number(row.startTime) * TICK_MS;
    },
    ended() {
      if (!answersSignals(pid)) return true;
      const row = process.platform === 'linux' ? rowNow(pid) : null;
      if (row === null) return false;
      // A zombie has ended. Its parent may be the process that waits for us.
      known ??= row.startTime;
      return row.zombie || row.startTime !== known;
    },
  };
}

/** The kernel counts start times since the boot in hundredths of a second. */
const TICK_MS = 10;

/** null too when no more files can be opened: the next look tries again. */
const rowNow = (pid: number): ReturnType<typeof readRow> => tried(() => readRow(pid));

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
