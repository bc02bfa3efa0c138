// Publishes the files of a call where its caller wants them: redacted, and each file complete or not at all.

import path from 'node:path';
import { rawOf } from '../../policies/facts/file-names.ts';
import { slowPatterns } from '../../policies/redact/redactor.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { syncFolder } from '../../state/append-line.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { Outcome } from '../../wrappers/run.ts';
import { publishMarker } from '../attempt/announce.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { changedFiles, keptAnswerIn, redactedOf } from '../attempt/captured.ts';
import type { Published } from '../attempt/close-attempt.ts';
import type { BegunCall, RecordableCall } from '../attempt/phases.ts';
import { publishRedacted } from '../attempt/redacted-copy.ts';
import type { WrapperRequest } from '../attempt/request.ts';
import { folderMistake, putFoldersRight } from '../attempt/result-paths.ts';

interface PublishedCall {
  /** As published, with the warnings of publishing. */
  record: CallRecord;
  published: Published;
}

/** Publishes all files of a call that ran; the answer only of a success, and the done marker last. */
export function publishAll(
  call: RecordableCall,
  attempt: Attempt,
  classified: CallRecord,
  { capture, streams }: Outcome,
): PublishedCall {
  const { request, redactor } = call;
  const { out, err, sessionIdOut } = request.files;
  const warnings = [...classified.warnings];
  const record = { ...classified, warnings };
  try {
    const mistake = folderMistake(call.folders);
    if (mistake !== null) throw new Error(mistake);
    if (streams !== undefined) warnings.push(...changedFiles(attempt, streams));
    const copies = [
      publishStream(call, streams?.stderr, err, attempt.files.stderr),
      publishStream(call, streams?.stdout, rawOf(out), attempt.files.stdout),
    ];
    warnings.push(...slowPatterns(redactor.withheld));
    if (request.keepRaw) warnings.push(`what the CLI wrote is kept as it came, secrets and all, in ${attempt.folder}`);
    if (record.verdict.class === null) {
      // Only a run has a gate, and the gate removes the kept answer again.
      const kept = request.charge?.runId ? keptAnswerIn(attempt.folder) : null;
      publishText(out, capture.answer, 'set_aside', kept);
    }
    if (sessionIdOut !== null && record.session_id !== null)
      publishText(sessionIdOut, `${record.session_id}\n`, 'set_aside');
    publishRecord(request, record);
    if (request.charge !== null) syncPlaces(request, request.charge.task);
    publishMarker(request.files, record, call.announced);
    return { record, published: { how: 'done', copied: copies.every((copied) => copied) } };
  } catch (error) {
    const why = `the result could not be written (${(error as Error).message}); what could be kept of it is in ${attempt.folder}`;
    return { record, published: { how: 'failed', why } };
  }
}

/**
 * @param fd null if the stream cannot be read, undefined if nothing was opened.
 * @returns whether the attempt has its own copy. It needs one if the task's raw files will be removed.
 */
function publishStream(
  { request, redactor, withheld }: RecordableCall,
  fd: number | null | undefined,
  file: string,
  raw: string,
): boolean {
  if (withheld !== null || typeof fd !== 'number') {
    publishText(file, withheld === null ? (fd === null ? UNREAD : '') : `${withheld}\n`);
    return false;
  }
  const isKept = request.charge !== null && !request.keepRaw;
  // This copy replaces a file that will be removed, so it must survive a power cut.
  const [promise, copy] = isKept ? (['synced', redactedOf(raw)] as const) : (['renamed', null] as const);
  return publishRedacted(fd, file, redactor, promise, copy);
}

const UNREAD = '[what was here could not be read: something else is in its place in the attempt]\n';

/** Writes the record to the requested path, to the task's outputs, and to its attempt, where its task counts what it used. */
function publishRecord({ files, charge, adapter }: WrapperRequest, record: CallRecord): void {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const places = new Set<string>();
  if (files.result !== null) places.add(path.resolve(files.result));
  if (charge !== null) {
    const { attempts, outputs } = charge.task;
    places.add(path.join(attempts, record.call_id, 'record.json'));
    places.add(path.join(outputs, `${charge.stage}.${adapter.tool}.call.json`));
  }
  for (const file of places) publishText(file, text, 'set_aside');
}

/** Publishes the current record when a stop signal arrives. A write error must not keep the CLI alive. @returns warnings. */
export function publishEarly({ request, folders, clock }: RecordableCall, record: CallRecord): string[] {
  const warnings = putFoldersRight(folders, clock);
  try {
    publishRecord(request, record);
    return warnings;
  } catch (error) {
    return [...warnings, `the record could not be written before the end: ${(error as Error).message}`];
  }
}

/** The journal will permanently record that these files exist. A call without a task reports this only to its caller. */
function syncPlaces({ files: { out, result } }: WrapperRequest, { root, outputs }: TaskFolder): void {
  const folders = new Set([path.dirname(path.resolve(out)), outputs]);
  if (result !== null) folders.add(path.dirname(path.resolve(result)));
  // The write may have created these folders, and then each has a new entry in its parent folder.
  for (const folder of folders)
    if (folder !== root && folder.startsWith(root + path.sep)) folders.add(path.dirname(folder));
  for (const folder of folders) syncFolder(folder);
}

/** Reports a refusal to the caller. Files of an earlier call in the task remain. */
export function publishRefusal({ request: { files }, announced }: BegunCall, record: CallRecord): void {
  if (files.result !== null) publishText(files.result, `${JSON.stringify(record, null, 2)}\n`);
  publishMarker(files, record, announced);
}
