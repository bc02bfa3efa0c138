// Defines the facts of a distillation, folds them into its state, and decides its next step.

import type { Anomaly } from './anomalies.ts';
import { budgetReached, type DistillBudgets, type DistillSpent, NOTHING_SPENT } from './budgets.ts';
import type { PauseReason } from './pauses.ts';
import type { FileReference } from './turn-contents.ts';

/** A fact of the journal: the terms of a distillation, and what was uploaded, answered, kept and deleted. */
export type DistillFact =
  /** The distillation begins, or resumes with other terms. The last such fact counts. */
  | {
      fact: 'distilled';
      run_id: string;
      book_sha256: string;
      prompt_sha256: string;
      model: string;
    }
  /** Written after the service reports that the file is ready. Uploads cost nothing. */
  | {
      fact: 'uploaded';
      run_id: string;
      why: UploadWhy;
      name: string;
      uri: string;
      mime_type: string;
      expires_at: string | null;
    }
  /** The answer is on disk, synced, in `turns/<turn>.json`. `held`: it belongs to the book only after a user accepts it. */
  | {
      fact: 'answered';
      run_id: string;
      call_id: string;
      /** Among all answers that were ever paid for, from 1. */
      turn: number;
      /** Its place in the book, from 1. */
      section: number;
      title: string;
      chars: number;
      /** The requested model; older lines lack it. */
      model?: string;
      model_version: string | null;
      tokens: number;
      /** The service counted no tokens, so `tokens` is a fourth of the characters. */
      estimated: boolean;
      /** null if no price is known. */
      usd: number | null;
      /** The answer ended with the end marker. */
      ends: boolean;
      held: Anomaly | null;
    }
  /** A held answer is accepted, or it is dropped and its section is requested again. */
  | { fact: 'accepted'; turn: number }
  | { fact: 'dropped'; turn: number }
  /** The section is removed from the document and from the history. `again`: it is requested again. */
  | { fact: 'deleted'; section: number; again: boolean }
  /** The loop ended. It can be resumed from this point. */
  | { fact: 'halted'; run_id: string; how: HaltHow; reason: PauseReason | null; evidence: string };

/** `lost`: the service no longer knows the file; `expiring`: the file expires soon. */
export type UploadWhy = 'first' | 'expiring' | 'lost';

type HaltHow = 'complete' | 'paused' | 'stopped' | 'interrupted';

type Answered = Extract<DistillFact, { fact: 'answered' }>;
type DistillLine = DistillFact & { at: string };

/** An accepted answer at its place. */
interface StandingSection extends Pick<Answered, 'turn' | 'section' | 'title' | 'chars' | 'tokens' | 'ends'> {
  modelVersion: string | null;
  at: string;
}

interface StandingFile extends FileReference {
  name: string;
  expiresAt: string | null;
  /** The file was uploaded again, and no answer has come since. */
  isRenewed: boolean;
}

export interface DistillStanding {
  begun: { bookSha256: string; promptSha256: string; model: string; at: string } | null;
  file: StandingFile | null;
  /** In the order of the book. */
  sections: readonly StandingSection[];
  /** Deleted sections to be requested again, the lowest first. */
  wanted: readonly number[];
  /** A paid answer that the book has only once a user accepts it. `times`: how often this anomaly held the section. */
  held: { turn: number; section: number; anomaly: Anomaly; times: number } | null;
  /** How many answers were ever paid for; the next one's number is one more. */
  turns: number;
  /** The highest section number that was ever used. */
  lastSection: number;
  modelVersion: string | null;
  /** The last section has the end marker. */
  complete: boolean;
  spent: DistillSpent;
  /** How the loop ended, if nothing came after it. */
  halted: { how: HaltHow; reason: PauseReason | null; evidence: string; at: string } | null;
}

export const NOT_DISTILLED: DistillStanding = {
  begun: null,
  file: null,
  sections: [],
  wanted: [],
  held: null,
  turns: 0,
  lastSection: 0,
  modelVersion: null,
  complete: false,
  spent: NOTHING_SPENT,
  halted: null,
};

interface Folding extends DistillStanding {
  sections: StandingSection[];
  answers: Map<number, Answered & { at: string }>;
}

interface StandingFold {
  add(line: DistillLine): void;
  standing(): DistillStanding;
}

/** Folds in one pass, one line at a time. So a turn costs the same, however many turns came before it. */
export function foldStanding(lines: readonly DistillLine[]): StandingFold {
  const at: Folding = { ...NOT_DISTILLED, sections: [], answers: new Map() };
  for (const line of lines) fold(at, line);
  return { add: (line) => fold(at, line), standing: () => at };
}

