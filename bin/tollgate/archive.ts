// Implements tollgate archive: moves ended tasks out of the way, or deletes them.

import path from 'node:path';
import { launcherIn } from '../../loops/launcher.ts';
import {
  chooseTasks,
  leftWorktree,
  oldBatches,
  putAway,
  putBatchAway,
  restoreTask,
} from '../../loops/report/archive.ts';
import { wholeDuration } from '../../policies/facts/duration.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { counted } from '../../policies/text/display.ts';
import { checkTaskId, projectState } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { readArguments } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { sheetOf } from '../sheet.ts';
import { comparisonOf, rowNames } from './task-cells.ts';

const DEFAULT_AGE = '30d';

const SPEC: CommandSpec = {
  name: 'tollgate archive',
  usage: '[TASK…] [options]',
  about:
    'Moves ended tasks to .tmp/archive, and back: the named tasks, or all tasks without activity for a while, with the reports of batches of the same age. Running tasks and worktrees stay where they are.',
  flags: {
    'older-than': {
      takes: 'text',
      about: `only tasks without activity for this long, such as 7d (${DEFAULT_AGE} if no task is named)`,
    },
    'drop-attempts': {
      takes: 'nothing',
      about: 'without state/attempts, the private files of each call',
    },
    delete: { takes: 'nothing', about: 'delete them; requires named tasks or --older-than' },
    restore: { takes: 'nothing', about: 'restore the named tasks, each from its newest archive' },
    'dry-run': { takes: 'nothing', about: 'show what would be done, and change nothing' },
  },
  words: { min: 0, max: Number.POSITIVE_INFINITY, called: 'TASK' },
  examples: [
    ['tollgate archive --dry-run', 'tasks without activity for 30 days'],
    ['tollgate archive fix-login', 'this one, however new'],
    ['tollgate archive --restore fix-login', 'back among the tasks'],
    ['tollgate archive --older-than 90d --delete', 'delete them for ever'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'done, though there may have been nothing to do'],
    [
      TOLLGATE_EXIT.failure,
      'a named task, or a task that could not be moved, stays where it is; the reason is printed',
    ],
    [TOLLGATE_EXIT.badInput, 'usage, no such task, or called from within a call; nothing was done'],
  ],
};

type Done = Awaited<ReturnType<typeof putAway>> & { worktree: ReturnType<typeof leftWorktree> };

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  const dry = given.has('dry-run');
  if (given.has('restore')) return restored(read.args);
  const age = text['older-than'] ?? (words.length === 0 ? DEFAULT_AGE : null);
  const ageMs = age === null ? null : wholeDuration(age);
  if (age !== null && ageMs === null) return invalid(`--older-than takes a duration such as 7d, not "${age}"`);
  if (given.has('delete') && words.length === 0 && text['older-than'] === undefined)
    return invalid('--delete is for good: name the tasks, or use --older-than DURATION with it');
  const clock = () => new Date();
  const before = ageMs === null ? null : new Date(Math.max(0, clock().getTime() - ageMs));
  const wanted = { words, before, cwd: process.cwd(), environment: process.env };
  const chosen = await chooseTasks(wanted, (await identify(process.pid))!);
  if (chosen.how === 'invalid') return invalid(chosen.message);
  const state = projectState(wanted.cwd, wanted.environment);
  const archiving: Parameters<typeof putAway>[1] = {
    archive: path.join(state, 'archive'),
    what: given.has('delete') ? 'delete' : 'archive',
    attempts: given.has('drop-attempts') ? 'drop' : 'keep',
    clock,
  };
  const done: Done[] = [];
  for (const candidate of chosen.candidates) {
    const worktree = leftWorktree(candidate.task, wanted.cwd, wanted.environment);
    done.push({ ...(dry ? would(candidate) : await putAway(candidate, archiving)), worktree });
  }
  const old = words.length > 0 || before === null ? [] : oldBatches(state, before);
  const batches = old.map((id) => (dry ? wouldBatch(id, state) : putBatchAway(id, state, archiving)));
  const kept: Done[] = chosen.kept.map((task) => ({ how: 'left', ...task, worktree: null }));
  // A task at work is not a failure of a sweep over all tasks.
  const failed = [...done, ...(words.length === 0 ? [] : kept), ...batches].some(({ how }) => how === 'left');
  return { exit: failed ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok, ...answer([...done, ...kept], batches, read.args) };
}

