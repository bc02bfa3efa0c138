// The record of a call that its guardian had published whole, for who finds no verdict of it in the journal.

import path from 'node:path';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { kindOf, readJsonIfFit } from '../../state/disk/regular-file.ts';
import { hasOutput } from './captured.ts';

/**
 * Raw files go once all is published and the verdict stands. Where they are gone and it does not, somebody took it out of the
 * journal since, and the record is what counts; null where there is anything else to judge by.
 * @param folder of the attempt
 */
export function publishedRecord(folder: string, callId: string): CallRecord | null {
  if (kindOf(path.join(folder, 'stdout')) !== null || !hasOutput(folder)) return null;
  const record = readJsonIfFit<CallRecord>(path.join(folder, 'record.json'));
  return record?.call_id === callId && typeof record.verdict === 'object' ? record : null;
}
