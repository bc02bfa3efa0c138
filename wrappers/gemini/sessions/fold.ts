// Which messages of a session file stand, in their order: what the CLI's own reading of the file leaves, without parsing every line.

import type { Lines } from './lines.ts';
import { isMessage, isPrompt, type Message, objectsOf, parseRecord } from './record.ts';

/** One message that stands. */
export interface Entry {
  id: string;
  type: string;
  prompt: boolean;
  read(): Message;
}

/** A message of that line cannot be parsed after all, so the CLI has skipped it. */
class TornLine extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`line ${line + 1} is no JSON`);
    this.line = line;
  }
}

export interface Folded {
  entries: readonly Entry[];
  /** Records that are of no kind that we know. */
  unknown: number;
}

export const foldLines = (lines: Lines): Folded => fold(lines, new Set());

/** Does the work, and if one of the lines it believed in is torn, all of it again with every line looked at. */
export function withTornLines<T>(lines: Lines, folded: Folded, use: (folded: Folded) => T): T {
  try {
    return use(folded);
  } catch (error) {
    if (!(error instanceof TornLine)) throw error;
    return use(fold(lines, tornLines(lines)));
  }
}

function tornLines(lines: Lines): Set<number> {
  const torn = new Set<number>();
  for (let i = 0; i < lines.count; i++) if (parseRecord(lines.text(i)) === null) torn.add(i);
  return torn;
}

function fold(lines: Lines, torn: ReadonlySet<number>): Folded {
  const standing = new Map<string, Entry>();
  let unknown = 0;
  for (let i = lastReplacing(lines, torn); i < lines.count; i++) {
    const head = lines.head(i);
    if (torn.has(i) || TOUCH.test(head)) continue;
    const entry = entryOf(lines, i, head);
    if (entry !== null) {
      standing.set(entry.id, entry);
      continue;
    }
    const record = parseRecord(lines.text(i));
    if (record === null) continue;
    if (typeof record.$rewindTo === 'string') rewind(standing, record.$rewindTo);
    else if (isMessage(record)) standing.set(record.id, held(record));
    else if (record.$set !== null && typeof record.$set === 'object') {
      const { messages } = record.$set as Record<string, unknown>;
      if (Array.isArray(messages)) standing.clear();
      for (const message of objectsOf(messages).filter(isMessage)) standing.set(message.id, held(message));
    } else if (typeof record.sessionId === 'string' && typeof record.projectHash === 'string')
      for (const message of objectsOf(record.messages).filter(isMessage)) standing.set(message.id, held(message));
    else unknown += 1;
  }
  return { entries: [...standing.values()], unknown };
}

/** `{"$set":{"lastUpdated":…}}`, which follows nearly every record. */
const TOUCH = /^\{"\$set":\{"lastUpdated":"[^"\\]*"\}\}\r?$/;

/** All before the last whole list of messages is forgotten. */
function lastReplacing(lines: Lines, torn: ReadonlySet<number>): number {
  for (let i = lines.count - 1; i > 0; i--) {
    const head = lines.head(i);
    if (torn.has(i) || !head.startsWith('{"$set":') || TOUCH.test(head)) continue;
    const set = parseRecord(lines.text(i))?.$set;
    if (set !== null && typeof set === 'object' && Array.isArray((set as Record<string, unknown>).messages)) return i;
  }
  return 0;
}

const MESSAGE = /^\{"id":"([\w.:-]+)","timestamp":"[^"\\]*","type":"(\w+)"(.*)$/s;
/** Begins with a letter or a figure, so it is no order to the CLI. */
const PLAIN_PROMPT = /^,"content":(?:\[\{"text":)?"\w/;
const RESPONSE = /^,"content":\[\{"functionResponse":/;

/** A message that its first bytes tell enough of; null where the whole line has to be looked at. */
function entryOf(lines: Lines, line: number, head: string): Entry | null {
  const [, id, type, rest] = MESSAGE.exec(head) ?? [];
  if (id === undefined || type === undefined || rest === undefined) return null;
  const prompt = type === 'user' && PLAIN_PROMPT.test(rest);
  if (type === 'user' && !prompt && !RESPONSE.test(rest)) return null;
  const read = () => {
    const record = parseRecord(lines.text(line));
    if (!isMessage(record)) throw new TornLine(line);
    return record;
  };
  return { id, type, prompt, read };
}

export const held = (message: Message): Entry => ({
  id: message.id,
  type: typeof message.type === 'string' ? message.type : '',
  prompt: isPrompt(message),
  read: () => message,
});

/** To an id that does not stand: the CLI forgets everything. */
function rewind(standing: Map<string, Entry>, id: string): void {
  let found = !standing.has(id);
  for (const key of standing.keys()) {
    found ||= key === id;
    if (found) standing.delete(key);
  }
}
