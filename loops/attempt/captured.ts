// Finds the CLI's output in its attempt: raw while the call is open, then redacted copies, and the answer until its gate.

import { fstatSync, lstatSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { isRegular, kindOf, readBytesIfFit, readIfFit, readJsonIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Streams } from '../../wrappers/reading.ts';
import type { Attempt } from './attempt.ts';
import { MAX_PROMPT_BYTES } from './request.ts';

/** The path of the redacted copy of a raw file. */
export const redactedOf = (raw: string): string => `${raw}.redacted`;

/** Prefers the redacted copies, which exist once a call is over. For an open call, or with --keep-raw, the raw files are used. */
export const readableOf = (files: Attempt['files']): Attempt['files'] => ({
  ...files,
  stdout: isRegular(redactedOf(files.stdout)) ? redactedOf(files.stdout) : files.stdout,
  stderr: isRegular(redactedOf(files.stderr)) ? redactedOf(files.stderr) : files.stderr,
});

/** Whether a CLI was started in that attempt. Its output file is opened right before the start. */
export const hasOutput = (folder: string): boolean =>
  ['stdout', redactedOf('stdout')].some((name) => kindOf(path.join(folder, name)) !== null);

/** The prompt that was sent; null if it is no longer a regular file. */
export const promptIn = ({ files }: Attempt): Buffer | null => readBytesIfFit(files.stdin, MAX_PROMPT_BYTES);

/** The changes to an attempt's files while its call ran, mostly by the agent. @param streams opened before. */
export function changedFiles({ files, folder }: Attempt, { stdout, stderr }: Streams): string[] {
  const said = (name: string, what: string, so: string) =>
    `${name} of the attempt ${what} while the call ran (${folder}); ${so}`;
  const written = { stdout: [files.stdout, stdout], stderr: [files.stderr, stderr] } as const;
  const streams = Object.entries(written).flatMap(([name, [file, fd]]) => {
    const what = changeOf(file, fd);
    const so = fd === null ? 'nothing of it could be read' : 'what the CLI wrote was read from the file itself';
    return what === null ? [] : [said(name, what, so)];
  });
  const others = [files.stdin, files.usage, path.join(folder, 'attempt.json')].flatMap((file) => {
    const kind = kindOf(file);
    if (kind === null || kind === REGULAR) return [];
    return [said(path.basename(file), `was replaced by ${kind}`, 'it was not read')];
  });
  return [...streams, ...others];
}

const REGULAR = 'a regular file';

/** @returns null if the path still names the opened file. */
function changeOf(file: string, fd: number | null): string | null {
  const kind = kindOf(file);
  if (kind === null) return 'was removed';
  if (kind !== REGULAR) return `was replaced by ${kind}`;
  if (fd === null) return null;
  const [own, named] = [fstatSync(fd), lstatSync(file)];
  return own.ino === named.ino && own.dev === named.dev ? null : 'was replaced by another file';
}

/**
 * Returns the record of a call that its guardian published completely, if the journal has no verdict of it. Raw files are removed
 * after everything is published and the verdict is in the journal. If they are gone but there is no verdict, it was removed from
 * the journal later, and the record counts.
 * @param folder the folder of the attempt
 * @returns null if there is anything else to classify the call by.
 */
export function publishedRecord(folder: string, callId: string): CallRecord | null {
  if (kindOf(path.join(folder, 'stdout')) !== null || !hasOutput(folder)) return null;
  const record = readJsonIfFit<CallRecord>(path.join(folder, 'record.json'));
  return record?.call_id === callId && typeof record.verdict === 'object' ? record : null;
}

/** A second copy of a run's answer in its attempt until its gate, so that a removed answer is not paid again. */
export const keptAnswerIn = (attempt: string): string => path.join(attempt, 'answer');

const keptOf = ({ attempts }: TaskFolder, callId: string) => keptAnswerIn(path.join(attempts, callId));

export const hasKeptAnswer = (task: TaskFolder, callId: string): boolean => isRegular(keptOf(task, callId));

/** Larger than any published answer. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Publishes the answer again if nothing is in its place. @returns whether it did. Throws system errors. */
export function putAnswerBack(task: TaskFolder, callId: string, out: string): boolean {
  if (kindOf(out) !== null) return false;
  const text = readIfFit(keptOf(task, callId), MAX_BYTES);
  if (text === null) return false;
  publishText(out, text, 'set_aside');
  return true;
}

/** Called after a gate has checked the answer: an answer may hold a key, and an attempt must hold none. */
export function dropKeptAnswer(task: TaskFolder, callId: string): void {
  if (hasKeptAnswer(task, callId)) unlinkSync(keptOf(task, callId));
}
