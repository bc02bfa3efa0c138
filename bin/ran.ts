// How a command ended: its exit code, and what it prints.

/** What a command has to say in the end. */
export interface Ran {
  exit: number;
  out?: string;
  err?: string;
  /** Of a command that prints as it goes: the code of what kept a piece from being written, such as ENOSPC. */
  lost?: string | null;
}
