// Keeps all tasks as rows, reads them once and then only the changed ones; computes their cost after the first answer.

import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { redactorOf } from '../../../loops/redactor.ts';
import { collectSpending, readTask } from '../../../loops/report/collect.ts';
import { foldersOf } from '../../../loops/report/follow-now.ts';
import type { NowTask } from '../../../loops/report/now.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import { readTask as readManifestOf } from '../../../loops/task/task.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import type { Redactor } from '../../../policies/redact/redactor.ts';
import type { DaySpending } from '../../../policies/report/spending.ts';
import { byText } from '../../../policies/text/display.ts';
import { JournalError, openJournal } from '../../../state/journal/journal.ts';
import { projectState } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { TaskLine, TasksChange } from '../../contract/page.ts';
import type { ServedProject } from '../project.ts';
import { goalOf } from './texts.ts';

interface TaskLines {
  /** The current rows; the first call reads them. */
  all(): Promise<TaskLine[]>;
  /** The rows of the report, newest first. */
  rows(): Promise<TaskRow[]>;
  /** Returns the folders whose state differs in `tasks`, which was read after the rows; none if no rows were read yet. */
  behind(tasks: readonly NowTask[]): Promise<string[]>;
  /** The folders of the supervised tasks among the read rows: an answer to one changes no file of it. */
  supervised(): string[];
  /** Reads these folders again. */
  renew(folders: readonly string[]): Promise<TasksChange>;
  /** The spending by day and CLI, over all tasks; waits until the costs are computed. */
  spent(): Promise<DaySpending[]>;
}

/** Small, since there is one for each of very many tasks; its line is built on request. */
interface KeptTask {
  /** null if the task cannot be read. */
  row: TaskRow | null;
  /** The rest of the line; the previous values stay until the costs are computed again. */
  usd: number | null;
  without: number;
  goal: string | null;
  manifest: OfManifest | null;
  /** null until the costs are computed. */
  spent: DaySpending[] | null;
}

/** The number of tasks between two pauses for other work. */
const PIECE = 100;

/** @param changed receives what the cost computation found, for the pages that have the list already. */
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

  /** @returns null if the folder is not a task. */
  function keep(folder: string, { row, problem }: Awaited<ReturnType<typeof readTask>>): TaskLine | null {
    if (row === null && problem === null) return null;
    const id = path.basename(folder);
    const { usd = null, without = 0, goal = null, manifest = null } = kept.get(id) ?? {};
    const task = { row, usd, without, goal, manifest, spent: null };
    kept.set(id, task);
    return lineOf(id, task);
  }

  async function lookAtCosts(): Promise<void> {
    const found = new Set<string>();
    // The lines are built when they are reported. A line that was read again meanwhile would be reported with old values.
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
      const spent = task.row === null ? [] : await collectSpending([task.row], cwd, environment);
      const priced = spent.filter(({ calls, calls_without_price: without }) => calls > without);
      const usd = priced.length === 0 ? null : priced.reduce((sum, each) => sum + each.usd, 0);
      const without = spent.reduce((sum, each) => sum + each.calls_without_price, 0);
      const { redactor, manifest } = await readPlan(id, task.row, project);
      const goal = goalOf(path.join(places.folder, id), redactor);
      // The task was read again or removed meanwhile: the next computation handles it.
      if (kept.get(id) !== task) continue;
      const now = { row: task.row, usd, without, goal, manifest, spent };
      kept.set(id, now);
      if (!isDeepStrictEqual(lineOf(id, now), lineOf(id, task))) found.add(id);
      if (found.size >= PIECE) tellFound();
      await breathe();
    }
    tellFound();
  }

  const begun = () => (first ??= readFirst());
  // One after the other: two of them would compute the costs of the same tasks.
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
      const missing = new Set(kept.keys());
      const moved = tasks.filter((task) => {
        const id = path.basename(task.folder);
        const known = kept.get(id);
        missing.delete(id);
        return known === undefined ? task.state !== 'gone' : isOtherwise(lineOf(id, known), task);
      });
      return [...moved.map(({ folder }) => folder), ...[...missing].map((id) => path.join(places.folder, id))];
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

/** What the manifest says about the next run. */
type OfManifest = Pick<TaskLine, 'next_run'> & { budget: number };

/** Also the redactor, which the manifest decides about. */
async function readPlan(
  id: string,
  row: TaskRow | null,
  { cwd, environment, clock }: ServedProject,
): Promise<{ redactor: Redactor; manifest: OfManifest | null }> {
  const read = await readManifestOf({ word: id, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return { redactor: redactorOf(environment, []), manifest: null };
  const { manifest, plans, task } = read;
  const redactor = redactorOf(environment, manifest.security.redaction_patterns);
  const budget = manifest.budgets.paid_call_budget;
  if (manifest.supervise !== undefined) {
    const { tool } = manifest.supervise.reasoner;
    return { redactor, manifest: { budget, next_run: { tools: [tool], is_open: true, most: null } } };
  }
  const isBegun = row !== null && row.state !== 'done' && row.state !== 'never_run';
  const done = isBegun ? doneIn(task.root, clock) : new Set();
  const open = plans.filter(({ stage }) => !done.has(stage.name));
  const { retry_budget: retries, nested_calls: nested } = manifest.budgets;
  // Each attempt may also charge what its agent calls.
  const most = open.reduce((sum, { stage }) => sum + (1 + retries + stage.fallback.length) * (1 + nested), 0);
  const tools = open.map(({ stage }) => stage.tool);
  return { redactor, manifest: { budget, next_run: { tools, is_open: false, most } } };
}

function doneIn(root: string, clock: () => Date): ReadonlySet<string> {
  try {
    return new Set(openJournal(root, clock).read().ledger.done.keys());
  } catch (error) {
    // Its row says that the journal cannot be read.
    if (error instanceof JournalError) return new Set();
    throw error;
  }
}

function lineOf(id: string, { row, usd, without, goal, manifest }: KeptTask): TaskLine {
  if (row === null) return { ...UNREADABLE, task_id: id, goal };
  const { task_id, state, at, stage, class: errorClass, reason, signature, sentence, supervision, calls, lacks } = row;
  return {
    ...{ task_id, state, goal, at, stage, class: errorClass, reason, signature, usd },
    calls: { used: calls.used, budget: calls.budget ?? manifest?.budget ?? null },
    next_run: manifest?.next_run ?? null,
    why: sentence ?? supervision?.question?.slice(0, MOST_ASKED) ?? (lacks.length > 0 ? lacks.join('; ') : null),
    to_do: sentence === null ? null : (row.next_action?.text ?? null),
    calls_without_price: without,
  };
}

/** Of a question in a row. */
const MOST_ASKED = 200;

/** A row does not contain the time since when its task runs. */
const isOtherwise = (line: TaskLine, { state, since }: NowTask): boolean =>
  line.state !== state || (state !== 'running' && line.at !== since);

const UNREADABLE: Omit<TaskLine, 'task_id' | 'goal'> = {
  state: 'unreadable',
  at: null,
  stage: null,
  class: null,
  reason: null,
  signature: null,
  why: null,
  to_do: null,
  calls: { used: 0, budget: null },
  next_run: null,
  usd: null,
  calls_without_price: 0,
};
