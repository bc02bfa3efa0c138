// What the system tells of one process, and of several that were signalled.

export interface ProcessRow {
  pid: number;
  ppid: number;
  pgid: number;
  /** null where the system does not tell it. */
  sid: number | null;
  /** Start time as the kernel gives it; with the pid it names one process for good. */
  startTime: string;
  /** A zombie is gone but for its entry; nothing can be done to it. */
  zombie: boolean;
}

/** A process, and how long ago it was started. */
export interface Since {
  pid: number;
  ageMs: number;
}

export interface Signalled {
  /** Got the signal. */
  hit: ProcessRow[];
  /** Are not ours to signal. */
  refused: ProcessRow[];
}

export interface ProcessTable {
  /**
   * @param since with it, only what may have been started by that process need be listed.
   * @param skipped need not be listed either.
   */
  list(since?: Since | null, skipped?: ReadonlySet<number>): Promise<ProcessRow[]>;
  /** One process, a zombie too, or null when it is gone. */
  row(pid: number): Promise<ProcessRow | null>;
  /** The number given out last, on the whole machine; null where the system does not tell it. */
  newestNumber(): number | null;
  /** Those whose numbers were given out after that one, and some just before it. */
  listFrom(number: number): Promise<ProcessRow[]>;
  /** Those of them that still live as they are named here. */
  living(rows: readonly ProcessRow[]): Promise<ProcessRow[]>;
  /** The value of the call marker in the environment that the process was started with. */
  markers(rows: readonly ProcessRow[]): Promise<Map<number, string>>;
  /** Those who have a file in one of these folders open for writing, or work there, and sit at no terminal; empty where the system does not tell. */
  holders(rows: readonly ProcessRow[], folders: readonly string[]): Promise<Set<number>>;
  /** Its command line in one text; empty when it is gone. */
  words(row: ProcessRow): Promise<string>;
  owners(rows: readonly ProcessRow[]): Promise<Map<number, ProcessOwner>>;
  /** Each is looked at again right before: a number given to another meanwhile is left alone. */
  signal(rows: readonly ProcessRow[], signal: NodeJS.Signals): Promise<Signalled>;
  /** Another one after each start of the machine, and the same until then. */
  bootId(): Promise<string>;
}

export interface ProcessOwner {
  uid: number;
  /** Does it live in a PID namespace below ours, as in a container? */
  place: 'here' | 'below';
}
