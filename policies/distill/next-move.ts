// Decides what a distillation does next, from its state, its terms and the time.

import { budgetReached, type DistillBudgets } from './budgets.ts';
import type { UploadWhy } from './distill-facts.ts';
import type { PauseReason } from './pauses.ts';
import type { DistillStanding } from './standing.ts';

export type DistillMove =
  | { move: 'upload'; why: UploadWhy }
  | { move: 'ask'; section: number }
  | { move: 'pause'; reason: PauseReason; evidence: string }
  | { move: 'stop'; evidence: string }
  /** A signal ended us. */
  | { move: 'interrupt' }
  | { move: 'complete' };

/** A request from another terminal, or by a signal. */
export type DistillWish = 'pause' | 'stop' | 'interrupt';

interface MoveTerms {
  budgets: DistillBudgets;
  wish: DistillWish | null;
  /** For this run of the command. */
  elapsedMs: number;
  now: Date;
}

export function nextMove(standing: DistillStanding, terms: MoveTerms): DistillMove {
  const { complete, held, file, spent, sections, wanted, lastSection } = standing;
  if (complete) return { move: 'complete' };
  if (terms.wish === 'interrupt') return { move: 'interrupt' };
  if (terms.wish === 'stop') return { move: 'stop', evidence: 'you asked for it' };
  if (terms.wish === 'pause') return { move: 'pause', reason: 'asked', evidence: 'you asked for it' };
  if (held !== null) return { move: 'pause', reason: held.anomaly.name, evidence: held.anomaly.evidence };
  const reached = budgetReached(terms.budgets, spent, terms.elapsedMs);
  if (reached !== null) return { move: 'stop', evidence: reached };
  if (file === null) return { move: 'upload', why: 'first' };
  // Another upload would not last longer: our clock is wrong, or the service's files are short-lived.
  if (!file.isRenewed && expiresSoon(file.expiresAt, terms.now)) return { move: 'upload', why: 'expiring' };
  return { move: 'ask', section: wanted[0] ?? Math.max(lastSection, sections.at(-1)?.section ?? 0) + 1 };
}

/** A file is renewed before it expires, with time for the turn that uses it. */
const EXPIRY_MARGIN_MS = 20 * 60_000;

const expiresSoon = (expiresAt: string | null, now: Date): boolean =>
  expiresAt !== null && Date.parse(expiresAt) - now.getTime() < EXPIRY_MARGIN_MS;
