// Reads the distilled books of a project, and one book with its document, its trace and its exports.

import path from 'node:path';
import { type OpenDistill, openDistill, viewed } from '../../../loops/distill/open-run.ts';
import { redactorOf } from '../../../loops/redactor.ts';
import { withoutMarker } from '../../../policies/distill/turn-contents.ts';
import { readBytesIfFit } from '../../../state/disk/regular-file.ts';
import { distillNames } from '../../../state/distill/run-folder.ts';
import { traceLines, turnOrNull } from '../../../state/distill/turns.ts';
import { JournalError } from '../../../state/journal/journal.ts';
import type { BookLine, BookShown, BooksShown } from '../../contract/overviews.ts';
import { answerWith, type Reply, refused, refusedBy, type ServedProject } from '../project.ts';

export async function booksShown({ cwd, environment, clock }: ServedProject): Promise<Reply> {
  const distillations: BookLine[] = [];
  for (const name of distillNames(cwd, environment)) {
    const opened = await opening(name, { cwd, environment, clock });
    if (opened.how === 'opened') distillations.push(lineOf(await viewed(opened.open)));
  }
  const shown: BooksShown = { distillations };
  return answerWith(shown);
}

type Place = Pick<ServedProject, 'cwd' | 'environment' | 'clock'>;

async function opening(name: string, { cwd, environment, clock }: Place) {
  try {
    return await openDistill(name, cwd, environment, clock);
  } catch (error) {
    if (error instanceof JournalError) return { how: 'invalid', message: error.message } as const;
    throw error;
  }
}

const lineOf = ({ name, state, model, sections, tokens, usd, unpriced_answers, calls }: BookLine) => ({
  ...{ name, state, model, sections },
  ...{ tokens, usd, unpriced_answers, calls },
});

const MOST_TRACE = 50;

export async function bookShown(name: string, project: ServedProject): Promise<Reply> {
  const opened = await opening(name, project);
  if (opened.how === 'invalid') return refused(404, opened.message);
  const { folder, checkpoint, standing } = opened.open;
  const { redact } = redactorOf(project.environment, []);
  const view = await viewed(opened.open);
  const textOf = (turn: number) => {
    const kept = turnOrNull(folder, turn);
    return kept === null ? '' : redact(withoutMarker(kept.answer.text, checkpoint.end_marker));
  };
  const document: BookShown['document'] = standing.sections.map(({ section, title, chars, turn }) => ({
    ...{ section, title, chars, text: textOf(turn), state: 'kept' },
  }));
  if (standing.held !== null) {
    const { section, turn } = standing.held;
    const text = textOf(turn);
    document.push({ section, title: `Section ${section}`, chars: text.length, text, state: 'held' });
  }
  const trace = traceLines(folder).slice(-MOST_TRACE);
  const { evidence, next_actions } = view;
  const waits_until = view.state === 'running' ? waitIn(trace.at(-1), project.clock()) : null;
  const requested = requestedSections(opened.open, view.state === 'running');
  const shown: BookShown = { ...lineOf(view), evidence, next_actions, waits_until, requested, document, trace };
  return answerWith(shown);
}

/** A call of a distillation has its section as its attempt. */
function requestedSections({ ledger, standing }: OpenDistill, isRunning: boolean): BookShown['requested'] {
  const answers = ledger.distilled.flatMap((line) => (line.fact === 'answered' ? [line] : []));
  const callsOf = new Map<number, (typeof ledger.calls extends Map<string, infer Call> ? Call : never)[]>();
  for (const call of ledger.calls.values()) {
    const { attempt: section } = call.reserved;
    callsOf.set(section, [...(callsOf.get(section) ?? []), call]);
  }
  return [...callsOf]
    .sort(([one], [other]) => one - other)
    .map(([section, calls]) => {
      const own = answers.filter((answer) => answer.section === section);
      const open = isRunning ? calls.find(({ verdict }) => verdict === null) : undefined;
      const accepted = standing.sections.some((each) => each.section === section);
      const rest = standing.held?.section === section ? 'held' : accepted ? 'accepted' : 'open';
      // The clock can have been set back during a call.
      const took = calls.map(({ reserved, verdict }) =>
        verdict === null ? 0 : Math.max(0, Date.parse(verdict.at) - Date.parse(reserved.at)),
      );
      const priced = own.flatMap(({ usd }) => usd ?? []);
      return {
        section,
        title: own.at(-1)?.title ?? null,
        state: open === undefined ? rest : 'running',
        attempts: calls.length,
        ms: took.reduce((sum, ms) => sum + ms, 0),
        since: open?.reserved.at ?? null,
        usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
        unpriced: own.length - priced.length,
      };
    });
}

/** Returns the end of the wait that the service requested, if this was the last event and the wait is not over. */
function waitIn(line: string | undefined, now: Date): string | null {
  try {
    const { at, error } = JSON.parse(line ?? '') as { at: string; error?: { retry_after_ms?: number | null } };
    const untilMs = Date.parse(at) + (error?.retry_after_ms ?? 0);
    return untilMs > now.getTime() ? new Date(untilMs).toISOString() : null;
  } catch {
    return null;
  }
}

const MAX_EXPORT = 256 * 1024 * 1024;
const EXPORT = /^export\.(md|txt|pdf)$/;

/** The command makes the export; the file is read from the path that the command reports. */
export async function exportedBook(
  name: string,
  wish: string,
  project: ServedProject,
  gone: AbortSignal,
): Promise<Reply> {
  const format = EXPORT.exec(wish)?.[1];
  if (format === undefined) return refused(404, 'a book is exported as export.md, export.txt or export.pdf');
  const opened = await opening(name, project);
  if (opened.how === 'invalid') return refused(404, opened.message);
  const made = await project.commands.make(['distill', 'export', name, `--format=${format}`], gone);
  if (made.exit !== 0 || typeof made.object.file !== 'string') return refusedBy(made);
  const bytes = readBytesIfFit(made.object.file, MAX_EXPORT);
  if (bytes === null) return refused(409, `${made.object.file} is there, and cannot be read`);
  return { how: 'file', name: path.basename(made.object.file), bytes };
}
