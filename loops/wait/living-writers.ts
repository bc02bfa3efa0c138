// Living processes that were started to make what is waited for: wrappers and runs that may not have begun yet.

import path from 'node:path';
import { locateTask } from '../../state/task-folder.ts';
import { type CommandLine, commandLinesWith } from '../../wrappers/processes/command-lines.ts';
import { realPlace } from '../attempt/output-paths.ts';

/** The processes whose command line names the file as one that they write. */
export const writersOf = (file: string): readonly number[] => living().writers.get(realPlace(file)) ?? [];

/** The processes that run the task, or a batch with it. */
export const runsOf = (root: string): readonly number[] => living().runs.get(root) ?? [];

/** Between fork and exec a command line is still the shell's: what was there before a wait is looked at again for so long. */
export const STARTING_MS = 150;

interface Living {
  at: number;
  writers: Map<string, number[]>;
  runs: Map<string, number[]>;
}

let seen: Living | null = null;

/** Many are looked at in one go, and the process table is the same for all of them. */
const GOOD_FOR_MS = 50;

function living(): Living {
  const at = performance.now();
  if (seen !== null && at - seen.at < GOOD_FOR_MS) return seen;
  const lines = commandLinesWith([...FLAGS, 'tollgate']);
  seen = { at, writers: byName(lines, filesIn), runs: byName(lines, tasksIn) };
  return seen;
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

/** `tollgate run TASK`, however node was told to start it. */
function tasksIn({ argv, cwd }: CommandLine): string[] {
  const at = argv.findIndex(
    (word, i) => /(?:^|\/)tollgate(?:\.cjs)?$/.test(word) && RUNNING.includes(argv[i + 1] ?? ''),
  );
  if (at === -1) return [];
  return argv.slice(at + 2).flatMap((word) => {
    if (word === '' || word.startsWith('-')) return [];
    const located = locateTask(word, cwd ?? process.cwd(), process.env);
    return located.how === 'located' ? [located.folder.root] : [];
  });
}
