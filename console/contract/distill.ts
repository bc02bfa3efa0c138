// Declares the distilled books: the list, and one book with its document.

import type { NextAction } from '../../policies/facts/next-action.ts';

export interface BooksShown {
  distillations: BookLine[];
}

export interface BookLine {
  name: string;
  /** The state that `tollgate distill status` reports: `running`, `complete`, `paused (refusal)`. */
  state: string;
  model: string;
  sections: number;
  held_section: number | null;
  tokens: number;
  usd: number;
  /** Answers whose price is not known; they are not included in the sum. */
  unpriced_answers: number;
  calls: { used: number; total: number };
}

export interface BookShown extends BookLine {
  evidence: string;
  next_actions: NextAction[];
  /** ISO time at which the service is called again; null if nothing is awaited. */
  waits_until: string | null;
  document: { section: number; title: string; chars: number; text: string; state: 'kept' | 'held' }[];
  /** The last lines of the trace. */
  trace: string[];
}
