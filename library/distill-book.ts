// Distils a book for a program, with options instead of flags; pauses, stops and reads a distillation.

import path from 'node:path';
import { distill } from '../loops/distill/distill.ts';
import { askToEnd } from '../loops/distill/drive.ts';
import { renderInProcess } from '../loops/distill/export/render-export.ts';
import { distilledBook, writeExport } from '../loops/distill/export/write-export.ts';
import { type OpenDistill, openDistill, viewed } from '../loops/distill/open-run.ts';
import type { DistillAim } from '../loops/distill/request.ts';
import { serviceOf } from '../loops/distill/service.ts';
import { uploadBook } from '../loops/distill/upload.ts';
import { refusalInCall } from '../loops/report/calling-call.ts';
import { pauseFor } from '../loops/stage/pauses.ts';
import type { AnomalyName } from '../policies/distill/anomalies.ts';
import { createRedactor } from '../policies/redact/create-redactor.ts';
import { redactValue } from '../policies/redact/redactor.ts';
import { JournalError } from '../state/journal/journal.ts';
import { refusalOf } from '../state/system-error.ts';
import { isTrustedFolder } from '../state/trusted-folders.ts';
import { LOOSENS } from './run-task.ts';
import type { BookEnd, BookEvent, BookOptions, BookStanding, ResumeBookOptions, Whereabouts } from './surface.ts';

type Tell = (event: BookEvent) => void;

export const distillNamed = (book: string, options: BookOptions, tell: Tell): Promise<BookEnd> => {
  const { promptFile = null, name = null } = options;
  return driven({ how: 'book', book: path.resolve(options.cwd ?? '.', book), promptFile, name }, options, tell);
};

export const resumeNamed = (name: string, options: ResumeBookOptions, tell: Tell): Promise<BookEnd> => {
  const { held = 'ask_again', whenTaken = 'refuse' } = options;
  const kept = held === 'accept' ? 'accept' : 'drop';
  return driven({ how: 'resume', name, held: kept, force: whenTaken === 'force' }, options, tell);
};

const MINUTE_MS = 60_000;

async function driven(aim: DistillAim, options: BookOptions, tell: Tell): Promise<BookEnd> {
  const { environment = process.env, halt = NEVER, signal = NEVER, maxCalls = null, exports = [] } = options;
  const cwd = path.resolve(options.cwd ?? '.');
  const within = maxCalls === null ? null : await refusalInCall('change the limit of a distillation', LOOSENS);
  if (within !== null) return { how: 'invalid', message: within };
  const trustWorkspace = options.trustWorkspace ?? isTrustedFolder(cwd, environment);
  const turnMs = options.answerTimeoutMs ?? 30 * MINUTE_MS;
  const clean = cleaner(environment);
  try {
    const ended = await distill({
      aim,
      said: {
        model: options.model ?? null,
        temperature: options.temperature ?? null,
        endMarker: options.endMarker?.trim() ?? null,
        noCheck: options.noCheck?.map((check) => check.replaceAll('-', '_') as AnomalyName) ?? null,
        out: options.out ?? null,
        maxCalls,
        via: options.via ?? null,
      },
      terms: {
        budgets: {
          maxSeconds: options.maxSeconds ?? null,
          maxTokens: options.maxTokens ?? null,
          maxUsd: options.maxUsd ?? null,
        },
        autoWaitMs: options.autoWaitMs ?? MINUTE_MS,
        turnMs,
      },
      context: {
        ...{ cwd, environment, clock: NOW, random: Math.random, pause: pauseFor },
        tell: (event) => tell(clean(event)),
      },
      means: {
        service: (begun) => serviceOf(begun, { environment, trustWorkspace, turnMs }),
        upload: uploadBook,
      },
      stop: signal,
      halt,
    });
    if (ended.how !== 'ended') return clean(ended);
    const opened = await openDistill(ended.name, cwd, environment, NOW);
    if (opened.how === 'invalid') return clean(opened);
    const book = await viewed(opened.open);
    return clean({ how: 'ended', book, ...(await exported(opened.open, exports, halt)) });
  } catch (error) {
    const message = error instanceof JournalError ? error.message : refusalOf(error);
    if (message === null) throw error;
    return { how: 'failed', message };
  }
}

const NEVER = new AbortController().signal;

const NOW = (): Date => new Date();

/** The live document is there already, so that an export that fails is only a note. */
async function exported(
  open: OpenDistill,
  formats: NonNullable<BookOptions['exports']>,
  stop: AbortSignal,
): Promise<{ exports: string[]; notes: string[] }> {
  const exports: string[] = [];
  const distilled = formats.length === 0 ? null : distilledBook(open, false);
  if (distilled === null) return { exports, notes: [] };
  const notes = distilled.lost === null ? [] : [`omitted: ${distilled.lost}`];
  if (distilled.sections.length === 0) return { exports, notes: [...notes, 'no section is there to export'] };
  for (const format of new Set(formats)) {
    const written = await writeExport({
      ...{ distilled, format, fonts: [], out: null, runFolder: open.folder.root },
      render: (work) => renderInProcess(work, stop),
      folder: path.join(open.checkpoint.out, 'exports'),
    });
    if (written.how === 'done') exports.push(written.file);
    notes.push(...(written.how === 'done' ? written.notes : [written.why]));
  }
  return { exports, notes };
}

/** Reports state that cannot be read. @param wish ends it; without one it is only read. */
export async function readBookNamed(
  name: string,
  where: Whereabouts,
  wish: 'pause' | 'stop' | null = null,
): Promise<BookStanding> {
  const { cwd = '.', environment = process.env } = where;
  try {
    const opened = await openDistill(name, path.resolve(cwd), environment, NOW);
    if (opened.how === 'invalid') return opened;
    if (wish === null) return cleaner(environment)({ how: 'read', book: await viewed(opened.open) });
    await askToEnd(opened.open, wish, NOW);
    return await readBookNamed(name, where);
  } catch (error) {
    const message = error instanceof JournalError ? error.message : refusalOf(error);
    if (message === null) throw error;
    return { how: 'invalid', message };
  }
}

/** A service's message may repeat a key. */
function cleaner(environment: NodeJS.ProcessEnv): <T>(value: T) => T {
  const { redact } = createRedactor({ env: environment, patterns: [] });
  return <T>(value: T) => redactValue(value, redact) as T;
}
