// Types a tree of processes, and what a look at the machine shows of it.

import type { Container } from '../prefix.ts';
import type { ProcessOwner, ProcessRow } from './rows.ts';

/** What a look shows of the processes. */
export interface Signs {
  rows: readonly ProcessRow[];
  /** The markers of the processes that are young enough to belong to the call. */
  markers: ReadonlyMap<number, string>;
  /** Processes that write or work in one of the call's folders. */
  holders: ReadonlySet<number>;
  /** Processes in the call's cgroup. */
  grouped: ReadonlySet<number>;
  /** The owners of the root and of processes that have a marker or hold a folder. */
  owners: ReadonlyMap<number, ProcessOwner>;
  /** Our user. */
  uid: number;
  /** These never belong to the tree, even with a marker. */
  above: { spared: ReadonlySet<number>; sessions: ReadonlySet<number> };
  /** The oldest start time that a process of the call can have; null if it is not known. */
  since: string | null;
}

export interface Tree {
  /** The CLI's own process, which leads its own group and session. */
  root: Root | null;
  /** The call's marker, `outer/inner`. It or a longer chain marks a process of the call, unless a sign excludes it. */
  marker: string;
  /** A start time, as the kernel reports it: an older process does not belong to the call. Without it, the root's start time. */
  since?: string | null;
  /** The folder of the call's cgroup; absent if it has none. */
  group?: string | null;
  /** Private folders of the call. On Linux, a process without a parent that writes or works there belongs to the call. */
  folders?: readonly string[];
  /** A container that the root started, which does not end with it. */
  container?: Container;
  /** The root's group is stopped until every process was signalled to end, or until its own end. */
  held?: 'signalled' | 'ended';
  /** The members seen while the call ran. */
  seen?: Members | null;
}

export interface Root {
  pid: number;
  /** null for a child that was gone before it could be looked up. */
  startTime: string | null;
  /** When it was started, by the steady clock; -Infinity if that was in an earlier run. */
  sinceMs: number;
  /**
   * A `child` was started by this process. After it has ended and been reaped, its pid is not reused in the moments until the
   * tree is ended. One `found` in a record may be long dead and its pid reused, so it must have the marker too.
   */
  ours?: 'child' | 'found';
}

/** The machine as it was at one moment. */
export interface ProcessLook extends Signs {
  /** By the steady clock, before anything was read. */
  atMs: number;
  /** Only processes with this pid or a higher one were listed. */
  from: number;
  /** The pid assigned last by then. */
  newest: number | null;
  /** Processes that were not listed, because they were found to be older than the call a moment ago. */
  elders: Elders;
  above: Lineage;
}

/** This process and its ancestors. */
export interface Lineage {
  spared: ReadonlySet<number>;
  /** Their sessions. A process cannot join a foreign session. So no process of the call, which leads its own, is in these. */
  sessions: ReadonlySet<number>;
  /** Our start time; null if it is not known. */
  startTime: string | null;
  atMs: number;
}

/** Processes older than the call, which therefore do not belong to it. */
export interface Elders {
  pids: ReadonlySet<number>;
  /** Their groups and sessions. */
  numbers: ReadonlySet<number>;
  /** When they were looked up. */
  atMs: number;
}

export interface Members {
  rows: ProcessRow[];
  /** Could no other process have the root's number, its group and its session at that moment? */
  numberOurs: boolean;
  /** Did the root, its group or its session still have its number? Then no other process can get it before the next look. */
  numberHeld: boolean;
  /** Groups and sessions whose members all belong to the tree. A process that appears there soon was started by one of them. */
  numbers: ReadonlySet<number>;
  atMs: number;
  /** The pid assigned last when the look began; null if the system does not report it. */
  newest: number | null;
  elders: Elders;
  above: Lineage;
}

/** Pids are assigned upwards. Only within a short time is it certain that they did not complete a full round. */
export const SHORT_MS = 500;
