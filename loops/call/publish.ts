// Puts what a call left where its caller wants it: redacted, and each file whole or not at all.

import { existsSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { CallRecord } from '../../policies/call-record.ts';
import { rawOf } from '../../policies/raw-file.ts';
import { slowPatterns } from '../../policies/redact/withheld.ts';
import { syncFolder } from '../../state/sync-folder.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { publishMarker } from './announce.ts';
import type { Attempt } from './attempt.ts';
import type { Draft } from './draft.ts';
import { publishRedacted } from './redacted-copy.ts';
import { publishText } from './replace-file.ts';
import type { WrapperRequest } from './request.ts';

/**
 * Publishes everything of a call that ran: stderr and event stream, the answer of a success, the session's id, the
 * record, and last of all the done marker.
 * @returns what could not be written, or null.
 */
export function publishAll(draft: Draft, attempt: Attempt, record: CallRecord, answer: string): string | null {
  const { request, redactor } = draft;
  const { out, err, sessionIdOut } = request.files;
  try {
    for (const [from, file] of [
      [attempt.files.stderr, err],
      [attempt.files.stdout, rawOf(out)],
    ] as const)
      if (draft.withheld === null) publishRedacted(from, file, redactor);
      else publishText(file, `${draft.withheld}\n`);
    record.warnings.push(...slowPatterns(redactor.withheld));
    if (record.verdict.class === null) publishText(out, answer);
    if (sessionIdOut !== null && record.session_id !== null) publishText(sessionIdOut, `${record.session_id}\n`);
    publishRecord(request, record);
    if (request.charge !== null) syncPlaces(request, request.charge.task);
    publishMarker(request.files, record, draft.announced);
    return null;
  } catch (error) {
    return `the result could not be written (${(error as Error).message}); it is kept in ${attempt.folder}`;
  }
}

/** The record where it was asked for, and among the task's outputs. */
export function publishRecord({ files, charge, adapter }: WrapperRequest, record: CallRecord): void {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const places = new Set<string>();
  if (files.result !== null) places.add(path.resolve(files.result));
  if (charge !== null) places.add(path.join(charge.task.outputs, `${charge.stage}.${adapter.tool}.call.json`));
  for (const file of places) publishText(file, text);
}

/** The journal is about to say for ever that they are there. A call on its own says so to nobody but its caller. */
function syncPlaces({ files: { out, result } }: WrapperRequest, { root, outputs }: TaskFolder): void {
  const folders = new Set([path.dirname(path.resolve(out)), outputs]);
  if (result !== null) folders.add(path.dirname(path.resolve(result)));
  // What was made for them has an entry in the folder above.
  for (const folder of folders)
    if (folder !== root && folder.startsWith(root + path.sep)) folders.add(path.dirname(folder));
  for (const folder of folders) syncFolder(folder);
}

/** A refusal is told to its caller; what an earlier call left in the task stands. */
export function publishRefusal({ request: { files }, announced }: Draft, record: CallRecord): void {
  if (files.result !== null) publishText(files.result, `${JSON.stringify(record, null, 2)}\n`);
  publishMarker(files, record, announced);
}

/** What an earlier call left under the same names must not pass for this one's; what cannot be removed is replaced at the end. */
export function removeStale({ files }: WrapperRequest): void {
  const { out, err, result, sessionIdOut } = files;
  for (const file of [out, rawOf(out), err, result, sessionIdOut])
    if (file !== null && existsSync(file)) tryUnlink(file);
}

function tryUnlink(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Its folder was writable a moment ago; whatever happened, the call itself can still be made.
  }
}
