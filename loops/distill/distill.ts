// Runs a distillation from its beginning or from where it stopped: checks everything, claims the run, and records every end.

import { isDeepStrictEqual } from 'node:util';
import { isEmptyAnswer } from '../../policies/distill/anomalies.ts';
import { DEFAULT_CALLS } from '../../policies/distill/budgets.ts';
import { foldStanding } from '../../policies/distill/distillation.ts';
import { endedModelNote, moneyMistake } from '../../policies/distill/models.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { createRedactor } from '../../policies/redact/create-redactor.ts';
import { writeAtomic } from '../../state/atomic-file.ts';
import { makeFolder } from '../../state/disk/folder.ts';
import { UnfitFileError } from '../../state/disk/regular-file.ts';
import { type DistillCheckpoint, readCheckpoint, writeCheckpoint } from '../../state/distill/checkpoint.ts';
import { writeDocument } from '../../state/distill/live-document.ts';
import type { DistillFolder } from '../../state/distill/run-folder.ts';
import { keptTurn, openTrace } from '../../state/distill/turns.ts';
import { type Journal, openJournal } from '../../state/journal/journal.ts';
import { readProject } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { networkMistake } from '../../state/volume.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { claim } from '../task/claim.ts';
import { begin, placeMistake } from './begin.ts';
import { ArchiveRefusal } from './book/archive.ts';
import { bookToSend } from './book/book-text.ts';
import { openControl } from './control.ts';
import { type DistillRun, recorderOf } from './distill-run.ts';
import { type DistillEnd, drive } from './drive.ts';
import { documentOf, driverOf, historyOf } from './open-run.ts';
import type { DistilledEnd, DistillRequest } from './request.ts';
import { place, takeLeftovers } from './take-turn.ts';

type Ready = Extract<Awaited<ReturnType<typeof begin>>, { how: 'ready' }>;

/** Returns failures of the service, the input, and the disk before a payment. A later failure of the disk throws. */
export async function distill(request: DistillRequest): Promise<DistilledEnd> {
  const { context } = request;
  const begun = await begin(request);
  if (begun.how === 'invalid') return begun;
  const misplaced = placeMistake(begun);
  if (misplaced !== null) return { how: 'invalid', message: misplaced };
  const service = await request.means.service(begun);
  if (typeof service === 'string') return { how: 'invalid', message: service };
  const mistake = networkMistake(begun.folder.root);
  if (mistake !== null) return { how: 'invalid', message: mistake };
  const project = await readProject(projectRoot(context.cwd));
  if (project.how === 'invalid') return project;
  const { max_usd, model, via } = begun.checkpoint;
  const unpriced = max_usd === null ? null : moneyMistake(model, via ?? null, project.value.prices);
  // The limit that an earlier version accepted for a CLI has no effect, and the user could not remove it.
  const isIdle = unpriced !== null && via && request.terms.budgets.maxUsd === null;
  if (unpriced !== null && !isIdle) return { how: 'invalid', message: unpriced };
  if (isIdle) {
    begun.checkpoint.max_usd = null;
    context.tell({ event: 'noted', text: `the limit of $${max_usd} is ignored: ${unpriced}` });
  }
  const journal = openJournal(begun.folder.root, context.clock);
  makeFolder(begun.folder.root);
  const { stop, halt } = request;
  const whenTaken = request.aim.how === 'resume' && request.aim.force ? 'force_or_refuse' : 'refuse';
  const claimed = await claim({ journal, whenTaken, stop: halt, say: () => {} });
  if (claimed.how === 'stopped') return { how: 'taken', message: 'stopped before it began' };
  if (claimed.how !== 'done') return { how: 'taken', message: await takenBy(journal, begun.folder.name) };
  let control: DistillRun['control'] | null = null;
  let end: DistillEnd = { how: 'interrupted', reason: null, evidence: 'it ended before its result was known' };
  try {
    const unfit =
      request.aim.how === 'resume' && request.aim.held === 'accept' ? unacceptable(begun.folder, journal) : null;
    if (unfit !== null) return { how: 'invalid', message: unfit };
    const changed = await changedMeanwhile(begun, journal);
    if (changed !== null) return { how: 'invalid', message: changed };
    control = openControl(begun.folder, claimed.runId, stop, halt);
    const run = await openRun({ ...begun, service }, request, claimed.runId, control, project.value.prices);
    end = (await prepareBook(run, begun)) ?? (await settled(run, request));
    run.record({ fact: 'halted', run_id: claimed.runId, ...end });
    return { how: 'ended', name: begun.folder.name };
  } finally {
    control?.close();
    const { exitCode, state } = ENDS[end.how];
    journal.append({ fact: 'released', run_id: claimed.runId, exit_code: exitCode, state });
  }
}

