// One thing that preflight found, and how to mend it.

export interface CheckFinding {
  check: string;
  /** `note`: good to know. `warn`: it may go wrong. `fail`: it will. */
  status: 'ok' | 'note' | 'warn' | 'fail';
  found: string;
  /** What to do or to type; null when there is nothing to mend. */
  fix: string | null;
}

/** What a check says, before it has its check's name; null is nothing to say. */
export type CheckAnswer = Omit<CheckFinding, 'check'> | null;

export const say = (status: CheckFinding['status'], found: string, fix: string | null = null): CheckAnswer => ({
  status,
  found,
  fix,
});
