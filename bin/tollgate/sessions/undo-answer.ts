// Defines what an undo works on, and formats what it did, or would do.

import { createRedactor } from '../../../policies/redact/create-redactor.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { visible } from '../../../policies/text/display.ts';
import type { SessionFile, SessionStore } from '../../../wrappers/sessions/store.ts';
import type { Arguments } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';

export interface UndoResult {
  did: 'undone' | 'redone' | 'resent' | 'replaced';
  session: SessionFile;
  /** The id of the session that it replaces. */
  inPlaceOf?: string;
  /** Turns, or answers, that are no longer active. */
  reverted: number;
  says: string;
  /** The number of the edit in its ledger; none for a dry run. */
  edit?: number;
  /** The result of the paid call. */
  sent?: { record: CallRecord; answer: string; exit: number; message: string | null };
}

const LONGEST = 300;

export function answerOf(result: UndoResult, { given, text }: Arguments): Ran {
  const { did, session, inPlaceOf, reverted, edit, sent } = result;
  const dry = given.has('dry-run');
  const { redact } = createRedactor({ env: process.env, patterns: [] });
  const says = cut(visible(redact(result.says)).replace(/\s+/g, ' '));
  const redoing = `tollgate undo ${session.id} --redo${sent === undefined || sent.record.ending === 'not_started' ? '' : ' --force'}`;
  const exit = sent?.exit ?? 0;
  if (given.has('json')) {
    const object = {
      schema: 1,
      did: dry ? null : did,
      would: dry ? did : null,
      tool: session.tool,
      session_id: session.id,
      ...(inPlaceOf === undefined ? {} : { in_place_of: inPlaceOf }),
      file: session.file,
      reverted,
      says,
      edit: edit ?? null,
      redo: redoing,
      ...(sent === undefined ? {} : { answer: sent.answer, message: sent.message, call: sent.record }),
    };
    return { exit, out: `${JSON.stringify(object)}\n` };
  }
  const hint = dry || did === 'redone' ? '' : `Bring it back: ${redoing}\n`;
  const line = `${session.tool} ${session.id}: ${dry ? 'it would be so: ' : ''}${says}\n${hint}`;
  if (sent === undefined) return { exit, out: line };
  const failed = sent.message === null ? '' : `tollgate undo: the call failed: ${sent.message}\n`;
  return {
    exit,
    ...(text.out === undefined ? { out: sent.answer } : {}),
    err: `${given.has('quiet') ? '' : line}${failed}`,
  };
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

export interface Undoing {
  store: SessionStore;
  session: SessionFile;
  feature: string | null;
  args: Arguments;
  stop: AbortSignal;
}
