// Resolves the arguments of wait_parallel_tasks: calls by their files, and tasks by their folders.

import { statSync } from 'node:fs';
import path from 'node:path';
import { readLiving } from '../loops/wait/living-processes.ts';
import { awaitCall, type NamedCall } from '../loops/wait/named-call.ts';
import type { Awaited } from '../loops/wait/outcome.ts';
import { locateTask } from '../state/task-folder.ts';
import type { Arguments } from './command-line.ts';

const FAMILY = /^task-(\d{1,9})-(done|pid|out|label)$/;

export const FAMILIES = [
  {
    match: /^task-\d{1,9}-done$/,
    shown: '--task-N-done',
    about: 'the marker that a wrapper writes last (--done-marker)',
  },
  { match: /^task-\d{1,9}-pid$/, shown: '--task-N-pid', about: 'its process: a number, or the file of --pid-file' },
  { match: /^task-\d{1,9}-out$/, shown: '--task-N-out', about: 'its answer, for --min-lines' },
  { match: /^task-\d{1,9}-label$/, shown: '--task-N-label', about: 'its name in what is printed' },
] as const;

type Targets = { how: 'read'; awaited: Awaited[] } | { how: 'invalid'; message: string };

const PARTS = ['done', 'pid', 'out', 'label'] as const;
type Part = (typeof PARTS)[number];

export async function readTargets(args: Arguments, cwd: string, environment: NodeJS.ProcessEnv): Promise<Targets> {
  const calls = [...partsByNumber(args.text)].sort(([a], [b]) => a - b);
  const total = calls.length + args.words.length;
  if (total === 0) return invalid('no task is named: give --task-1-done FILE, --task-1-pid PID, or a task folder');
  const labels = args.texts.label ?? [];
  if (labels.length > total)
    return invalid(`--label is given ${labels.length} times, and there are fewer tasks: ${total}`);
  const minLines = args.number['min-lines'] ?? null;
  if (minLines !== null && !calls.some(([, parts]) => parts.out !== undefined))
    return invalid('--min-lines needs a --task-N-out to count the lines of');

  const earlier = args.given.has('fresh') ? 'never_counts' : 'counts';
  const living = readLiving();
  const awaited: Awaited[] = [];
  for (const [number, parts] of calls) {
    const call = callOf(number, parts, labels[awaited.length] ?? `task ${number}`, { minLines, earlier });
    if (typeof call === 'string') return invalid(call);
    awaited.push(awaitCall(call, living));
  }
  if (args.words.length === 0) return { how: 'read', awaited };

  // The journal's reader is loaded only for a command that waits for tasks.
  const { awaitTask } = await import('../loops/wait/task-run.ts');
  const { identify } = await import('../wrappers/processes/identity.ts');
  const self = (await identify(process.pid))!;
  for (const word of args.words) {
    const folder = folderOf(word, cwd, environment);
    if (folder.how === 'invalid') return folder;
    awaited.push(awaitTask(folder.root, labels[awaited.length] ?? path.basename(folder.root), self, earlier, living));
  }
  return { how: 'read', awaited };
}

const invalid = (message: string) => ({ how: 'invalid', message }) as const;

function partsByNumber(text: Arguments['text']): Map<number, Partial<Record<Part, string>>> {
  const calls = new Map<number, Partial<Record<Part, string>>>();
  for (const [flag, value] of Object.entries(text)) {
    const family = FAMILY.exec(flag);
    if (family === null || value === undefined) continue;
    const number = Number(family[1]);
    const parts = calls.get(number) ?? {};
    parts[family[2] as Part] = value;
    calls.set(number, parts);
  }
  return calls;
}

function callOf(
  number: number,
  parts: Partial<Record<Part, string>>,
  name: string,
  { minLines, earlier }: Pick<NamedCall, 'minLines' | 'earlier'>,
): NamedCall | string {
  const { done, pid, out, label } = parts;
  const empty = PARTS.find((part) => parts[part] === '');
  if (empty !== undefined) return `--task-${number}-${empty} needs a value`;
  if (done === undefined && pid === undefined)
    return `task ${number} cannot be waited for: give --task-${number}-done or --task-${number}-pid`;
  const isNumber = pid !== undefined && /^-?\d+$/.test(pid);
  if (isNumber && !(Number(pid) > 0 && Number(pid) < 2 ** 31))
    return `--task-${number}-pid takes a process number from 1, or a file, not "${pid}"`;
  return {
    label: label ?? name,
    done: done ?? null,
    pid: pid === undefined ? null : isNumber ? { number: Number(pid) } : { file: pid },
    out: out ?? null,
    minLines,
    earlier,
  };
}

type FolderRead = { how: 'read'; root: string } | { how: 'invalid'; message: string };

/** No user should wait an hour for a word that means something else, or nothing. */
function folderOf(word: string, cwd: string, environment: NodeJS.ProcessEnv): FolderRead {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'invalid') return located;
  const { root } = located.folder;
  const kind = kindOf(root);
  if (kind === 'file') return invalid(`${root} is a file, not a task's folder`);
  if (kind === 'nothing' && !word.includes('/') && kindOf(path.resolve(cwd, word)) === 'folder')
    return invalid(`"${word}" would be the task ${root}; for the folder here write ./${word}`);
  if (kind === 'nothing')
    return invalid(
      `there is no task at ${root}; name one that exists (tollgate report lists them), or make it (tollgate init)`,
    );
  return { how: 'read', root };
}

function kindOf(file: string): 'folder' | 'file' | 'nothing' {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'nothing' : found.isDirectory() ? 'folder' : 'file';
}