const ENDS = {
  complete: { exitCode: TOLLGATE_EXIT.ok, state: 'done' },
  paused: { exitCode: TOLLGATE_EXIT.failure, state: 'failed' },
  stopped: { exitCode: TOLLGATE_EXIT.failure, state: 'failed' },
  interrupted: { exitCode: TOLLGATE_EXIT.failure, state: 'interrupted' },
} as const satisfies Record<DistillEnd['how'], object>;

/** Prepares the book for sending; it may have changed since the check. @returns why it cannot be sent. */
async function prepareBook(
  run: DistillRun,
  { checkpoint: { book, model, via }, found, folder }: Ready,
): Promise<DistillEnd | null> {
  try {
    const file = await bookToSend(book, found.kind, folder.root);
    run.book = { ...run.book, ...file };
    const notes = via ? [] : [file.note, endedModelNote(model, run.context.clock())];
    for (const text of notes) if (text !== null) run.context.tell({ event: 'noted', text });
    return null;
  } catch (error) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!isFull && !(error instanceof ArchiveRefusal) && !(error instanceof UnfitFileError) && !isSystemError(error))
      throw error;
    const evidence = `the text of ${book} cannot be written down: ${(error as Error).message}`;
    return { how: 'paused', reason: isFull ? 'disk' : 'book', evidence };
  }
}

async function settled(run: DistillRun, request: DistillRequest): Promise<DistillEnd> {
  settle(run, request);
  return drive(run);
}

async function takenBy(journal: ReturnType<typeof openJournal>, name: string): Promise<string> {
  const driver = await driverOf(journal.read().ledger);
  const who = driver === null ? 'another process' : `another process (pid ${driver.pid} on ${driver.host})`;
  if (driver?.elsewhere)
    return `${who}, which cannot be looked up from here, drives the distillation ${name}; if it is gone: tollgate distill resume ${name} --force`;
  return `${who} drives the distillation ${name} now; tollgate distill status ${name} shows it, tollgate distill pause ${name} pauses it`;
}

async function openRun(
  { folder, checkpoint, prompt, found, seen, service }: Ready & { service: DistillRun['service'] },
  { means, terms, said, context, aim }: DistillRequest,
  runId: string,
  control: DistillRun['control'],
  prices: DistillRun['terms']['prices'],
): Promise<DistillRun> {
  // Written before the facts, which name its hashes.
  if (seen === null) await writeAtomic(folder.prompt, prompt);
  await writeCheckpoint(folder, checkpoint);
  const journal = openJournal(folder.root, context.clock);
  const kept = recorderOf(journal, context.clock);
  const { redact } = createRedactor({ env: context.environment, patterns: [] });
  const began = performance.now();
  const budget = said.maxCalls ?? (seen === null || kept.ledger.budget === null ? DEFAULT_CALLS : null);
  if (budget !== null) kept.record({ fact: 'budget', calls: budget, from: 'command' });
  if (isChanged(kept.fold.standing().begun, checkpoint))
    kept.record({ fact: 'distilled', run_id: runId, ...hashesOf(checkpoint) });
  const standing = kept.fold.standing();
  const history = historyOf(folder, checkpoint, standing);
  const document = documentOf(checkpoint);
  context.tell({
    event: aim.how === 'book' && standing.turns === 0 ? 'begun' : 'resumed',
    name: folder.name,
    book: checkpoint.book,
    model: checkpoint.model,
    sections: standing.sections.length,
  });
  return {
    folder,
    checkpoint,
    prompt,
    book: { file: checkpoint.book, mimeType: '', displayName: folder.name, bytes: found.bytes },
    document,
    documentBytes: writeDocument(document, history.texts()),
    runId,
    self: (await identify(process.pid))!,
    ...kept,
    history,
    service,
    upload: means.upload,
    control,
    terms: { ...terms, prices },
    context,
    trace: openTrace(folder, redact, (why) =>
      context.tell({ event: 'noted', text: `the trace cannot be written (${why}), and this run continues without it` }),
    ),
    redact,
    elapsedMs: () => Math.round(performance.now() - began),
  };
}

