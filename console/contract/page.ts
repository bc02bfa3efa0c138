// What a page is told first, how it is told of changes, and how it is refused something.

import type { TaskState } from '../../loops/report/standing.ts';

export interface PageShown {
  /** Goes back with whatever changes something, in the header PAGE_HEADER. */
  token: string;
  /** The project whose tasks are shown. */
  folder: string;
  version: string;
}

export const PAGE_HEADER = 'x-tollgate-page';

/** Body of an answer that is no 200. */
export interface RefusedRequest {
  message: string;
  /** What to do or to type. */
  way_out?: string | null;
}

/** What became otherwise; `*`: anything may have. */
export type Topic = 'now' | 'tasks' | 'task' | 'budgets' | 'sessions' | 'distill' | 'machine' | '*';

/** A message of /api/events. */
export interface ChangeTold {
  topic: Topic;
  /** Of which task, session or book; null or absent: of any. */
  id?: string | null;
  /** Of `tasks` alone: the rows that changed, and the ids of those that are gone. Without it all are asked for anew. */
  change?: TasksChange | null;
  /** Of `*` alone: why what changes is not followed just now; it is tried again. Without it, it is followed. */
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
  /** ISO time of the last thing that happened. */
  at: string | null;
  /** Of the failure that stands. */
  stage: string | null;
  class: string | null;
  reason: string | null;
  signature: string | null;
  calls: { used: number; budget: number | null };
  /** Of the calls whose price is known; null where none is. */
  usd: number | null;
  /** Calls whose price is not known: they come on top. */
  calls_without_price: number;
}
