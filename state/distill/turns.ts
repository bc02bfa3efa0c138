// Stores the answers of a distillation unchanged, each synced in its own file before the next request, and writes its trace.

import { closeSync, constants } from 'node:fs';
import path from 'node:path';
import type { TurnAnswer, TurnContent } from '../../policies/distill/service.ts';
import { partOf } from '../../policies/text/json.ts';
import { appendText } from '../append-line.ts';
import { openRegular, readRegularOrNull, readUnlessUnfit } from '../disk/regular-file.ts';
import { publishText } from '../disk/replace-file.ts';
import { StrangeStateError } from '../disk/strange-state-error.ts';
import { isSystemError } from '../system-error.ts';
import type { DistillFolder } from './run-folder.ts';

/** The content of `turns/0007.json`. */
export interface KeptTurn {
  schema: 1;
  turn: number;
  section: number;
  call_id: string;
  at: string;
  model: string;
  /** How many entries of history came before it. */
  history: number;
  request: TurnContent;
  answer: TurnAnswer;
}

const fileOf = ({ turns }: DistillFolder, turn: number): string =>
  path.join(turns, `${String(turn).padStart(4, '0')}.json`);

/** Synced when it returns. Throws what the operating system throws: then the answer is not kept. */
export const keepTurn = (folder: DistillFolder, turn: KeptTurn): void =>
  publishText(fileOf(folder, turn.turn), `${JSON.stringify(turn, null, 1)}\n`, 'set_aside');

/** @returns null if there is none, or none that is complete. */
export function turnOrNull(folder: DistillFolder, turn: number): KeptTurn | null {
  const text = readUnlessUnfit(fileOf(folder, turn), MAX_BYTES);
  if (text === null) return null;
  try {
    const kept = JSON.parse(text) as KeptTurn;
    return isTurn(kept) && kept.turn === turn ? kept : null;
  } catch {
    return null;
  }
}

/** Reads an answer that is in the journal. Throws StrangeStateError when it is gone, or is no longer an answer. */
export function keptTurn(folder: DistillFolder, turn: number): KeptTurn {
  const kept = turnOrNull(folder, turn);
  if (kept !== null) return kept;
  throw new StrangeStateError(
    `${fileOf(folder, turn)} is gone or was changed; put it back, or request its section again: tollgate distill resume ${folder.name}`,
  );
}

/** Names the answers that are gone or no longer valid, and how to fix that. */
export function unreadableWords(folder: DistillFolder, lost: readonly { turn: number; section: number }[]): string {
  const files = lost.map(({ turn }) => fileOf(folder, turn)).join(' and ');
  const ways = lost.map(({ section }) => `tollgate distill delete-section ${folder.name} ${section} --ask-again`);
  const [is, it, its] = lost.length === 1 ? ['is', 'it', 'its section'] : ['are', 'them', 'their sections'];
  return `${files} ${is} gone or changed; put ${it} back, or request ${its} again: ${ways.join('; ')}`;
}

/** An answer has at most some hundred thousand characters. */
const MAX_BYTES = 64 * 1024 * 1024;

function isTurn(value: unknown): value is KeptTurn {
  const { schema, call_id, request, answer } = partOf(value) ?? {};
  const { text, content } = partOf(answer) ?? {};
  return (
    schema === 1 &&
    typeof call_id === 'string' &&
    Array.isArray(partOf(request)?.parts) &&
    typeof text === 'string' &&
    (content === null || Array.isArray(partOf(content)?.parts))
  );
}

/** Opens a writer. @param lost gets the reason once if a line cannot be written; no answer is lost by that. */
export function openTrace(
  folder: DistillFolder,
  redact: (text: string) => string,
  lost: (why: string) => void,
): (line: object) => void {
  let isTold = false;
  return (line) => {
    try {
      appendTrace(folder, line, redact);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      if (!isTold) lost(error.message);
      isTold = true;
    }
  };
}

/** Appends one line, not synced: a power loss costs a line of the trace, but no answer. */
function appendTrace({ trace }: DistillFolder, line: object, redact: (text: string) => string): void {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  const fd = openRegular(trace, O_RDWR | O_APPEND | O_CREAT);
  try {
    appendText(fd, trace, `${redact(JSON.stringify(line))}\n`);
  } finally {
    closeSync(fd);
  }
}

/** Its lines, oldest first. */
export function traceLines({ trace }: DistillFolder): string[] {
  const text = readRegularOrNull(trace, MAX_TRACE_BYTES) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

const MAX_TRACE_BYTES = 512 * 1024 * 1024;