const hashesOf = ({ book_sha256, prompt_sha256, model }: DistillCheckpoint) => ({ book_sha256, prompt_sha256, model });

const isChanged = (begun: { model: string } | null, { model }: DistillCheckpoint): boolean => begun?.model !== model;

/** Handles what remains of an earlier run: a held answer, answers on disk, and requests in progress. */
function settle(run: DistillRun, { aim }: DistillRequest): void {
  const { held, complete } = run.fold.standing();
  for (const text of takeLeftovers(run)) run.context.tell({ event: 'noted', text });
  // Looks only at an answer that was held before. One that is held only now is unknown to the user; it was paid for, and is not
  // dropped without a request.
  if (held === null || complete) return;
  if (aim.how === 'resume' && aim.held === 'accept') {
    run.record({ fact: 'accepted', turn: held.turn });
    place(keptTurn(run.folder, held.turn), run);
  } else if (aim.how === 'resume') {
    run.record({ fact: 'dropped', turn: held.turn });
    const again = heldAgain(held, run);
    if (again !== null) run.context.tell({ event: 'noted', text: again });
  }
}

/** Each repeat that has the same result costs money. */
function heldAgain({ section, anomaly, times }: HeldAnswer, { folder, checkpoint }: DistillRun): string | null {
  const { name } = anomaly;
  if (checkpoint.no_check.includes(name) || (times < 2 && name !== 'model_changed')) return null;
  const often = times < 2 ? anomaly.evidence : `section ${section} was held ${times} times for the same (${name})`;
  return `${often}: the next answer is likely held too; then tollgate distill resume ${folder.name} --accept keeps it, or --no-check ${name.replaceAll('_', '-')} takes what comes`;
}

type HeldAnswer = NonNullable<ReturnType<DistillRun['fold']['standing']>['held']>;

/**
 * Compares the state that was read before the claim with the current state, because another process may have begun it meanwhile.
 * @returns why it cannot be resumed. Its answers belong to one book, whatever `run.json` says.
 */
async function changedMeanwhile({ folder, checkpoint, seen }: Ready, journal: Journal): Promise<string | null> {
  const read = await readCheckpoint(folder);
  if (read.how === 'invalid') return read.message;
  if (!isDeepStrictEqual(read.how === 'read' ? read.checkpoint : null, seen))
    return `another process changed ${folder.checkpoint} meanwhile; say it again`;
  const { begun } = foldStanding(journal.read().ledger.distilled).standing();
  if (begun === null) return null;
  const { book_sha256, prompt_sha256 } = checkpoint;
  const another = [
    ...(begun.bookSha256 === book_sha256 ? [] : ['book']),
    ...(begun.promptSha256 === prompt_sha256 ? [] : ['prompt']),
  ];
  if (another.length === 0) return null;
  return `the answers in ${folder.root} are of another ${another.join(' and another ')} (by the SHA-256 in its journal); begin this one under another --name`;
}

/** @returns null if the held answer can be kept. */
function unacceptable(folder: DistillFolder, journal: Journal): string | null {
  const { name } = folder;
  const { held } = foldStanding(journal.read().ledger.distilled).standing();
  if (held === null)
    return `no answer of ${name} is held, so that --accept has none to keep; tollgate distill resume ${name} continues, and tollgate distill status ${name} shows its state`;
  if (isEmptyAnswer(keptTurn(folder, held.turn).answer))
    return `the answer that is held for section ${held.section} of ${name} is empty, and no history with an empty answer is taken; tollgate distill resume ${name} asks for that section again`;
  return null;
}
