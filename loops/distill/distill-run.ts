// Defines a distillation that this process drives: its shared state, its progress events, and the only writer of its facts.

import type { Anomaly } from '../../policies/distill/anomalies.ts';
import type { DistillBudgets } from '../../policies/distill/budgets.ts';
import { foldStanding, type UploadWhy } from '../../policies/distill/distillation.ts';
import type { PauseReason } from '../../policies/distill/pauses.ts';
import type { UploadedBook } from '../../policies/distill/service.ts';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import type { DistillCheckpoint } from '../../state/distill/checkpoint.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import { type Fact, JOURNAL_VERSION } from '../../state/journal/facts.ts';
import { foldAnew, type Journal } from '../../state/journal/journal.ts';
import { fold, type Ledger } from '../../state/journal/ledger.ts';
import type { DocumentService } from '../../wrappers/gemini-api/document-service.ts';
import type { openControl } from './control.ts';
import type { BookHistory } from './history.ts';

interface DistillContext {
  cwd: string;
  environment: NodeJS.ProcessEnv;
  clock: () => Date;
  random: () => number;
  /** Ends at once when `stop` aborts. */
  pause(ms: number, stop: AbortSignal): Promise<void>;
  tell(event: DistillEvent): void;
}

interface DistillTerms {
  budgets: DistillBudgets;
  /** If the service requests a longer wait, the distillation pauses. */
  autoWaitMs: number;
  /** The longest time for one answer. */
  turnMs: number;
  prices: ProjectFile['prices'];
}

/** Uploads the book and waits until it is ready. It makes its own retries and waits, and reports them. */
type UploadBook = (book: BookToUploadFrom, run: DistillRun, why: UploadWhy) => Promise<UploadEnd>;

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
  fold: ReturnType<typeof foldStanding>;
  history: BookHistory;
  service: DocumentService;
  upload: UploadBook;
  control: ReturnType<typeof openControl>;
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
      for (const added of ledger.distilled.slice(before)) standing.add(added as Parameters<typeof standing.add>[0]);
    },
  };
}

/** `--json` prints each as one line. Past tense, with the values that its reader shows. */
export type DistillEvent =
  | { event: 'begun' | 'resumed'; name: string; book: string; model: string; sections: number }
  | { event: 'noted'; text: string }
  | { event: 'uploading'; why: UploadWhy; bytes: number; of: number }
  /** The service has the book, and prepares it. */
  | { event: 'processing'; elapsed_ms: number }
  | { event: 'uploaded'; file: string; expires_at: string | null }
  | { event: 'asking'; section: number; attempt: number }
  /** A request failed, and is repeated: `attempt` is the number of the next one. */
  | {
      event: 'waiting';
      what: 'upload' | 'section';
      section: number | null;
      attempt: number;
      wait_ms: number;
      why: string;
    }
  | {
      event: 'answered';
      section: number;
      title: string;
      tokens: number;
      estimated: boolean;
      /** For the whole distillation, including this section. */
      total_tokens: number;
      total_usd: number;
      elapsed_ms: number;
      held: Anomaly | null;
    }
  | { event: 'deleted'; section: number; again: boolean };

/** The file that is sent to the service, and its name there. */
interface BookToUploadFrom {
  file: string;
  mimeType: string;
  displayName: string;
  bytes: number;
}