function restored({ text, given, words }: Arguments): Ran {
  const unfit = ['delete', 'drop-attempts', 'dry-run', 'older-than'].find((flag) => given.has(flag) || text[flag]);
  if (unfit !== undefined) return invalid(`--restore and --${unfit} contradict each other; leave one of them out`);
  if (words.length === 0) return invalid('--restore takes the ids of archived tasks');
  const mistake = words.map(checkTaskId).find((found) => found !== null);
  if (mistake !== undefined) return invalid(mistake);
  const tasks = path.join(projectState(process.cwd(), process.env), 'task');
  const done = words.map((id) => restoreTask(id, tasks));
  const back = done.filter((one) => one.how === 'put');
  const failed = done.filter((one) => one.how === 'left');
  const exit = failed.length > 0 ? TOLLGATE_EXIT.failure : TOLLGATE_EXIT.ok;
  if (given.has('json')) {
    const tasks = back.map(({ task_id, from, to }) => ({ task_id, from, to }));
    return { exit, out: `${JSON.stringify({ schema: 1, restored: tasks, left: failed })}\n` };
  }
  const lines = back.map(({ task_id, to }) => `restored: ${task_id} → ${to}\n`);
  return {
    exit,
    out: lines.join(''),
    err: failed.map(({ task_id, why }) => `${SPEC.name}: ${task_id}: ${why}\n`).join(''),
  };
}

const would = ({ task }: Parameters<typeof putAway>[0]): Awaited<ReturnType<typeof putAway>> => ({
  how: 'put',
  task_id: task.id,
  from: task.root,
  to: null,
});

const wouldBatch = (batch_id: string, state: string): ReturnType<typeof putBatchAway> => ({
  how: 'put',
  batch_id,
  from: path.join(state, 'batch', batch_id),
  to: null,
});

function answer(done: readonly Done[], batches: readonly ReturnType<typeof putBatchAway>[], { given }: Arguments) {
  const moved = done.filter((one) => one.how === 'put');
  const skipped = done.filter((one) => one.how === 'left');
  const reports = batches.filter((one) => one.how === 'put');
  const stuck = batches.filter((one) => one.how === 'left');
  const act = given.has('delete') ? 'deleted' : 'archived';
  const dry_run = given.has('dry-run');
  if (given.has('json')) {
    const tasks = moved.map(({ task_id, from, to, worktree }) => ({ task_id, from, to, worktree }));
    const report = {
      schema: 1,
      dry_run,
      archived: act === 'archived' ? tasks : [],
      deleted: act === 'deleted' ? tasks : [],
      batches: reports.map(({ batch_id, from, to }) => ({ batch_id, from, to })),
      left: [
        ...skipped.map(({ task_id, why }) => ({ task_id, why })),
        ...stuck.map(({ batch_id, why }) => ({ batch_id, why })),
      ],
    };
    return { out: `${JSON.stringify(report)}\n` };
  }
  const wouldBe = dry_run ? 'would be ' : '';
  const isTerminal = sheetOf(process.env).width !== null;
  const verb = isTerminal ? '  ' : `${wouldBe}${act}: `;
  const line = (what: string, to: string | null) => `${verb}${what}${to === null ? '' : ` → ${to}`}`;
  const lines = [
    ...(isTerminal && dry_run
      ? rowNames(moved.map(({ task_id }) => task_id)).map((name) => line(name, null))
      : moved.flatMap(({ task_id, to, worktree }) => [
          line(task_id, to),
          ...(isTerminal ? [] : worktreeLines(worktree)),
        ])),
    ...reports.map(({ batch_id, to }) => line(`the report of batch ${batch_id}`, to)),
    // On a terminal, the list of tasks stays short enough to read.
    ...(isTerminal ? stayingLines(moved) : []),
  ];
  const parts = [counted(moved.length, 'task'), ...(reports.length === 0 ? [] : [counted(reports.length, 'report')])];
  const total = `${parts.join(' and ')} ${wouldBe}${act}`;
  const isHeading = isTerminal && lines.length > 0;
  const out = `${(isHeading ? [`${total}:`, ...lines] : [...lines, total]).join('\n')}\n`;
  const stays = [
    ...skipped.map(({ task_id, why }) => `${task_id} stays: ${why}`),
    ...stuck.map(({ batch_id, why }) => `the report of batch ${batch_id} stays: ${why}`),
  ];
  return { out, err: stays.map((sentence) => `tollgate archive: ${sentence}\n`).join('') };
}

const worktreeLines = (worktree: ReturnType<typeof leftWorktree>): string[] =>
  worktree === null
    ? []
    : [
        `  its worktree stays: ${worktree.folder} on branch ${worktree.branch}; when its changes are taken:`,
        ...worktree.next_actions.map(({ command }) => `  ${command}`),
      ];

/** On a terminal, one command removes the worktrees of a comparison. */
function stayingLines(moved: readonly Pick<Done & { how: 'put' }, 'task_id' | 'worktree'>[]): string[] {
  const staying = moved.filter(({ worktree }) => worktree !== null);
  const comparisons = new Set(staying.map(({ task_id }) => comparisonOf(task_id)));
  return [...comparisons].flatMap((id) => {
    const own = staying.filter(({ task_id }) => comparisonOf(task_id) === id);
    if (id === null)
      return own.flatMap(({ task_id, worktree }) =>
        worktreeLines(worktree).map((text, i) => (i === 0 ? `\n${task_id}: ${text.trim()}` : text)),
      );
    const remove = `  ${launcherIn(process.env)} compare --remove ${id}`;
    return [`\n${id}: ${counted(own.length, 'worktree')} of its variants stay; when the changes are taken:`, remove];
  });
}

const invalid = badInputOf('tollgate archive');
