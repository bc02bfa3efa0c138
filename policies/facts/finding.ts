// Defines one finding of preflight, and how to fix it.

export interface CheckFinding extends Answer {
  check: string;
}

interface Answer {
  /** `note`: good to know. `warn`: it may fail. `fail`: it will. */
  status: 'ok' | 'note' | 'warn' | 'fail';
  found: string;
  /** What to do or to type; null if there is nothing to fix. */
  fix: string | null;
}

/** The result of a check, before its check's name is added; null if there is nothing to report. */
export type CheckAnswer = Answer | null;

export const say = (status: Answer['status'], found: string, fix: string | null = null): CheckAnswer => ({
  status,
  found,
  fix,
});
