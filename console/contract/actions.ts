// Declares what the page can change: the JSON that it sends by POST to each address; each calls the function of its command.

export interface Actions {
  '/api/stop': { task: string };
  '/api/answer': { task: string; answer: string };
  /** `most` null removes the budget. */
  '/api/limits': { tool: string; per: string; unit: string; most: number | null };
  '/api/release': { tool: string; account: string; model: string | null };
  '/api/undo': { session: string };
  '/api/redo': { session: string; n: number };
  '/api/recover': { session: string; choice: 'rollback' | 'clear' | 'export' | 'ignore' };
  '/api/distill/start': { book: string; prompt: string | null; model: string; max_calls: number | null };
  '/api/distill/pause': { name: string };
  '/api/distill/stop': { name: string };
  '/api/distill/resume': { name: string; accept?: boolean };
  '/api/distill/delete': { name: string; section: number };
  '/api/sweep': Record<string, never>;
}

/** The answer to a change: a sentence that says what was done. */
export interface Changed {
  says: string;
}
