// Defines how a command ended: its exit code, and what it prints.

import { TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';

/** The final output of a command. */
export interface Ran {
  exit: number;
  out?: string;
  /** `out` is a page for a person: on a terminal it is wrapped to the width. */
  isPage?: true;
  err?: string;
  /** For a command that prints as it runs: the code of what prevented a write, such as ENOSPC. */
  lost?: string | null;
  /** Of a call that may be paid: the file or folder with its result; null if its files are not kept. */
  kept?: string | null;
  /** The code of a general failure, where it is not that of the command: `tollgate call` has those of its CLI. */
  failure?: number;
}

/** The end of a command that cannot use its input. @param speaker the command, with its words. */
export const badInputOf =
  (speaker: string) =>
  (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `${speaker}: ${message}\n` });