function fold(at: Folding, line: DistillLine): void {
  // Deleting a section while the loop rests does not change why it rests.
  if (line.fact !== 'deleted') at.halted = null;
  switch (line.fact) {
    case 'distilled':
      // A model that was changed by name has its own version.
      if (at.begun !== null && at.begun.model !== line.model) at.modelVersion = null;
      at.begun = {
        bookSha256: line.book_sha256,
        promptSha256: line.prompt_sha256,
        model: line.model,
        at: at.begun?.at ?? line.at,
      };
      return;
    case 'uploaded':
      at.file = {
        name: line.name,
        uri: line.uri,
        mimeType: line.mime_type,
        expiresAt: line.expires_at,
        isRenewed: line.why !== 'first',
      };
      return;
    case 'answered':
      // The same fact is repeated, or the answer is already recorded.
      if (at.answers.has(line.turn)) return;
      at.answers.set(line.turn, line);
      if (at.file !== null) at.file = { ...at.file, isRenewed: false };
      at.turns = Math.max(at.turns, line.turn);
      at.spent = withSpent(at.spent, line);
      // No answer is requested while one is held. In journals in which another answer came, the held one had been dropped
      // silently.
      at.held = line.held === null ? null : heldBy(line, line.held, at);
      if (line.held === null) accept(at, line);
      return;
    case 'accepted': {
      const answer = at.answers.get(line.turn);
      if (at.held?.turn !== line.turn || answer === undefined) return;
      at.held = null;
      accept(at, answer);
      return;
    }
    case 'dropped':
      if (at.held?.turn === line.turn) at.held = null;
      return;
    case 'deleted':
      remove(at, line);
      return;
    case 'halted':
      at.halted = { how: line.how, reason: line.reason, evidence: line.evidence, at: line.at };
      return;
    default:
      line satisfies never;
  }
}

function heldBy({ turn, section }: Answered, anomaly: Anomaly, { answers }: Folding): DistillStanding['held'] {
  const same = [...answers.values()].filter((one) => one.section === section && one.held?.name === anomaly.name);
  return { turn, section, anomaly, times: same.length };
}

const withSpent = (spent: DistillSpent, { tokens, estimated, usd }: Answered): DistillSpent => ({
  tokens: spent.tokens + tokens,
  estimated: spent.estimated + (estimated ? tokens : 0),
  usd: spent.usd + (usd ?? 0),
  unpriced: spent.unpriced + (usd === null ? 1 : 0),
});

function accept(
  at: Folding,
  { turn, section, title, chars, tokens, ends, model, model_version, ...line }: Answered,
): void {
  const placed: StandingSection = {
    turn,
    section,
    title,
    chars,
    tokens,
    ends,
    modelVersion: model_version,
    at: (line as { at?: string }).at ?? '',
  };
  // This is nearly always the last section.
  if (section > at.lastSection) at.sections.push(placed);
  else at.sections = [...at.sections.filter((one) => one.section !== section), placed].sort(bySection);
  at.lastSection = Math.max(at.lastSection, section);
  at.wanted = at.wanted.filter((one) => one !== section);
  // An answer of the previous model does not show the version of the current one.
  if (model === undefined || model === at.begun?.model) at.modelVersion = model_version ?? at.modelVersion;
  at.complete = isComplete(at);
}

function remove(at: Folding, { section, again }: { section: number; again: boolean }): void {
  if (!at.sections.some((one) => one.section === section)) return;
  at.sections = at.sections.filter((one) => one.section !== section);
  if (again) at.wanted = [...at.wanted, section].sort((a, b) => a - b);
  at.complete = isComplete(at);
  // It rests because it was complete, which it is no more.
  if (!at.complete && at.halted?.how === 'complete') at.halted = null;
}

const bySection = (a: StandingSection, b: StandingSection): number => a.section - b.section;

const isComplete = ({ sections, wanted }: Folding): boolean => wanted.length === 0 && sections.at(-1)?.ends === true;

/** As the status shows it: `paused (refusal)`, `stopped`, `complete`; a running distillation has no such word. */
export function shownState(
  { begun, halted, complete }: DistillStanding,
  shown: (reason: PauseReason) => string,
): string {
  if (begun === null) return 'not begun';
  if (complete) return 'complete';
  if (halted === null) return 'open';
  return halted.how === 'paused' && halted.reason !== null ? `paused (${shown(halted.reason)})` : halted.how;
}

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

/** Decides what a distillation does next, from its state, its terms and the time. */
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
