// Declares what the page receives first, the messages about changes, and the changes that it can request.

import type { TaskState } from '../../loops/report/task-state.ts';
import type { NewTask } from './task.ts';

export interface PageShown {
  /** The page sends it back with each change, in the header PAGE_HEADER. */
  token: string;
  /** The project whose tasks are shown. */
  folder: string;
  version: string;
  fleet: boolean;
}

export const PAGE_HEADER = 'x-tollgate-page';

/** The body of each answer whose status is not 200. */
export interface RefusedRequest {
  message: string;
  /** What to do or to type. */
  way_out?: string | null;
}

/** What changed; `*`: anything may have changed. */
export type Topic = 'now' | 'tasks' | 'task' | 'budgets' | 'sessions' | 'distill' | 'batch' | 'refusal' | '*';

/** A message of /api/events. */
export interface ChangeTold {
  topic: Topic;
  /** The id of the task, session or book; null or absent: any of them. */
  id?: string | null;
  /** Only for `tasks`: the changed rows, and the ids of the removed ones. Without it the page requests all rows again. */
  change?: TasksChange | null;
  /** Only for `refusal`: why something that the page began was refused after the answer to its request. */
  refusal?: RefusedRequest | null;
  /** Only for `*`: why changes are not followed at the moment; the server tries again. Without it, they are followed. */
  trouble?: string | null;
}

export interface TasksChange {
  lines: TaskLine[];
  gone: string[];
}

/** A task as a row of the list. */
export interface TaskLine {
  task_id: string;
  state: TaskState | 'unreadable';
  goal: string | null;
  /** ISO time of the last event. */
  at: string | null;
  /** The stage of the current failure. */
  stage: string | null;
  class: string | null;
  reason: string | null;
  signature: string | null;
  /** The sentence about its failure, what a parked task asks, or what the answers of a finished task lack; without secrets. */
  why: string | null;
  /** What to do first about its failure; null if nothing failed. */
  to_do: string | null;
  calls: { used: number; budget: number | null };
  /** What its next run calls if nothing fails; null until it is known, or if the manifest cannot be read. */
  next_run: NextRun | null;
  /** The sum over the calls whose price is known; null if there are none. */
  usd: number | null;
  /** Calls whose price is not known; they are not included in the sum. */
  calls_without_price: number;
}

interface NextRun {
  /** One CLI for each call. */
  tools: string[];
  /** A reasoner decides whether more calls follow. */
  is_open: boolean;
  /** The calls with all retries and fallbacks, whatever the budget allows; null if a reasoner decides. */
  most: number | null;
}

/** What the page can change: the JSON that it sends by POST to each address; each calls the function of its command. */
export interface Actions {
  '/api/stop': { task: string };
  /** Runs these tasks in one process, which pays. */
  '/api/batch/start': { tasks: string[] };
  '/api/batch/stop': { batch: string };
  '/api/answer': { task: string; answer: string };
  /** A command that {@link pageCommand} accepts; one that continues a task begins a run that outlives the console. */
  '/api/run': { command: string };
  /** What `tollgate run --dry-run` would report of it: answered with {@link DraftShown}. */
  '/api/draft': NewTask;
  /** Writes the folder of the task as `tollgate init` does. `run` begins a run of it, which pays. */
  '/api/create': NewTask & { run: boolean };
  /** Of a task that exists: answered with {@link DraftShown}. */
  '/api/manifest/check': { task: string; text: string };
  /** Replaces the manifest, if it still is the version that the user has seen, and if the task does not run. */
  '/api/manifest': { task: string; text: string; version: string };
  /** `per`: `day`, `week` or `month`, or of the pace `minute` or `once`, in calls. `most` null removes the limit. */
  '/api/limits': { tool: string; per: string; unit: string; most: number | null };
  '/api/release': { tool: string; account: string; model: string | null };
  '/api/undo': { session: string };
  '/api/redo': { session: string; n: number };
  '/api/recover': { session: string; choice: 'rollback' | 'clear' | 'export' | 'ignore' };
  /** Sends a prompt to several CLIs, which pays. `write`: each may change a worktree of its own. */
  '/api/compare/start': { prompt: string; tools: string[]; access: string };
  '/api/compare/pick': { comparison: string; n: number };
  '/api/compare/remove': { comparison: string };
  '/api/compare/resume': { comparison: string };
  '/api/distill/start': { book: string; prompt: string | null; model: string; max_calls: number | null };
  '/api/distill/pause': { name: string };
  '/api/distill/stop': { name: string };
  '/api/distill/delete': { name: string; section: number };
  '/api/sweep': Record<string, never>;
}

/** The answer to a change: a sentence that says what was done. */
export interface Changed {
  says: string;
  /** The run or the book was started, but has failed or stopped already. */
  failed?: true;
}
