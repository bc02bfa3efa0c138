// Collects the API failures in a project's logs, with the outcome of each; does not read conversations.

import path from 'node:path';
import type { ApiError, ApiOutcome, Response } from '../../policies/api-errors/entry.ts';
import { type ApiFailure, healthOf, standOf } from '../../policies/api-errors/health.ts';
import { cut } from '../../policies/text/display.ts';
import { LOG_NAME } from '../../state/api-errors/place.ts';
import { logFiles, readLog } from '../../state/api-errors/read.ts';
import { lookAt } from '../../state/disk/regular-file.ts';
import { projectState } from '../../state/task-folder.ts';

export interface LoggedError extends Pick<ApiError, 'at' | 'context'> {
  /** The beginning of the message. */
  message: string;
  status: number | null;
  headers: Response['headers'];
  stand: ApiFailure['stand'];
  /** The log that contains it, and its place in that log. */
  log: string;
  from: number;
  data: { at: number; bytes: number };
}

export interface ErrorsReport {
  /** The folder that contains the logs. */
  folder: string;
  /** Oldest first. */
  errors: LoggedError[];
  /** The number of older failures, before `since` or not among the last. */
  left_out: number;
  /** Entries that are torn, or of a newer version. */
  unreadable: { file: string; at: number }[];
}

export interface HealthReport extends ReturnType<typeof healthOf> {
  folder: string;
  /** The number of entries that could not be read and are not counted. */
  unreadable: number;
}

type CollectedErrors<T> = { how: 'read'; value: T } | { how: 'invalid'; message: string };

interface CollectingErrors {
  /** A project, a state folder, its tasks or one task; null for the project of `cwd`. */
  word: string | null;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  now: Date;
}

/** @param last the maximum number; null for all. @param since ISO time; null for all. */
export function collectErrors(
  from: CollectingErrors,
  since: string | null,
  last: number | null,
): CollectedErrors<ErrorsReport> {
  const folder = folderOf(from);
  if (folder === null) return invalid(from.word ?? '');
  const { errors, outcomes, unreadable } = readAll(folder, (read) => read);
  const wished = errors.filter(({ at }) => since === null || at >= since);
  const kept = last === null ? wished : wished.slice(Math.max(0, wished.length - last));
  for (const error of kept) error.stand = standOf(error.context.run_id, outcomes.get(error.context.call_id));
  return { how: 'read', value: { folder, errors: kept, left_out: errors.length - kept.length, unreadable } };
}

/** Counts the failures since an ISO time, by day, tool and version. Returns `invalid` if there is no project. */
export function collectHealth(from: CollectingErrors, since: string): CollectedErrors<HealthReport> {
  const folder = folderOf(from);
  if (folder === null) return invalid(from.word ?? '');
  // Keeps only the counted fields, because a log may contain many small failures.
  const { errors, outcomes, unreadable } = readAll(folder, ({ at, context }) => {
    const { tool, cli_version, class: errorClass, run_id, call_id } = context;
    return { at, tool, cli_version, class: errorClass, run_id, call_id };
  });
  const failures = errors.map(
    (error): ApiFailure => ({ ...error, stand: standOf(error.run_id, outcomes.get(error.call_id)) }),
  );
  return {
    how: 'read',
    value: { folder, ...healthOf(failures, since, from.now), unreadable: unreadable.length },
  };
}

/** Reads each call once, whichever process logged it. A log that is renamed meanwhile is read under its new name. */
function readAll<T extends { at: string }>(folder: string, keep: (error: LoggedError) => T) {
  const errors: T[] = [];
  const outcomes = new Map<string, ApiOutcome>();
  const unreadable: ErrorsReport['unreadable'] = [];
  const calls = new Set<string>();
  const read = new Set<string>();
  for (let fresh = logFiles(folder); fresh.length > 0; fresh = logFiles(folder).filter((file) => !read.has(file)))
    for (const file of fresh) {
      read.add(file);
      for (const found of readLog(file)) {
        if (found.how === 'invalid') unreadable.push({ file, at: found.at });
        else if (found.how === 'outcome') outcomes.set(found.outcome.call_id, found.outcome);
        else if (!calls.has(found.entry.context.call_id)) {
          calls.add(found.entry.context.call_id);
          errors.push(keep(loggedOf(found, file)));
        }
      }
    }
  errors.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
  return { errors, outcomes, unreadable };
}

const MESSAGE_CHARS = 400;

const loggedOf = (
  { entry, at, data }: { entry: ApiError; at: number; data: LoggedError['data'] },
  log: string,
): LoggedError => ({
  at: entry.at,
  context: entry.context,
  message: cut(entry.message, MESSAGE_CHARS),
  status: entry.response.status,
  headers: entry.response.headers,
  stand: 'open',
  log,
  from: at,
  data,
});

/** Returns null if the path leads to no project's state. */
function folderOf({ word, cwd, environment }: CollectingErrors): string | null {
  if (word === null) return path.join(projectState(cwd, environment), 'state');
  const given = path.resolve(cwd, word);
  const places = ['.tmp/state', 'state', '../state', '../../state', '.'].map((place) => path.join(given, place));
  return (
    places.find((place) => isThere(path.join(place, `${LOG_NAME}.log`))) ??
    places.slice(0, 2).find(isThere) ??
    (isThere(path.join(given, '.tmp')) ? path.join(given, '.tmp/state') : null)
  );
}

const isThere = (place: string): boolean => lookAt(place) !== null;

const invalid = (word: string) =>
  ({
    how: 'invalid',
    message: `${word} holds no state; name a project, or leave it out for the one you are in`,
  }) as const;
