// Declares what the page reads: the JSON of GET for each address. An id in an address is encoded as one part of it.

import type {
  BatchesShown,
  BatchShown,
  BookShown,
  BooksShown,
  ComparisonShown,
  ComparisonsShown,
  ExplainedShown,
  FailuresShown,
  FleetShown,
  LimitsShown,
  MachineShown,
  NowShown,
  SpentShown,
  SupervisionsShown,
} from './overviews.ts';
import type { PageShown, TaskLine } from './page.ts';
import type { ConversationShown, HealthShown, SessionsShown } from './sessions.ts';
import type { ChoicesShown, DiffShown, DiffsShown, ManifestShown, TaskShown, TextShown } from './task.ts';

export interface Resources {
  '/api/page': PageShown;
  '/api/now': NowShown;
  '/api/tasks': { tasks: TaskLine[] };
  '/api/failures': FailuresShown;
  '/api/budgets': LimitsShown;
  '/api/spent': SpentShown;
  '/api/sessions': SessionsShown;
  '/api/health': HealthShown;
  '/api/supervise': SupervisionsShown;
  '/api/compare': ComparisonsShown;
  '/api/batch': BatchesShown;
  '/api/distill': BooksShown;
  '/api/machine': MachineShown;
  /** Only of a console with --database. */
  '/api/fleet': FleetShown;
  '/api/choices': ChoicesShown;
  /** TASK_SCHEMA.json. */
  '/api/schema': object;
}

/** The resources with an id, by their kind. */
export interface ResourcesOf {
  /** /api/tasks/ID */
  task: TaskShown;
  /** /api/tasks/ID/explain */
  explain: ExplainedShown;
  /** /api/tasks/ID/diff */
  diffs: DiffsShown;
  /** /api/tasks/ID/diff/STAGE */
  diff: DiffShown;
  /** /api/tasks/ID/manifest */
  manifest: ManifestShown;
  /** /api/tasks/ID/texts/NAME is its beginning, /api/tasks/ID/texts/NAME/end its end. */
  text: TextShown;
  /** /api/sessions/ID */
  session: ConversationShown;
  /** /api/compare/ID */
  comparison: ComparisonShown;
  /** /api/batch/ID */
  batch: BatchShown;
  /** /api/distill/NAME; its exports are at /api/distill/NAME/export.md, .txt and .pdf, as files to download. */
  book: BookShown;
}
