// How a command ended: its exit code, and what it prints.

import { TOLLGATE_EXIT } from '../policies/facts/exit-codes.ts';

/** What a command has to say in the end. */
export interface Ran {
  exit: number;
  out?: string;
  err?: string;
  /** Of a command that prints as it goes: the code of what kept a piece from being written, such as ENOSPC. */
  lost?: string | null;
}

/** The end of one that cannot make use of what it was given. @param speaker the command, with its words. */
export const badInputOf =
  (speaker: string) =>
  (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `${speaker}: ${message}\n` });
