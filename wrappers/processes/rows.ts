// Types what the system reports of one process, and of several that were signalled.

export interface ProcessRow {
  pid: number;
  ppid: number;
  pgid: number;
  /** null if the system does not report it. */
  sid: number | null;
  /** Start time as the kernel reports it. Together with the pid it identifies one process permanently. */
  startTime: string;
  /** A zombie has ended and only its entry remains. Nothing can be done to it. */
  zombie: boolean;
}

/** A process, and how long ago it was started. */
export interface Since {
  pid: number;
  ageMs: number;
}

export interface Signalled {
  /** Processes that got the signal. */
  hit: ProcessRow[];
  /** Processes that we may not signal. */
  refused: ProcessRow[];
}

export interface ProcessTable {
  /** @param since For processes that this one may have started. @param skipped These need not be listed either. */
  list(since?: Since | null, skipped?: ReadonlySet<number>): Promise<ProcessRow[]>;
  /** One process, even a zombie, or null when it is gone. */
  row(pid: number): Promise<ProcessRow | null>;
  /** The pid assigned last on the whole machine; null if the system does not report it. */
  newestNumber(): number | null;
  /** The processes whose pids were assigned after that one, and some just before it. */
  listFrom(number: number): Promise<ProcessRow[]>;
  /** Those of the rows that still live with the same pid and start time. */
  living(rows: readonly ProcessRow[]): Promise<ProcessRow[]>;
  /** The value of the call marker in the environment that the process was started with. */
  markers(rows: readonly ProcessRow[]): Promise<Map<number, string>>;
  /** Processes without a terminal that work in a folder or write a file there; empty if the system reports none. */
  holders(rows: readonly ProcessRow[], folders: readonly string[]): Promise<Set<number>>;
  /** The command line as one text; empty when the process is gone. */
  words(row: ProcessRow): Promise<string>;
  owners(rows: readonly ProcessRow[]): Promise<Map<number, ProcessOwner>>;
  /** Checks each process again right before the signal, and does not signal a pid that was reused meanwhile. */
  signal(rows: readonly ProcessRow[], signal: NodeJS.Signals): Promise<Signalled>;
  /** Changes with each start of the machine, and stays the same until then. */
  bootId(): Promise<string>;
}

export interface ProcessOwner {
  uid: number;
  /** Does it live in a PID namespace below ours, as in a container? */
  place: 'here' | 'below';
}
