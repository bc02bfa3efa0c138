// tollgate archive: puts tasks that have ended out of the way, or deletes them.

import path from 'node:path';
import { type Put, putAway } from '../../loops/archive/archive.ts';
import { type Candidate, chooseTasks } from '../../loops/archive/candidates.ts';
import { wholeDuration } from '../../policies/duration.ts';
import { TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { projectState } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { type Ran, readArguments } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { refusalWithin } from './within-call.ts';

const DEFAULT_AGE = '30d';

const SPEC: CommandSpec = {
  name: 'tollgate archive',
  usage: '[TASK…] [options]',
  about:
    'Moves tasks that have ended to .tmp/archive: those that are named, or all in which nothing happened for a while. A task that somebody is at work on stays.',
  flags: {
    'older-than': {
      takes: 'text',
      about: `only tasks in which nothing happened for this long, such as 7d (${DEFAULT_AGE} where no task is named)`,
    },
    'drop-attempts': { takes: 'nothing', about: 'without state/attempts, the unredacted output of the CLIs' },
    delete: { takes: 'nothing', about: 'delete them for good; with named tasks or --older-than only' },
    'dry-run': { takes: 'nothing', about: 'say what would be done, and do nothing' },
  },
  words: { min: 0, max: Number.POSITIVE_INFINITY, called: 'TASK' },
  examples: [
    ['tollgate archive --dry-run', 'which tasks have rested for 30 days?'],
    ['tollgate archive fix-login', 'this one, however new'],
    ['tollgate archive --older-than 90d --delete', 'for good'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'done, though there may have been nothing to do'],
    [TOLLGATE_EXIT.failure, 'a task that was named, or that could not be moved, was left; the reason is told'],
    [TOLLGATE_EXIT.badInput, 'usage, no such task, or called from within a call; nothing was done'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const dry = given.has('dry-run');
  const refusal = dry ? null : refusalWithin(process.env, 'put a task away');
  if (refusal !== null) return mistaken(refusal);
  const age = text['older-than'] ?? (words.length === 0 ? DEFAULT_AGE : null);
  const ageMs = age === null ? null : wholeDuration(age);
  if (age !== null && ageMs === null) return mistaken(`--older-than takes a duration such as 7d, not "${age}"`);
  if (given.has('delete') && words.length === 0 && text['older-than'] === undefined)
    return mistaken('--delete is for good: name the tasks, or say --older-than DURATION with it');
  const clock = () => new Date();
  const before = ageMs === null ? null : new Date(Math.max(0, clock().getTime() - ageMs));
  const wanted = { words, before, cwd: process.cwd(), environment: process.env };
  const chosen = await chooseTasks(wanted, (await identify(process.pid))!);
  if (chosen.how === 'mistaken') return mistaken(chosen.message);
  const done: Put[] = [];
  for (const candidate of chosen.candidates) done.push(dry ? would(candidate) : await put(candidate, given));
  const kept: Put[] = chosen.left.map((left) => ({ how: 'left', ...left }));
  // That a task is at work is no failure of a sweep over all of them.
  const failed = (words.length === 0 ? done : [...done, ...kept]).some(({ how }) => how === 'left');
  return { exit: failed ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok, ...answer([...done, ...kept], read.args) };
}

const would = ({ task }: Candidate): Put => ({ how: 'put', task_id: task.id, from: task.root, to: null });

const put = (candidate: Candidate, given: Arguments['given']): Promise<Put> =>
  putAway(candidate, {
    archive: path.join(projectState(process.cwd(), process.env), 'archive'),
    what: given.has('delete') ? 'delete' : 'archive',
    attempts: given.has('drop-attempts') ? 'drop' : 'keep',
    clock: () => new Date(),
  });

function answer(done: readonly Put[], { given }: Arguments): Omit<Ran, 'exit'> {
  const moved = done.filter((one) => one.how === 'put');
  const left = done.filter((one) => one.how === 'left');
  const act = given.has('delete') ? 'deleted' : 'archived';
  const dry_run = given.has('dry-run');
  if (given.has('json')) {
    const tasks = moved.map(({ task_id, from, to }) => ({ task_id, from, to }));
    const report = {
      schema: 1,
      dry_run,
      archived: act === 'archived' ? tasks : [],
      deleted: act === 'deleted' ? tasks : [],
      left: left.map(({ task_id, why }) => ({ task_id, why })),
    };
    return { out: `${JSON.stringify(report)}\n` };
  }
  const lines = moved.map(
    ({ task_id, to }) => `${dry_run ? 'would be ' : ''}${act}: ${task_id}${to === null ? '' : ` → ${to}`}`,
  );
  const total = `${moved.length} ${moved.length === 1 ? 'task' : 'tasks'} ${dry_run ? 'would be ' : ''}${act}`;
  const out = given.has('quiet') ? {} : { out: `${[...lines, total].join('\n')}\n` };
  return { ...out, err: left.map(({ task_id, why }) => `tollgate archive: ${task_id} stays: ${why}\n`).join('') };
}

const mistaken = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate archive: ${message}\n` });
