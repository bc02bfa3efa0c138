// All tasks as rows of the list, read once and then only those that changed; what they cost is looked up behind the first answer.

import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import type { NowTask } from '../../../loops/now/now.ts';
import { foldersOf } from '../../../loops/now/places.ts';
import { collectSpending } from '../../../loops/report/collect-spending.ts';
import { readTask, type TaskReading } from '../../../loops/report/read-task.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { projectState } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { TaskLine, TasksChange } from '../../contract/page.ts';
import type { ServedProject } from '../project.ts';
import { goalOf } from './goal.ts';
import { redactorOfTask } from './redacted.ts';

export interface TaskLines {
  /** As they stand; read at the first time. */
  all(): Promise<TaskLine[]>;
  /** The rows of the report, newest first. */
  rows(): Promise<TaskRow[]>;
  /** Folders of those that stand otherwise in `tasks`, which were looked at after the rows were read; none where nobody has read any. */
  behind(tasks: readonly NowTask[]): Promise<string[]>;
  /** Folders of the supervised ones, as far as rows were read: an answer to one changes no file of it. */
  supervised(): string[];
  /** Reads these again. */
  renew(folders: readonly string[]): Promise<TasksChange>;
  /** By day and CLI, over all tasks; waits for the look at what they cost. */
  spent(): Promise<DaySpending[]>;
}

/** Kept once for each of very many tasks: its line is made when it is asked for. */
interface KeptTask {
  /** null of one that cannot be read. */
  row: TaskRow | null;
  /** What the line says beside; as it was before while nobody has looked anew. */
  usd: number | null;
  without: number;
  goal: string | null;
  /** null until somebody has looked. */
  spent: DaySpending[] | null;
}

/** So many between two breaths. */
const PIECE = 100;

/** @param changed what a look at costs found, for whoever has the list already. */
export function openTaskLines(project: ServedProject, changed: (change: TasksChange) => void): TaskLines {
  const { cwd, environment } = project;
  const places = { folder: path.join(projectState(cwd, environment), 'task'), named: null };
  const kept = new Map<string, KeptTask>();
  let first: Promise<void> | null = null;
  let costs: Promise<void> | null = null;
  let looked: Promise<void> = Promise.resolve();
  let self: ProcessIdentity | null = null;

  async function readFirst(): Promise<void> {
    const names = foldersOf(places).map((folder) => path.basename(folder));
    const now = await reading();
    for (const name of names.sort()) {
      const folder = path.join(places.folder, name);
      keep(folder, await readTask(folder, now));
    }
  }

  async function readAgain(folders: readonly string[]): Promise<TasksChange> {
    const change: TasksChange = { lines: [], gone: [] };
    const now = await reading();
    for (const [n, folder] of folders.entries()) {
      if (n % PIECE === PIECE - 1) await breathe();
      const line = keep(folder, await readTask(folder, now));
      if (line !== null) change.lines.push(line);
      else if (kept.delete(path.basename(folder))) change.gone.push(path.basename(folder));
    }
    costs = null;
    return change;
  }

  async function reading() {
    self ??= (await identify(process.pid))!;
    return { self, environment, stages: 'left_out', isShown: () => true } as const;
  }

  /** null for what is no task. */
  function keep(folder: string, { row, problem }: Pick<TaskReading, 'row' | 'problem'>): TaskLine | null {
    if (row === null && problem === null) return null;
    const id = path.basename(folder);
    const { usd = null, without = 0, goal = null } = kept.get(id) ?? {};
    const task = { row, usd, without, goal, spent: null };
    kept.set(id, task);
    return lineOf(id, task);
  }

  async function lookAtCosts(): Promise<void> {
    const found = new Set<string>();
    // As they are when it is told: one that was read anew meanwhile has been told, and would be as it was before.
    const tellFound = () => {
      const lines = [...found].flatMap((id) => {
        const task = kept.get(id);
        return task === undefined ? [] : lineOf(id, task);
      });
      found.clear();
      if (lines.length > 0) changed({ lines, gone: [] });
    };
    for (const [id, task] of [...kept]) {
      if (task.spent !== null || kept.get(id) !== task) continue;
      const spent = task.row === null ? [] : await collectSpending({ tasks: [task.row] }, cwd, environment);
      const priced = spent.filter(({ calls, calls_without_price: without }) => calls > without);
      const usd = priced.length === 0 ? null : priced.reduce((sum, each) => sum + each.usd, 0);
      const without = spent.reduce((sum, each) => sum + each.calls_without_price, 0);
      const goal = goalOf(path.join(places.folder, id), await redactorOfTask(id, project));
      // It was read anew, or went, while we looked: the next look is for it.
      if (kept.get(id) !== task) continue;
      kept.set(id, { row: task.row, usd, without, goal, spent });
      if (usd !== task.usd || without !== task.without || goal !== task.goal) found.add(id);
      if (found.size >= PIECE) tellFound();
      await breathe();
    }
    tellFound();
  }

  const begun = () => (first ??= readFirst());
  // One after the other: two of them would look at the same tasks.
  const costed = () =>
    (costs ??= looked =
      looked
        .catch(() => {})
        .then(begun)
        .then(lookAtCosts));

  return {
    async all() {
      await begun();
      void costed().catch(() => {});
      return [...kept].map(([id, task]) => lineOf(id, task));
    },
    async rows() {
      await begun();
      const rows = [...kept.values()].flatMap(({ row }) => row ?? []);
      return rows.sort((a, b) => byText(b.at ?? '', a.at ?? '') || byText(a.task_id, b.task_id));
    },
    async behind(tasks) {
      if (first === null) return [];
      await first;
      const left = new Set(kept.keys());
      const moved = tasks.filter((task) => {
        const id = path.basename(task.folder);
        const known = kept.get(id);
        left.delete(id);
        return known === undefined ? task.state !== 'gone' : isOtherwise(lineOf(id, known), task);
      });
      return [...moved.map(({ folder }) => folder), ...[...left].map((id) => path.join(places.folder, id))];
    },
    supervised: () =>
      [...kept.values()].flatMap(({ row }) => (row === null || row.supervision === null ? [] : [row.folder])),
    async renew(folders) {
      await begun();
      const change = await readAgain(folders);
      void costed().catch(() => {});
      return change;
    },
    async spent() {
      await costed();
      return [...kept.values()].flatMap(({ spent }) => spent ?? []);
    },
  };
}

function lineOf(id: string, { row, usd, without, goal }: KeptTask): TaskLine {
  if (row === null) return { ...UNREADABLE, task_id: id, goal };
  const { task_id, state, at, stage, class: errorClass, reason, signature, calls } = row;
  return {
    ...{ task_id, state, goal, at, stage, class: errorClass, reason, signature, calls, usd },
    calls_without_price: without,
  };
}

/** Since when one is at work, a row does not say. */
const isOtherwise = (line: TaskLine, { state, since }: NowTask): boolean =>
  line.state !== state || (state !== 'running' && line.at !== since);

const UNREADABLE: Omit<TaskLine, 'task_id' | 'goal'> = {
  state: 'unreadable',
  at: null,
  stage: null,
  class: null,
  reason: null,
  signature: null,
  calls: { used: 0, budget: null },
  usd: null,
  calls_without_price: 0,
};

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
