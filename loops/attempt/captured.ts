// What a CLI wrote in its attempt: raw while the call is open, and its redacted copies from when they are published.

import { fstatSync, lstatSync } from 'node:fs';
import path from 'node:path';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { kindOf, readBytesIfFit, readJsonIfFit } from '../../state/disk/regular-file.ts';
import type { Streams } from '../../wrappers/reading.ts';
import type { Attempt } from './attempt.ts';
import { MAX_PROMPT_BYTES } from './request.ts';

/** Where the redacted copy of one of them lies. */
export const redactedOf = (raw: string): string => `${raw}.redacted`;

/** Of a call that is over its redacted copies; raw where there are none, as of a call that is open, or with --keep-raw. */
export const readableOf = (files: Attempt['files']): Attempt['files'] => ({
  ...files,
  stdout: isThere(redactedOf(files.stdout)) ? redactedOf(files.stdout) : files.stdout,
  stderr: isThere(redactedOf(files.stderr)) ? redactedOf(files.stderr) : files.stderr,
});

/** Whether a CLI was started in that attempt: its output is opened right before, whatever became of it since. */
export const hasOutput = (folder: string): boolean =>
  ['stdout', redactedOf('stdout')].some((name) => kindOf(path.join(folder, name)) !== null);

/** What was sent; null where something else stands in its place by now. */
export const promptIn = ({ files }: Attempt): Buffer | null => readBytesIfFit(files.stdin, MAX_PROMPT_BYTES);

/**
 * What somebody, mostly the agent, did to the files of an attempt while its call ran, in sentences.
 * @param streams the files themselves, which were opened before
 */
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

/** null for the file that was opened. */
function changeOf(file: string, fd: number | null): string | null {
  const kind = kindOf(file);
  if (kind === null) return 'was removed';
  if (kind !== REGULAR) return `was replaced by ${kind}`;
  if (fd === null) return null;
  const [own, named] = [fstatSync(fd), lstatSync(file)];
  return own.ino === named.ino && own.dev === named.dev ? null : 'was replaced by another file';
}

const isThere = (file: string): boolean => kindOf(file) === REGULAR;

/**
 * The record of a call that its guardian had published whole, for who finds no verdict of it in the journal.
 * Raw files go once all is published and the verdict stands. Where they are gone and it does not, somebody took it out of the
 * journal since, and the record is what counts; null where there is anything else to judge by.
 * @param folder of the attempt
 */
export function publishedRecord(folder: string, callId: string): CallRecord | null {
  if (kindOf(path.join(folder, 'stdout')) !== null || !hasOutput(folder)) return null;
  const record = readJsonIfFit<CallRecord>(path.join(folder, 'record.json'));
  return record?.call_id === callId && typeof record.verdict === 'object' ? record : null;
}
