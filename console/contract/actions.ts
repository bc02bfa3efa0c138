// What the page can change: for each address, what is sent to it by POST as JSON; each goes through the function of its command.

export interface Actions {
  '/api/stop': { task: string };
  '/api/answer': { task: string; answer: string };
  /** `most` null takes the budget away. */
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

/** What a change answers: what was done, in a sentence. */
export interface Changed {
  says: string;
}
