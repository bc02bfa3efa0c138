// Distilled books: all, and one with its document.

import type { NextAction } from '../../policies/facts/next-action.ts';

export interface BooksShown {
  distillations: BookLine[];
}

export interface BookLine {
  name: string;
  /** As tollgate distill status has it: `running`, `complete`, `paused (refusal)`. */
  state: string;
  model: string;
  sections: number;
  held_section: number | null;
  tokens: number;
  usd: number;
  /** Answers whose price is not known: they come on top. */
  unpriced_answers: number;
  calls: { used: number; total: number };
}

export interface BookShown extends BookLine {
  evidence: string;
  next_actions: NextAction[];
  /** ISO time at which the service is asked again; null where nothing is waited for. */
  waits_until: string | null;
  document: { section: number; title: string; chars: number; text: string; state: 'kept' | 'held' }[];
  /** The last lines of it. */
  trace: string[];
}
