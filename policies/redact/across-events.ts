// Redacts secrets that span the texts of several events: if a key is streamed, each event contains only a few letters.

import { type Json, parseObject, partOf } from '../text/json.ts';
import type { Hit } from './finder.ts';

interface AcrossEvents {
  /** Takes whole lines, and returns those that can no longer be part of a secret. */
  write(lines: string): string;
  /** Returns the rest. */
  end(): string;
  /** Whether nothing is held back. */
  isEmpty(): boolean;
}

interface Held {
  line: string;
  pieces: EventPiece[];
  isChanged: boolean;
}

/** The most that is held back of a stream of pieces. At 250 characters an event, half of it contains thousands of letters. */
const MOST_HELD = 1024 * 1024;

/** The redactor of a line handles secrets within one event. @param hits returns every secret in a text, in order. */
export function createAcrossEvents(hits: (text: string) => readonly Hit[]): AcrossEvents {
  let held: Held[] = [];
  let chars = 0;

  const release = (most: number): string => {
    let count = 0;
    for (; chars > most; count += 1) chars -= held[count]!.line.length;
    takeOut(held, count, hits);
    const released = held.slice(0, count);
    held = held.slice(count);
    return released.map(written).join('');
  };
  return {
    write(lines) {
      if (held.length === 0 && !mayHavePieces(lines)) return lines;
      let passed = '';
      for (let from = 0; from < lines.length; ) {
        const end = lines.indexOf('\n', from) + 1 || lines.length;
        const line = lines.slice(from, end);
        const pieces = piecesOf(line);
        from = end;
        if (held.length === 0 && pieces.length === 0) {
          passed += line;
          continue;
        }
        held.push({ line, pieces, isChanged: false });
        chars += line.length;
        if (chars > MOST_HELD) passed += release(MOST_HELD / 2);
      }
      return passed;
    },
    end: () => release(0),
    isEmpty: () => held.length === 0,
  };
}

interface Row {
  held: Held;
  piece: EventPiece;
  /** The offsets of its text in the joined text. */
  from: number;
  to: number;
  /** It is released now, so a secret in it that is not found now is never found. */
  goes: boolean;
}

/** @param count how many of them are released. */
function takeOut(held: readonly Held[], count: number, hits: (text: string) => readonly Hit[]): void {
  const rows = new Map<string, Row[]>();
  held.forEach((one, i) => {
    for (const piece of one.pieces) {
      const before = rows.get(piece.of) ?? [];
      const from = before.at(-1)?.to ?? 0;
      rows.set(piece.of, before);
      before.push({ held: one, piece, from, to: from + piece.text.length, goes: i < count });
    }
  });
  for (const pieces of rows.values()) {
    if (pieces.length < 2) continue;
    const whole = pieces.map(({ piece }) => piece.text).join('');
    // Starts at the last one, so that the offsets of the earlier ones remain valid.
    for (const hit of [...hits(whole)].reverse()) {
      const over = pieces.filter((row) => row.from < hit.to && row.to > hit.from);
      // A secret that extends to the end may continue in later text.
      if (over.length > 1 && (over[0]!.goes || hit.to < whole.length)) cut(over, hit);
    }
  }
}

function cut(over: readonly Row[], { from, to, kind }: Hit): void {
  over.forEach((row, i) => {
    const { piece } = row;
    const head = piece.text.slice(0, Math.max(0, from - row.from));
    const tail = to < row.to ? piece.text.slice(to - row.from) : '';
    piece.text = `${head}${i === 0 ? `[REDACTED:${kind}]` : ''}${tail}`;
    row.held.isChanged = true;
  });
}

function written({ line, pieces, isChanged }: Held): string {
  if (!isChanged) return line;
  const event = JSON.parse(line) as Record<string, unknown>;
  for (const { path, text } of pieces) {
    const holder = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, event);
    holder[path.at(-1)!] = text;
  }
  return `${JSON.stringify(event)}${/\r?\n$/.exec(line)?.[0] ?? ''}`;
}

/** A text of an event that is one of a series, such as the pieces of a message. */
interface EventPiece {
  /** Texts with the same value follow each other. It names the kind of event, the place in the event, and the message. */
  of: string;
  /** Names from the event to the text. */
  path: readonly string[];
  text: string;
}

/** Whether such an event can be among these lines. */
const mayHavePieces = (lines: string): boolean => HINTS.some((hint) => lines.includes(hint));

/** `delta`, `message_delta`, `execution_partial_result`, `agentMessageChunk`: in any case, and fast to search for. */
const HINTS = ['elta', 'artial', 'hunk'];
const PART = /delta|partial|chunk/i;

/** Where the CLIs put the text: in the event itself, or one level below. */
const BELOW = ['data', 'delta', 'item', 'message', 'params'];

/** Empty for an event that is not part of a series, and for a line that is not an event. */
function piecesOf(line: string): EventPiece[] {
  const event = mayHavePieces(line) ? parseObject(line) : null;
  if (event === null) return [];
  const kind = String(event.type ?? event.method ?? '');
  if (!PART.test(kind) && event.delta !== true && typeof event.delta !== 'string') return [];
  const pieces: EventPiece[] = [];
  addTexts(pieces, kind, event, null);
  for (const name of BELOW) {
    const below = partOf(event[name]);
    if (below !== null) addTexts(pieces, kind, below, name);
  }
  return pieces;
}

function addTexts(pieces: EventPiece[], kind: string, holder: Json, within: string | null): void {
  let of = kind;
  const first = pieces.length;
  for (const name in holder) {
    const text = holder[name];
    if (typeof text !== 'string' || text === '') continue;
    const role = roleOf(name);
    // The event's own number and its parent's are new each time.
    if (role === 'owner' || (role === 'number' && within !== null)) of += ` ${text}`;
    else if (role === 'text') pieces.push({ of: name, path: within === null ? [name] : [within, name], text });
  }
  for (let i = first; i < pieces.length; i += 1) pieces[i]!.of = `${of} ${within ?? ''}.${pieces[i]!.of}`;
}

/** What a name says about the text under it. */
type Role = 'owner' | 'number' | 'label' | 'text';

const LABEL = /^(?:parentId|parent_id|type|role|status|model|timestamp|kind|method|name|phase|tool(?!Call|_call)\w*)$/;

function roleOf(name: string): Role {
  const known = ROLES.get(name);
  if (known !== undefined) return known;
  const role = name === 'id' ? 'number' : LABEL.test(name) ? 'label' : /(?:Id|_id)$/.test(name) ? 'owner' : 'text';
  if (ROLES.size < MOST_ROLES) ROLES.set(name, role);
  return role;
}

/** The CLIs use a dozen names, but an agent could invent any number. */
const ROLES = new Map<string, Role>();
const MOST_ROLES = 1000;
