// Defines a distillation that this process drives: the state that its steps share, and the only function that writes facts.

import type { DistillBudgets } from '../../../policies/distill/budgets.ts';
import type { UploadWhy } from '../../../policies/distill/distill-facts.ts';
import type { PauseReason } from '../../../policies/distill/pauses.ts';
import type { UploadedBook } from '../../../policies/distill/service.ts';
import { type DistillLine, foldStanding, type StandingFold } from '../../../policies/distill/standing.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import type { ProjectFile } from '../../../policies/manifest/project-file.ts';
import type { DistillCheckpoint } from '../../../state/distill/checkpoint.ts';
import type { DistillFolder } from '../../../state/distill/run-folder.ts';
import type { Fact } from '../../../state/journal/facts.ts';
import { JOURNAL_VERSION } from '../../../state/journal/facts.ts';
import { foldAnew, type Journal } from '../../../state/journal/journal.ts';
import { fold, type Ledger } from '../../../state/journal/ledger.ts';
import type { DocumentService } from '../../../wrappers/gemini-api/document-service.ts';
import type { DistillControl } from './control.ts';
import type { BookHistory } from './history.ts';
import type { BookToUploadFrom, DistillEvent } from './progress.ts';

export interface DistillContext {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  tell(event: DistillEvent): void;
}

export interface DistillTerms {
  budgets: DistillBudgets;
  /** If the service requests a longer wait, the distillation pauses. */
  autoWaitMs: number;
  /** The longest time for one answer. */
  turnMs: number;
  prices: ProjectFile['prices'];
}

/** Uploads the book and waits until it is ready. It makes its own retries and waits, and reports them. */
export type UploadBook = (book: BookToUploadFrom, run: DistillRun, why: UploadWhy) => Promise<UploadEnd>;

export type UploadEnd =
  | { how: 'ready'; file: UploadedBook }
  | { how: 'failed'; reason: PauseReason; evidence: string }
  | { how: 'aborted' };

/** The end of a turn or an upload after which the loop does not simply continue. */
export type StepLeft = { how: 'paused'; reason: PauseReason; evidence: string } | { how: 'aborted' };

export interface DistillRun {
  folder: DistillFolder;
  checkpoint: DistillCheckpoint;
  prompt: string;
  book: BookToUploadFrom;
  /** The live document, and its length computed from the answers. */
  document: string;
  documentBytes: number;
  runId: string;
  self: ProcessIdentity;
  ledger: Ledger;
  fold: StandingFold;
  history: BookHistory;
  service: DocumentService;
  upload: UploadBook;
  control: DistillControl;
  terms: DistillTerms;
  context: DistillContext;
  /** Returns when the fact is on disk. */
  record(fact: Fact): void;
  /** Removes the last reservation from the paid calls. */
  uncount(): void;
  trace(line: object): void;
  redact(text: string): string;
  /** The time of this run of the command. */
  elapsedMs(): number;
}

/** Only this process writes while it has the run. So the facts are read once, and each new line is added to the fold. */
export function recorderOf(
  journal: Journal,
  clock: () => Date,
): Pick<DistillRun, 'ledger' | 'fold' | 'record' | 'uncount'> {
  const { ledger } = foldAnew(journal.file);
  const standing = foldStanding(ledger.distilled);
  let facts = 0;
  return {
    ledger,
    fold: standing,
    uncount() {
      const { ledger: kept, offset } = journal.read();
      journal.append({ fact: 'reset', used: kept.used - 1, at_offset: offset });
      ledger.used -= 1;
    },
    record(fact) {
      journal.append(fact);
      const line = { v: JOURNAL_VERSION, at: clock().toISOString(), ...fact };
      const before = ledger.distilled.length;
      facts += 1;
      fold(ledger, line, Number.MAX_SAFE_INTEGER - 1e6 + facts);
      for (const added of ledger.distilled.slice(before)) standing.add(added as DistillLine);
    },
  };
}
