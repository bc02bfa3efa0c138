// Declares the messages of /api/tasks/ID/tail: the end of what the CLI of a running task says, and what is added to it.

export type TailTold =
  /** The call whose lines follow. */
  | { of: 'call'; call_id: string; stage: string; tool: string; attempt: number }
  | {
      of: 'lines';
      lines: string[];
      /** What the CLI does now, such as `runs Bash: npm test`; null if it is not known. */
      doing: string | null;
      /** The bytes before these lines that were left out. */
      left_out: number;
      /** The log is shorter than before, or another file: it is shown from its start. */
      began_again: boolean;
    }
  /** Why something cannot be shown. */
  | { of: 'note'; text: string }
  /** The last message. */
  | { of: 'end'; why: string };
