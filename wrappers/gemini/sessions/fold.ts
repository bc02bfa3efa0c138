// Finds the current messages of a session file in order, as the CLI reads it, without parsing every line.

import type { LinePiece, Lines } from './lines.ts';
import { asObject, type GeminiMessage, isMessage, isPrompt, objectsOf, parseRecord } from './record.ts';

/** One current message. */
export interface GeminiEntry {
  id: string;
  type: string;
  prompt: boolean;
  read(): GeminiMessage;
}

interface Folded {
  entries: readonly GeminiEntry[];
  /** Number of records of an unknown kind. */
  unknown: number;
}

/** A message was accepted by its first bytes, but the whole line cannot be parsed: the CLI has skipped it. */
class TornLine extends Error {}

/** Passes the current messages on. If an accepted line turns out to be torn, it does so again with every line parsed. */
export function foldLines(lines: Lines): <T>(use: (folded: Folded) => T) => T {
  let folded: Folded | null = null;
  return (use) => {
    try {
      folded ??= fold(lines, new Set());
      return use(folded);
    } catch (error) {
      if (!(error instanceof TornLine)) throw error;
      folded = fold(lines, tornLines(lines));
      return use(folded);
    }
  };
}

function tornLines(lines: Lines): Set<number> {
  const torn = new Set<number>();
  for (let i = 0; i < lines.count; i++) if (parseRecord(lines.piece(i).text()) === null) torn.add(i);
  return torn;
}

function fold(lines: Lines, torn: ReadonlySet<number>): Folded {
  const standing = new Map<string, GeminiEntry>();
  const stand = (entry: GeminiEntry) => standing.set(entry.id, entry);
  const { start, pieces } = lastReplacing(lines, torn);
  for (const piece of pieces) for (const entry of entriesOf(piece)) stand(entry);
  let unknown = 0;
  for (let i = start; i < lines.count; i++) {
    const piece = lines.piece(i);
    if (torn.has(i) || TOUCH.test(piece.head)) continue;
    const entry = believed(piece);
    if (entry !== null) {
      stand(entry);
      continue;
    }
    const record = parseRecord(piece.text());
    if (record === null) continue;
    const set = asObject(record.$set);
    if (typeof record.$rewindTo === 'string') rewind(standing, record.$rewindTo);
    else if (isMessage(record)) stand(held(record));
    // Only the line that this begins with holds a list, so there are no messages yet.
    else if (set !== null) objectsOf(set.messages).filter(isMessage).map(held).forEach(stand);
    else if (isMetadata(record)) objectsOf(record.messages).filter(isMessage).map(held).forEach(stand);
    else unknown += 1;
  }
  return { entries: [...standing.values()], unknown };
}

/** The line that each start of the CLI begins with. */
export const isMetadata = (record: Record<string, unknown> | null): boolean =>
  typeof record?.sessionId === 'string' && typeof record.projectHash === 'string';

/** `{"$set":{"lastUpdated":…}}`, which follows nearly every record. */
const TOUCH = /^\{"\$set":\{"lastUpdated":"[^"\\]*"\}\}\r?$/;

/** All before the last complete list of messages is obsolete. A huge list is split first, and the fold follows it. */
function lastReplacing(lines: Lines, torn: ReadonlySet<number>): { start: number; pieces: LinePiece[] } {
  for (let i = lines.count - 1; i > 0; i--) {
    const { head, text } = lines.piece(i);
    if (torn.has(i) || !head.startsWith('{"$set":') || TOUCH.test(head)) continue;
    const pieces = lines.pieces(i);
    if (pieces !== null) return { start: i + 1, pieces };
    if (Array.isArray(asObject(parseRecord(text())?.$set)?.messages)) return { start: i, pieces: [] };
  }
  return { start: 0, pieces: [] };
}

function entriesOf(piece: LinePiece): GeminiEntry[] {
  const entry = believed(piece);
  if (entry !== null) return [entry];
  const record = parseRecord(piece.text());
  if (record === null) throw new TornLine();
  return isMessage(record) ? [held(record)] : [];
}

const MESSAGE = /^\{"id":"([\w.:-]+)","timestamp":"[^"\\]*","type":"(\w+)"(.*)$/s;
/** Begins with a letter or a digit, so it is not a command to the CLI. */
const PLAIN_PROMPT = /^,"content":(?:\[\{"text":)?"\w/;
const RESPONSE = /^,"content":\[\{"functionResponse":/;

/** Reads a message from its first bytes; returns null if the whole line must be parsed. */
function believed({ head, text }: LinePiece): GeminiEntry | null {
  const [, id, type, rest] = MESSAGE.exec(head) ?? [];
  if (id === undefined || type === undefined || rest === undefined) return null;
  const prompt = type === 'user' && PLAIN_PROMPT.test(rest);
  if (type === 'user' && !prompt && !RESPONSE.test(rest)) return null;
  const read = () => {
    const record = parseRecord(text());
    if (!isMessage(record)) throw new TornLine();
    return record;
  };
  return { id, type, prompt, read };
}

export const held = (message: GeminiMessage): GeminiEntry => ({
  id: message.id,
  type: typeof message.type === 'string' ? message.type : '',
  prompt: isPrompt(message),
  read: () => message,
});

/** If the id is not among the current messages, the CLI forgets everything. */
function rewind(standing: Map<string, GeminiEntry>, id: string): void {
  let found = !standing.has(id);
  for (const key of standing.keys()) {
    found ||= key === id;
    if (found) standing.delete(key);
  }
}
