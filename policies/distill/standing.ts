// Where a distillation stands: its facts folded. Pure: the same facts give every reader the same answer.

import type { Anomaly } from './anomalies.ts';
import { type DistillSpent, NOTHING_SPENT } from './budgets.ts';
import type { DistillFact, HaltHow } from './distill-facts.ts';
import type { PauseReason } from './pauses.ts';
import type { FileReference } from './turn-contents.ts';

type Answered = Extract<DistillFact, { fact: 'answered' }>;
export type DistillLine = DistillFact & { at: string };

/** An accepted answer in its place. */
interface StandingSection extends Pick<Answered, 'turn' | 'section' | 'title' | 'chars' | 'tokens' | 'ends'> {
  modelVersion: string | null;
  at: string;
}

interface StandingFile extends FileReference {
  name: string;
  expiresAt: string | null;
  /** Uploaded anew, and no answer came since. */
  isRenewed: boolean;
}

export interface DistillStanding {
  begun: { bookSha256: string; promptSha256: string; model: string; at: string } | null;
  file: StandingFile | null;
  /** In the order of the book. */
  sections: readonly StandingSection[];
  /** Deleted, and to be asked for again; the lowest first. */
  wanted: readonly number[];
  /** Paid for, and not of the book until a person says so; `times`: how often answers to this section were held for that. */
  held: { turn: number; section: number; anomaly: Anomaly; times: number } | null;
  /** Answers that were ever paid; the next one's number is one more. */
  turns: number;
  /** The highest place that was ever taken. */
  lastSection: number;
  modelVersion: string | null;
  /** The last section has the end marker. */
  complete: boolean;
  spent: DistillSpent;
  /** How the loop was left, if nothing came after it. */
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

export interface StandingFold {
  add(line: DistillLine): void;
  standing(): DistillStanding;
}

/** In one pass, and one line at a time: a turn costs the same however many came before it. */
export function foldStanding(lines: readonly DistillLine[]): StandingFold {
  const at: Folding = { ...NOT_DISTILLED, sections: [], answers: new Map() };
  for (const line of lines) fold(at, line);
  return { add: (line) => fold(at, line), standing: () => at };
}

function fold(at: Folding, line: DistillLine): void {
  // A section that is deleted at rest says nothing of why it rests.
  if (line.fact !== 'deleted') at.halted = null;
  switch (line.fact) {
    case 'distilled':
      // A model that was changed by name has a version of its own.
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
      // The same fact once more, or an answer that stands already.
      if (at.answers.has(line.turn)) return;
      at.answers.set(line.turn, line);
      if (at.file !== null) at.file = { ...at.file, isRenewed: false };
      at.turns = Math.max(at.turns, line.turn);
      at.spent = withSpent(at.spent, line);
      // Nothing is asked for while an answer is held: journals in which another came dropped that one without a word.
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
  // Nearly always the last one.
  if (section > at.lastSection) at.sections.push(placed);
  else at.sections = [...at.sections.filter((one) => one.section !== section), placed].sort(bySection);
  at.lastSection = Math.max(at.lastSection, section);
  at.wanted = at.wanted.filter((one) => one !== section);
  // An answer of the model before says nothing of the version that answers now.
  if (model === undefined || model === at.begun?.model) at.modelVersion = model_version ?? at.modelVersion;
  at.complete = isComplete(at);
}

function remove(at: Folding, { section, again }: { section: number; again: boolean }): void {
  if (!at.sections.some((one) => one.section === section)) return;
  at.sections = at.sections.filter((one) => one.section !== section);
  if (again) at.wanted = [...at.wanted, section].sort((a, b) => a - b);
  at.complete = isComplete(at);
}

const bySection = (a: StandingSection, b: StandingSection): number => a.section - b.section;

const isComplete = ({ sections, wanted }: Folding): boolean => wanted.length === 0 && sections.at(-1)?.ends === true;

/** As the status shows it: `paused (refusal)`, `stopped`, `complete`; what runs has no such word. */
export function shownState(
  { begun, halted, complete }: DistillStanding,
  shown: (reason: PauseReason) => string,
): string {
  if (begun === null) return 'not begun';
  if (complete) return 'complete';
  if (halted === null) return 'open';
  return halted.how === 'paused' && halted.reason !== null ? `paused (${shown(halted.reason)})` : halted.how;
}
