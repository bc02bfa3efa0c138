// A tree of processes, and what a look at the machine shows of it.

import type { ProcessOwner, ProcessRow } from './rows.ts';

/** What a look tells of the processes. */
export interface Signs {
  rows: readonly ProcessRow[];
  /** The marker of those that are young enough to be of the call. */
  markers: ReadonlyMap<number, string>;
  /** Those that write or work in one of the call's folders. */
  holders: ReadonlySet<number>;
  /** Those in the call's cgroup. */
  grouped: ReadonlySet<number>;
  /** Of those that bear a marker or hold a folder, and of the root. */
  owners: ReadonlyMap<number, ProcessOwner>;
  /** Our own user. */
  uid: number;
  /** Never of the tree, whatever they bear. */
  above: Pick<Lineage, 'spared' | 'sessions'>;
  /** The oldest start time that one of the call can have; null where nobody knows. */
  since: string | null;
}

export interface Tree {
  /** The CLI's own process, which leads a group and a session of its own. */
  root: Root | null;
  /** The call's marker, `outer/inner`; whatever bears it or a longer chain belongs to the call, if nothing speaks against it. */
  marker: string;
  /** A start time, as the kernel gives it: whoever is older is not of the call. Without it, the root's own. */
  since?: string | null;
  /** The folder of the call's cgroup; none where it has none. */
  group?: string | null;
  /** Private folders of the call: who hangs from nobody and writes or works there is of the call (on Linux). */
  folders?: readonly string[];
  /** The root's group stands still, until everybody was told to end, or to its own end. */
  held?: 'told' | 'ended';
  /** Who was seen while the call ran. */
  seen?: Members | null;
}

export interface Root {
  pid: number;
  /** null for a child that was gone before it could be looked at. */
  startTime: string | null;
  /** When it was started, by the steady clock; -Infinity when that was in an earlier run. */
  sinceMs: number;
  /**
   * A `child` was started by this very process: once it has ended and been reaped, its number is still its own for the
   * moments that pass until the tree is ended. One `found` in a record may be long dead and its number given to another,
   * so it must bear the marker too.
   */
  ours?: 'child' | 'found';
}

/** The machine as it was at one moment. */
export interface ProcessLook extends Signs {
  /** By the steady clock, before anything was read. */
  atMs: number;
  /** Only processes with this number or a higher one were listed. */
  from: number;
  /** The number given out last by then. */
  newest: number | null;
  /** Those that were not listed, since they were found to be older than the call a moment ago. */
  elders: Elders;
  above: Lineage;
}

/** Ourselves and those that we live under. */
export interface Lineage {
  spared: ReadonlySet<number>;
  /** Theirs. Nobody joins another's session, so of the call, which leads one of its own, nobody is in these. */
  sessions: ReadonlySet<number>;
  /** Our own; null where it could not be told. */
  startTime: string | null;
  atMs: number;
}

/** Older than the call, and so strangers. */
export interface Elders {
  pids: ReadonlySet<number>;
  /** Their groups and sessions. */
  numbers: ReadonlySet<number>;
  /** When they were looked at. */
  atMs: number;
}

export interface Members {
  rows: ProcessRow[];
  /** Could nobody else have the root's number, its group and its session at that moment? */
  numberOurs: boolean;
  /** Did the root, its group or its session still bear its number? Then nobody else can have it before the next look. */
  numberHeld: boolean;
  /** Groups and sessions in which everybody is of the tree: whoever turns up there soon was started by one of it. */
  numbers: ReadonlySet<number>;
  atMs: number;
  /** The number given out last when the look began; null where the system does not tell it. */
  newest: number | null;
  elders: Elders;
  above: Lineage;
}

/** Numbers are given out upwards; that they went all the way round is ruled out only for a short while. */
export const SHORT_MS = 500;
